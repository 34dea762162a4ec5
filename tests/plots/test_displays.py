"""Displays: what they show, that they take an `ax`, and what they say to those who cannot have them."""

import sys

import numpy as np
import pandas as pd
import pytest

import tailproof
from tailproof.answers import hill

pytest.importorskip("matplotlib")
from matplotlib.figure import Figure

RANDOM = np.random.default_rng(5)
X = RANDOM.pareto(2.1, (3000, 3)) * [1e-6, 1.0, 1e6]
X[7:15, 1] = 1e7
LABELS = np.array(["bird", "cat", "dog"])[(X[:, 0] > 4e-7).astype(int) + (X[:, 2] > 9e5)]


@pytest.fixture(scope="module")
def model():
    return tailproof.Mean().keep_path().fit(pd.DataFrame(X, columns=["small", "gross", "a $large$ one " * 5]))


@pytest.fixture
def subplot():
    return Figure(layout="constrained").subplots()


def texts(axes):
    return " ".join(axes.get_title(side) for side in ("left", "right"))


def test_intervals_show_the_estimate_and_the_textbooks_plain_mean(model, subplot):
    display = model.estimate().plot(ax=subplot)
    assert isinstance(display, tailproof.IntervalDisplay)
    assert len(display.axes_) == 3
    assert "small" in texts(display.axes_[0])
    bar = display.bars[0]
    assert (bar.centre, bar.low, bar.high) == (model.mean_[0], model.interval()[0][0], model.interval()[1][0])
    assert bar.plain_error == pytest.approx(X[:, 0].std(ddof=1) / len(X) ** 0.5)
    low, high = bar.plain_ends(0.95)
    assert (low, high) == pytest.approx((bar.plain - 1.96 * bar.plain_error, bar.plain + 1.96 * bar.plain_error), 1e-4)


def test_every_column_has_a_scale_of_its_own(model, subplot):
    small, _, large = model.plot(ax=subplot).axes_
    assert np.diff(small.get_xlim()) < 1e-5 < 1e5 < np.diff(large.get_xlim())


def test_one_column_is_drawn_on_the_axes_given(model, subplot):
    assert model.plot(ax=subplot, columns=["small"]).axes_ == [subplot]
    with pytest.raises(tailproof.RuleError, match="no column 'tall' to draw; there are small, gross"):
        model.plot(ax=subplot, columns=["tall"])
    with pytest.raises(tailproof.RuleError, match="numbered from 0 to 2"):
        model.plot(ax=subplot, columns=[3])
    with pytest.raises(tailproof.RuleError, match="3 panels need an axes made by subplots"):
        model.plot(ax=Figure().add_axes((0.0, 0.0, 1.0, 1.0)))


def test_tails_have_the_index_of_the_estimate_and_cross_what_is_set_aside(model, subplot):
    said = model.estimate()
    display = said.plot_tails(ax=subplot)
    assert isinstance(display, tailproof.TailDisplay)
    assert min(display.tails[0].above.slope, display.tails[0].below.slope) == pytest.approx(said.tail_index[0])
    gross = display.tails[1].above
    assert gross.cut == 8
    assert gross.distances[:8] == pytest.approx(1e7 - said.mean[1])
    np.testing.assert_array_equal(gross.ranks, np.arange(1, 25))
    assert gross.slope == pytest.approx(hill(np.sort(X[:, 1])[::-1][8:24], said.mean[1], 1.0))
    assert [line.get_marker() for line in display.axes_[1].lines].count("x") == 1


def test_tails_of_other_methods_are_refused_in_a_sentence():
    said = tailproof.Mean(method="clipped-sgd").fit(X).estimate()
    with pytest.raises(tailproof.RuleError, match='a tail plot needs the extremes that Mean\\(method="sketch"\\)'):
        said.plot_tails()


def test_a_path_ends_where_the_model_stands(model, subplot):
    display = model.plot_path(ax=subplot)
    assert display.readings[-1].rows == len(X)
    assert display.readings[-1].bars[0].centre == model.mean_[0]
    assert display.names[:2] == ["small", "gross"]
    with pytest.raises(tailproof.RuleError, match=r"Mean\(\).keep_path\(\)"):
        tailproof.Mean().fit(X).plot_path()


def test_regressions_stand_beside_least_squares_with_the_errors_of_the_textbook(subplot):
    features, noise = RANDOM.standard_normal((400, 2)), RANDOM.standard_normal(400)
    y = features @ [1.0, -2.0] + 1e4 + noise
    display = tailproof.LinearRegression().fit(features, y).plot(ax=subplot)
    design = np.column_stack([features, np.ones(400)])
    theta, left, *_ = np.linalg.lstsq(design, y)
    errors = np.sqrt(np.diag(np.linalg.inv(design.T @ design)) * left[0] / 397)
    np.testing.assert_allclose([bar.plain for bar in display.bars], theta, rtol=1e-8)
    np.testing.assert_allclose([bar.plain_error for bar in display.bars], errors, rtol=1e-6)
    assert display.rival == "least squares"


def test_log_odds_stand_beside_maximum_likelihood_with_the_errors_of_the_textbook():
    statsmodels = pytest.importorskip("statsmodels.api")
    features = RANDOM.standard_normal((3000, 2))
    y = (features @ [1.0, -0.5] + RANDOM.logistic(size=3000) > 0.3).astype(int)
    bars = tailproof.LogisticRegression().fit(features, y).estimate().bars()
    rival = statsmodels.Logit(y, np.column_stack([features, np.ones(3000)])).fit(disp=0)
    np.testing.assert_allclose([bar.plain for bar in bars], rival.params, rtol=0.02, atol=0.005)
    np.testing.assert_allclose([bar.plain_error for bar in bars], rival.bse, rtol=0.05)


def test_many_labels_have_a_bar_for_each_coefficient(subplot):
    display = tailproof.LogisticRegression().fit(X, LABELS).plot(ax=subplot)
    assert display.names[:2] == ["bird: x0", "bird: x1"]
    assert len(display.names) == 12
    assert display.rival == "maximum likelihood"


@pytest.mark.parametrize("columns", [1, 5, 40])
def test_pictures_hold_all_columns_and_are_the_same_bytes_each_time(columns, tmp_path):
    rows = np.tile(X[:300], (1, 14))[:, :columns]
    rows[:, 0] = 3.0
    display = tailproof.IntervalDisplay.from_estimator(tailproof.Mean().fit(rows))
    for name in ("a.svg", "b.svg"):
        display.save(tmp_path / name)
    assert len(display.axes_) == columns
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()


@pytest.mark.parametrize("made", ["from_estimator", "plot_tails"])
def test_values_at_the_edge_of_floats_are_drawn(made, tmp_path):
    rows = X.copy()
    rows[5], rows[6] = 1.7e308, -1.7e308
    model = tailproof.Mean().fit(rows)
    kind = tailproof.IntervalDisplay if made == "from_estimator" else tailproof.TailDisplay
    kind.from_estimator(model).save(tmp_path / "edge.png")


@pytest.mark.parametrize("rows", [[[1.0, 2.0]], [[1.0, 2.0], [3.0, 4.0]], [[np.nan, 1.0]]])
def test_one_row_two_or_none_are_drawn(rows, tmp_path):
    model = tailproof.Mean().fit(rows)
    tailproof.IntervalDisplay.from_estimator(model).save(tmp_path / "few.png")
    if not np.isnan(rows).any():
        tailproof.TailDisplay.from_estimator(model).save(tmp_path / "few.png")


def test_columns_beyond_what_a_picture_holds_are_counted(tmp_path):
    display = tailproof.IntervalDisplay.from_estimator(tailproof.Mean().fit(np.ones((30, 1)) * np.arange(70.0)))
    display.save(tmp_path / "many.pdf")
    assert len(display.axes_) == display.most
    assert "60 of 70 shown" in [text.get_text() for text in display.figure_.legends[0].get_texts()]


def test_a_file_of_another_kind_is_refused(model, tmp_path):
    display = tailproof.IntervalDisplay.from_estimator(model)
    with pytest.raises(tailproof.PictureError, match=r"end it in \.png, \.svg or \.pdf"):
        display.save(tmp_path / "out.gif")
    with pytest.raises(tailproof.PictureError, match="there is no folder"):
        display.save(tmp_path / "nowhere" / "out.png")


def test_without_matplotlib_the_extra_is_named(model, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(tailproof.PictureError, match=r"pip install 'tailproof\[plot\]'"):
        model.plot()
