"""Gram: what it promises beyond the laws."""

from functools import reduce

import numpy as np
import pytest

from tailproof.domains import Ball
from tailproof.errors import RuleError
from tailproof.gram import Gram
from tailproof.losses import Huber, Logistic, Squared

CHANCES = Gram(loss=Logistic())


def pareto(random, index, *shape):
    """A skewed law of mean 0 and variance 1, of that tail index."""
    mean, square = index / (index - 1.0), index / (index - 2.0)
    return (random.pareto(index, shape) + 1.0 - mean) / np.sqrt(square - mean**2)


def heavy(rows=4000, columns=5, seed=0):
    random = np.random.default_rng(seed)
    X = pareto(random, 4.1, rows, columns)
    return X, X.sum(axis=1) + pareto(random, 2.1, rows)


def plain(rows=4000, columns=5, seed=0):
    random = np.random.default_rng(seed)
    X = random.standard_normal((rows, columns))
    return X, X.sum(axis=1) + random.standard_normal(rows)


def labelled(rows=2000, columns=4, seed=0):
    random = np.random.default_rng(seed)
    X = random.standard_normal((rows, columns))
    return X, (X.sum(axis=1) + random.logistic(size=rows) > 0.0).astype(float)


def taken(rule, X, y, cuts=()):
    state = rule.init(X.shape[1])
    for rows, targets in zip(np.split(X, cuts), np.split(y, cuts), strict=True):
        state = rule.step(state, rows, targets)
    return state


def fitted(rule, X, y):
    return rule.read(taken(rule, X, y))


def least_squares(X, y):
    return np.linalg.lstsq(np.column_stack([X, np.ones(len(X))]), y, rcond=None)[0]


def away(said, truth=1.0):
    return float(np.linalg.norm(said.coef - truth))


# ------------------------------------------------------------------------------------------------------ accuracy


@pytest.mark.parametrize("rows", [400, 4000])
def test_on_gaussian_rows_it_is_least_squares(rows):
    X, y = plain(rows)
    said = fitted(Gram(), X, y)
    np.testing.assert_allclose(said.spread.centre, least_squares(X, y), atol=1e-9)
    np.testing.assert_allclose(said.least_squares, least_squares(X, y), atol=1e-9)
    assert said.clipped == 0


def test_heavy_tails_cost_less_than_by_least_squares():
    ours, theirs = [], []
    for seed in range(20):
        X, y = heavy(1000, 10, seed)
        ours.append(away(fitted(Gram(), X, y)))
        theirs.append(np.linalg.norm(least_squares(X, y)[:-1] - 1.0))
    assert np.mean(ours) < 0.85 * np.mean(theirs)


@pytest.mark.parametrize("value", [1000.0, 1e12])
@pytest.mark.parametrize("where", ["target", "features"])
def test_one_gross_row_in_a_hundred_is_set_aside(where, value):
    X, y = plain(20_000)
    clean = away(fitted(Gram(), X, y))
    Z, w = X.copy(), y.copy()
    (w if where == "target" else Z)[::100] *= value
    said = fitted(Gram(), Z, w)
    assert away(said) < 1.3 * clean
    assert said.set_aside >= 195
    assert "set aside" in said.verdict


def test_the_wildest_row_among_gross_rows_changes_nothing():
    X, y = plain(5000)
    y[::100] += 1000.0
    y[4321] = 1e12
    assert away(fitted(Gram(), X, y)) < 0.1


def test_gross_rows_can_be_kept():
    X, y = plain(20_000)
    y[::100] += 1000.0
    said = fitted(Gram(outliers="keep"), X, y)
    assert said.set_aside == 0
    assert abs(said.intercept - 10.0) < 3.0


def test_rows_of_mostly_zeros_are_no_gross_rows():
    random = np.random.default_rng(3)
    X = random.standard_normal((20_000, 5))
    y = (random.random(20_000) < 0.1) * (10.0 * X.sum(axis=1) + random.standard_normal(20_000))
    said = fitted(Gram(), X, y)
    assert said.set_aside == 0
    np.testing.assert_allclose(said.coef, least_squares(X, y)[:-1], atol=0.02)


# ---------------------------------------------------------------------------------------- units, places, chunks


@pytest.mark.parametrize("count", [20, 100, 340])
def test_rows_of_a_rare_kind_are_not_gross(count):
    X, y = plain(100_000, 4)
    X[:, 3] = 0.0
    X[np.random.default_rng(5).choice(len(X), count, replace=False), 3] = 1.0
    said = fitted(Gram(), X, y + 2.0 * X[:, 3])
    assert said.set_aside == 0
    assert abs(said.coef[3] - least_squares(X, y + 2.0 * X[:, 3])[3]) < 0.5 / np.sqrt(count)


def test_among_rows_of_a_rare_kind_a_wild_one_has_little_say():
    X, y = plain(20_000, 4)
    X[:, 3] = 0.0
    X[np.random.default_rng(5).choice(len(X), 15, replace=False), 3] = 1.0
    calm = fitted(Gram(), X, y)
    X[np.flatnonzero(X[:, 3])[3], 3], y[7] = 1e6, 1e9
    wild = fitted(Gram(), X, y)
    assert np.isinf(calm.certificate).all()
    assert abs(wild.coef[3] - calm.coef[3]) < 1.5
    np.testing.assert_allclose(wild.coef[:3], calm.coef[:3], atol=0.05)


@pytest.mark.parametrize("intercept", [True, False])
def test_least_squares_knows_of_the_gross_rows(intercept):
    X, y = plain(20_000)
    random = np.random.default_rng(8)
    y[::100] += random.choice([-1e3, 1e3], 200)
    y[50::200] += 5e3 * random.standard_normal(100)
    rule = Gram(intercept=intercept)
    terms = np.column_stack([X, np.ones(len(X))]) if intercept else X
    wanted = np.linalg.lstsq(terms, y, rcond=None)[0]
    said = fitted(rule, X, y)
    assert said.set_aside
    np.testing.assert_allclose(said.least_squares, wanted, rtol=1e-9)
    parts = [rule.step(rule.init(X.shape[1]), X[k::2], y[k::2]) for k in range(2)]
    np.testing.assert_allclose(rule.read(rule.merge(*parts)).least_squares, wanted, rtol=1e-9)


@pytest.mark.parametrize("size", [1e300, 1e-300])
def test_intervals_are_in_the_units_of_the_target(size):
    X, y = plain(400)
    here, there = fitted(Gram(), X, y), fitted(Gram(), X, size * y)
    np.testing.assert_allclose(there.low / size, here.low, rtol=1e-9)
    np.testing.assert_allclose(there.high / size, here.high, rtol=1e-9)


@pytest.mark.parametrize("intercept", [True, False])
def test_rows_that_are_told_exactly_say_nothing_of_errors(intercept):
    X, y = plain(5 + intercept)
    said = fitted(Gram(intercept=intercept), X, y)
    assert np.isinf(said.low).all()
    assert np.isinf(said.high).all()


def test_features_may_be_mixed_and_scaled():
    X, y = heavy()
    random = np.random.default_rng(1)
    mix = random.standard_normal((5, 5)) * 10.0 ** random.uniform(-3.0, 3.0, 5)
    here, there = fitted(Gram(), X, y), fitted(Gram(), X @ mix, y)
    np.testing.assert_allclose(mix @ there.coef, here.coef, atol=1e-8)


def test_places_do_not_matter():
    X, y = heavy()
    here, there = fitted(Gram(), X, y), fitted(Gram(), X + 1e4, y + 3e3)
    np.testing.assert_allclose(there.coef, here.coef, atol=1e-11)
    there = fitted(Gram(), X, y + 1e6 * X.sum(axis=1))
    np.testing.assert_allclose(there.coef - 1e6, here.coef, atol=1e-8)
    np.testing.assert_allclose(fitted(Gram(), X, 1e6 * y).coef, 1e6 * here.coef, rtol=1e-9)


@pytest.mark.parametrize("rule", [Gram(), Gram(intercept=False), CHANCES], ids=repr)
@pytest.mark.parametrize("columns", [1, 5, 70])
def test_any_chunking_gives_the_same_bits(rule, columns):
    X, y = heavy(2600, columns)
    y = (y > 0.0).astype(float) if rule is CHANCES else y
    X[77] = np.nan
    X[1500, 0] = np.inf
    whole = taken(rule, X, y)
    random = np.random.default_rng(2)
    for pieces in (2, 40, 300):
        assert taken(rule, X, y, np.sort(random.choice(len(X), pieces, replace=False))).same_bits(whole)
    assert whole.counts[1] == 2


# -------------------------------------------------------------------------------------------------------- merging


@pytest.mark.parametrize("intercept", [True, False])
def test_sixteen_parts_are_as_good_as_one_stream(intercept):
    rule, ours, theirs = Gram(intercept=intercept), [], []
    for seed in range(4):
        X, y = heavy(16_000, 5, seed)
        ours.append(away(rule.read(reduce(rule.merge, parts(rule, X, y, 16)))))
        theirs.append(away(fitted(rule, X, y)))
    assert np.mean(ours) == pytest.approx(np.mean(theirs), rel=0.02)


def test_parts_in_other_places_and_units_merge():
    X, y = plain(3000, 3)
    X[1500:] += 1e4
    y[1500:] += 3e4
    rule = Gram()
    said = rule.read(reduce(rule.merge, parts(rule, X, y, 2)))
    np.testing.assert_allclose(said.coef, least_squares(X - 5e3, y)[:-1], atol=1e-6)


def test_merged_counts_add_and_the_empty_state_is_neutral():
    X, y = heavy(3000)
    rule = Gram()
    a, b = parts(rule, X, y, 2)
    assert rule.merge(a.copy(), rule.init(5)).same_bits(a)
    assert rule.merge(rule.init(5), b.copy()).same_bits(b)
    said = rule.read(rule.merge(a, b))
    assert said.rows == 3000
    assert any("merged from 2 parts" in warning for warning in said.warnings)


def parts(rule, X, y, count):
    pieces = zip(np.array_split(X, count), np.array_split(y, count), strict=True)
    return [taken(rule, rows, targets) for rows, targets in pieces]


# ---------------------------------------------------------------------------------------------------- odd columns


@pytest.mark.parametrize("rows", [150, 3000])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("loss", [Squared(), Logistic()], ids=repr)
@pytest.mark.parametrize("unit", [1e-12, 1.0, 1e12])
def test_redundant_columns_are_named(rows, intercept, loss, unit):
    X, y = plain(rows)
    X[:, 1] = X[:, 0] * unit
    X[:, 3] = 7.0 * unit
    said = fitted(Gram(loss=loss, intercept=intercept), X, (y > 0.0) * 1.0 if loss == Logistic() else y)
    assert said.redundant == ((0, 1, 3) if intercept else (0, 1))
    assert any("x0, x1" in warning for warning in said.warnings)
    assert np.isfinite(said.spread.centre).all()
    assert abs(said.coef[2] - 1.0) < (0.4 if loss == Squared() else 10.0)


@pytest.mark.parametrize("loss", [Squared(), Logistic()], ids=repr)
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("rows", range(21))
def test_few_rows_have_a_finite_answer(rows, intercept, loss):
    X, y = plain(rows)
    said = fitted(Gram(loss=loss, intercept=intercept), X, (y > 0.0) * 1.0 if loss == Logistic() else y)
    assert np.isfinite(said.spread.centre).all() == (rows > 0)
    assert said.to_json()
    assert any("fewer rows" in warning for warning in said.warnings) == (0 < rows < 5 + intercept)


def test_a_constant_target_is_said():
    X, _ = plain(500)
    said = fitted(Gram(), X, np.full(500, 5.0))
    np.testing.assert_allclose(said.spread.centre, [0.0] * 5 + [5.0], atol=1e-12)
    assert any("the same in every row" in warning for warning in said.warnings)


@pytest.mark.parametrize("rows", [100, 1000, 5000])
@pytest.mark.parametrize("intercept", [True, False])
def test_separable_labels_are_said(rows, intercept):
    X, _ = plain(rows)
    said = fitted(Gram(loss=Logistic(), intercept=intercept), X, (X.sum(axis=1) > 0.0).astype(float))
    assert np.isfinite(said.coef).all()
    assert (said.coef > 0.0).all()
    assert any("separable" in warning for warning in said.warnings)
    assert not said.settled


def test_labels_that_overlap_are_not_called_separable():
    said = fitted(CHANCES, *labelled())
    assert said.warnings == []
    assert away(said) < 0.3


@pytest.mark.parametrize("value", [1e308, -1e308, 1e12, 5e-324])
@pytest.mark.parametrize("row", [0, 50, 400, 1999])
@pytest.mark.parametrize("where", ["target", "features"])
def test_the_wildest_values_do_no_harm(value, row, where):
    X, y = plain(2000)
    (y if where == "target" else X)[row] = value
    state = taken(Gram(), X, y)
    assert all(np.isfinite(array).all() for array in state.values())
    assert away(Gram().read(state)) < 0.15


# -------------------------------------------------------------------------------------------------------- domain


@pytest.mark.parametrize("rule", [Gram(domain=Ball(1.0)), Gram(loss=Logistic(), domain=Ball(1.0))], ids=repr)
def test_slopes_stay_in_the_ball(rule):
    X, y = labelled() if isinstance(rule.loss, Logistic) else plain(2000, 4)
    said = fitted(rule, X, y)
    assert np.linalg.norm(said.coef) <= 1.0 + 1e-9
    assert np.linalg.norm(said.coef) > 0.99
    assert away(said, 0.5) < 0.1


def test_a_wide_ball_changes_nothing():
    X, y = plain()
    np.testing.assert_allclose(fitted(Gram(domain=Ball(100.0)), X, y).coef, fitted(Gram(), X, y).coef, rtol=1e-12)


# ----------------------------------------------------------------------------------------------------- certificate


def adversaries(said, X, random, labels):
    """Rows near and far, in many directions, with targets beside what is predicted and far from it."""
    scale, middle = X.std(axis=0), np.median(X, axis=0)
    for _ in range(25):
        way = random.standard_normal(X.shape[1]) if random.random() < 0.6 else np.eye(X.shape[1])[0]
        far = 10.0 ** random.choice([-1.0, 0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 6.0, 12.0])
        row = middle + scale * way * far
        expected = float(row @ said.coef + said.intercept)
        near = [expected + side * far * 10.0 ** random.uniform(-1.0, 2.0) for side in (-1.0, 1.0)]
        for target in [0.0, 1.0] if labels else [expected, 1e12, -1e12, *near]:
            yield row[None], np.array([target])


@pytest.mark.parametrize("rule", [Gram(), Gram(intercept=False), CHANCES], ids=repr)
@pytest.mark.parametrize("rows", [120, 250, 1500])
@pytest.mark.parametrize("gross", [0, 1, 4, 8])
def test_no_row_moves_a_coefficient_by_more_than_its_certificate(rule, rows, gross):
    random = np.random.default_rng(rows + gross)
    X, y = heavy(rows, 3, rows + gross) if gross % 2 else plain(rows, 3, rows + gross)
    y[:gross] = 1000.0
    y = (y > 0.0).astype(float) if rule is CHANCES else y
    state = taken(rule, X, y)
    said = rule.read(state)
    np.testing.assert_array_equal(said.certificate, rule.certificate(state))
    for row, target in adversaries(said, X, random, rule is CHANCES):
        after = rule.read(rule.step(state.copy(), row, target))
        assert (np.abs(after.spread.centre - said.spread.centre) <= said.certificate).all()


@pytest.mark.parametrize("rule", [Gram(), CHANCES], ids=repr)
def test_the_certificate_is_of_the_size_of_the_error(rule):
    X, y = labelled(1000, 5) if rule is CHANCES else plain(1000)
    said = fitted(rule, X, y)
    assert (said.certificate < 4.0 * said.spread.error).all()
    assert (said.certificate > 0.0).all()


def test_too_few_rows_have_no_certificate():
    assert np.isinf(fitted(Gram(), *plain(20)).certificate).all()


# -------------------------------------------------------------------------------------------------------- settings


def test_bad_settings_are_refused():
    for bad in ({"loss": Huber()}, {"outliers": "drop"}, {"domain": 3}):
        with pytest.raises(RuleError):
            Gram(**bad)


def test_without_targets_there_is_no_regression():
    with pytest.raises(RuleError, match="needs targets"):
        Gram().step(Gram().init(2), np.ones((3, 2)))


def test_without_bars_less_is_kept_and_no_interval_told():
    X, y = plain(500)
    assert Gram(bars=False).init(5).nbytes < Gram().init(5).nbytes
    assert np.isnan(fitted(Gram(bars=False), X, y).low).all()
