"""StreamScaler: columns moved and scaled by what gross rows cannot ruin."""

import pickle
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.preprocessing import StandardScaler
from sklearn.utils import estimator_html_repr
from sklearn.utils.estimator_checks import check_estimator

import tailproof
from tailproof import DataError, Extremes, LinearRegression, LogisticRegression, Mean, RuleError, Scales, StreamScaler
from tailproof.doors.cli import main

RANDOM = np.random.default_rng(17)
ROWS = RANDOM.standard_normal((900, 3)) * [1.0, 100.0, 1e-6] + [0.0, 5.0, 1e3]
NAMES = ["a", "b", "c"]
SCALERS = [StreamScaler(), StreamScaler(extremes=16, gross="keep", with_centering=False)]


@pytest.fixture(params=SCALERS, ids=repr)
def scaler(request: pytest.FixtureRequest) -> StreamScaler:
    return clone(request.param)


@pytest.fixture
def frame() -> Any:
    return pytest.importorskip("pandas").DataFrame(ROWS, columns=NAMES, index=np.arange(900) * 3)


@pytest.mark.filterwarnings("ignore")
def test_the_contract_of_scikit_learn(scaler: StreamScaler) -> None:
    found = check_estimator(scaler, on_skip=None, on_fail=None)
    assert [(check["check_name"], str(check["exception"])) for check in found if check["status"] == "failed"] == []
    assert sum(check["status"] == "passed" for check in found) >= 40


class TestScaling:
    def test_clean_rows_are_scaled_as_by_the_standard_scaler(self) -> None:
        plain, ours = StandardScaler().fit(ROWS), StreamScaler().fit(ROWS)
        assert np.abs((ours.location_ - plain.mean_) / plain.scale_).max() < 0.01
        assert np.abs(ours.scale_ / plain.scale_ - 1.0).max() < 0.01
        np.testing.assert_allclose(ours.transform(ROWS), plain.transform(ROWS), atol=0.05)

    @pytest.mark.parametrize("gross", [1, 20, 23])
    def test_gross_rows_do_no_harm(self, gross: int) -> None:
        clean, spoilt = StreamScaler().fit(ROWS), ROWS.copy()
        spoilt[:gross] += 1e4 * clean.scale_
        ours, plain = StreamScaler().fit(spoilt), StandardScaler().fit(spoilt)
        assert np.abs((ours.location_ - clean.location_) / clean.scale_).max() < 0.02
        assert np.abs(ours.scale_ / clean.scale_ - 1.0).max() < 0.05
        assert (plain.scale_ > 100.0 * clean.scale_).all()

    def test_is_undone(self, scaler: StreamScaler) -> None:
        moved = scaler.fit(ROWS).transform(ROWS)
        np.testing.assert_allclose(scaler.inverse_transform(moved), ROWS, rtol=1e-12)

    def test_only_what_was_asked_for(self) -> None:
        whole = StreamScaler().fit(ROWS)
        width, place = whole.scale_, whole.location_
        assert np.array_equal(StreamScaler(with_scaling=False).fit(ROWS).transform(ROWS), ROWS - place)
        assert np.array_equal(StreamScaler(with_centering=False).fit(ROWS).transform(ROWS), ROWS / width)

    def test_columns_move_and_scale_alone(self) -> None:
        here = StreamScaler().fit(ROWS)
        there = StreamScaler().fit(ROWS * [2.0**40, 2.0**-20, -8.0])
        assert np.array_equal(there.scale_, here.scale_ * [2.0**40, 2.0**-20, 8.0])
        np.testing.assert_allclose(there.location_, here.location_ * [2.0**40, 2.0**-20, -8.0], rtol=1e-12, atol=1e-9)
        np.testing.assert_allclose(StreamScaler().fit(ROWS + 2.0**20).scale_[:2], here.scale_[:2], rtol=1e-6)

    @pytest.mark.parametrize("value", [0.0, 0.1, -1e300, 5e-324])
    def test_a_constant_column_has_scale_1(self, value: float) -> None:
        for rows in (1, 30, 500):
            scaler = StreamScaler().fit(np.full((rows, 1), value))
            assert scaler.scale_.tolist() == [1.0]
            assert scaler.transform([[value]]).tolist() == [[0.0]]

    def test_a_column_that_is_rarely_anything_has_a_scale(self) -> None:
        for ones in (1, 4, 20, 40):
            column = np.zeros((10_000, 1))
            column[:ones] = 1.0
            assert 0.0 < StreamScaler().fit(column).scale_[0] < 0.1

    def test_rows_at_the_edge_stay_finite(self) -> None:
        rows = np.full((100, 1), 1.7e308)
        rows[50:] = -1.7e308
        scaler = StreamScaler().fit(rows)
        assert np.isfinite(scaler.scale_).all()

    def test_nan_is_refused_when_learning_and_handed_on_after(self) -> None:
        holed = np.vstack([ROWS, [np.nan, 1.0, 1.0], [1.0, np.inf, 1.0]])
        scaler = StreamScaler().fit(holed)
        assert (scaler.n_samples_seen_, scaler.n_samples_refused_) == (900, 2)
        assert np.isnan(scaler.transform(holed[:901])).sum() == 1
        with pytest.raises(ValueError, match="infinity"):
            scaler.transform(holed)

    def test_nothing_to_scale_from(self) -> None:
        with pytest.raises(DataError, match="no row can be used: each of the 2 holds NaN or inf, in X; mend"):
            StreamScaler().fit([[np.nan], [np.inf]])
        with pytest.raises(NotFittedError):
            StreamScaler().transform(ROWS)
        with pytest.raises(NotFittedError, match="nothing to scale from: no row could be used so far, 1 were refused"):
            StreamScaler().partial_fit([[np.nan]]).transform([[1.0]])
        with pytest.raises(DataError, match="X has 2 columns, this scaler was fitted on 3"):
            StreamScaler().fit(ROWS).inverse_transform(ROWS[:, :2])


class TestStreams:
    def test_in_pieces_is_at_once(self, scaler: StreamScaler) -> None:
        whole = clone(scaler).fit(ROWS)
        for piece in np.split(ROWS, [1, 47, 48, 300]):
            scaler.partial_fit(piece)
        assert scaler.state_.same_bits(whole.state_)

    def test_merged_is_one_pass(self, scaler: StreamScaler) -> None:
        whole = clone(scaler).fit(ROWS)
        scaler.fit(ROWS[:300]).merge(clone(scaler).fit(ROWS[300:]))
        np.testing.assert_allclose(scaler.location_, whole.location_, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(scaler.scale_, whole.scale_, rtol=1e-9)
        with pytest.raises(RuleError, match="cannot take in a Mean"):
            scaler.merge(Mean().fit(ROWS))

    def test_saved_and_loaded(self, scaler: StreamScaler, frame: Any, tmp_path: Path) -> None:
        scaler.set_params(with_scaling=False, confidence=0.9).fit(frame).save(tmp_path / "scaler.tps")
        found = tailproof.load(tmp_path / "scaler.tps")
        assert found.get_params() == scaler.get_params()
        assert np.array_equal(found.transform(frame), scaler.transform(frame))
        assert found.feature_names_in_.tolist() == NAMES

    def test_the_command_line_looks_into_it(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        for name in "ab":
            StreamScaler().fit(ROWS).save(tmp_path / f"{name}.tps")
        assert main(["inspect", str(tmp_path / "a.tps")]) == 0
        shown = capsys.readouterr().out
        assert "Scales(of=Extremes(" in shown
        assert "scales: x0 0.9" in shown or "scales: x0 1" in shown
        assert main(["inspect", str(tmp_path / "a.tps"), "--json"]) == 0
        assert '"scale": ' in capsys.readouterr().out
        assert main(["merge", str(tmp_path / "a.tps"), str(tmp_path / "b.tps"), "-o", str(tmp_path / "c.tps")]) == 0
        merged = tailproof.load(tmp_path / "c.tps")
        assert (type(merged), merged.n_samples_seen_) == (StreamScaler, 1800)

    def test_a_rule_holds_a_sketch(self) -> None:
        with pytest.raises(RuleError, match=r"Scales holds Extremes, not Scales\("):
            Scales(of=Scales())
        assert tailproof.parse(repr(Scales())) == Scales(of=Extremes())

    def test_says_what_it_rests_on(self) -> None:
        scaler = StreamScaler(confidence=0.9).fit(ROWS)
        low, high = scaler.interval()
        assert ((low < scaler.location_) & (scaler.location_ < high)).all()
        assert (scaler.certificate() > 0.0).all()
        assert repr(scaler.estimate()).splitlines()[-1].startswith("scales: x0 ")
        assert [set(column) >= {"scale", "mean"} for column in scaler.estimate().to_dict()["columns"]] == [True] * 3


class TestFrames:
    def test_names_go_through(self, frame: Any) -> None:
        scaler = StreamScaler().fit(frame)
        assert scaler.get_feature_names_out().tolist() == NAMES
        assert StreamScaler().fit(ROWS).get_feature_names_out().tolist() == ["x0", "x1", "x2"]
        with pytest.raises(ValueError, match="input_features is not equal to feature_names_in_"):
            scaler.get_feature_names_out(["x", "y", "z"])

    @pytest.mark.parametrize("kind", ["pandas", "polars"])
    def test_frames_come_out_if_asked_for(self, frame: Any, kind: str) -> None:
        library = pytest.importorskip(kind)
        scaler = StreamScaler().set_output(transform=kind)
        handed = frame if kind == "pandas" else library.DataFrame(ROWS, schema=NAMES)
        moved = scaler.fit_transform(handed)
        assert isinstance(moved, library.DataFrame)
        assert list(moved.columns) == NAMES
        assert np.array_equal(moved.to_numpy(), StreamScaler().fit_transform(ROWS))
        if kind == "pandas":
            assert moved.index.equals(frame.index)

    @pytest.mark.filterwarnings("error")
    def test_what_was_scaled_needs_no_names_to_be_undone(self, frame: Any) -> None:
        scaler = StreamScaler().fit(frame)
        np.testing.assert_allclose(scaler.inverse_transform(scaler.transform(frame)), ROWS, rtol=1e-12)
        scaler.set_output(transform="pandas")
        np.testing.assert_allclose(scaler.inverse_transform(scaler.transform(frame)), ROWS, rtol=1e-12)


MODELS = [StreamScaler(), Mean(), LinearRegression(), LinearRegression(solver="sgd"), LogisticRegression()]


@pytest.mark.filterwarnings("ignore:not settled")
@pytest.mark.parametrize("model", MODELS, ids=repr)
class TestEveryModel:
    def test_is_shown_in_a_notebook(self, model: Any) -> None:
        for fitted in (model, clone(model).fit(ROWS, ROWS[:, 0] > RANDOM.standard_normal(900))):
            page = estimator_html_repr(fitted)
            assert type(model).__name__ in page
            assert "sk-estimator" in page
            assert fitted._repr_mimebundle_()["text/html"]

    def test_is_cloned_without_what_it_has_seen(self, model: Any) -> None:
        fitted = clone(model).fit(ROWS, ROWS[:, 0] > RANDOM.standard_normal(900))
        fresh = clone(fitted)
        assert fresh.get_params() == model.get_params()
        assert not hasattr(fresh, "state_")

    def test_is_pickled_and_goes_on(self, model: Any, tmp_path: Path, frame: Any) -> None:
        labels = ROWS[:, 0] > np.random.default_rng(2).standard_normal(900)
        fitted = clone(model).fit(frame, labels)
        joblib.dump(fitted, tmp_path / "model.joblib")
        expected = None
        for found in (pickle.loads(pickle.dumps(fitted)), joblib.load(tmp_path / "model.joblib"), fitted):
            assert found.feature_names_in_.tolist() == NAMES
            state = found.partial_fit(frame, labels).state_
            assert expected is None or state.same_bits(expected)
            expected = state

    def test_tells_scikit_learn_what_it_takes(self, model: Any) -> None:
        tags = model.__sklearn_tags__()
        assert tags.input_tags.allow_nan
        assert tags.target_tags.required == isinstance(model, LinearRegression | LogisticRegression)
        kind = {LinearRegression: "regressor", LogisticRegression: "classifier"}
        assert tags.estimator_type == kind.get(type(model))
        assert (tags.transformer_tags is not None) == isinstance(model, StreamScaler)
