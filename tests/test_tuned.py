"""TunedSGD: what it reaches with nothing to tune, on fixed streams, and what it says about itself."""

import math

import numpy as np
import pytest

from tailproof.domains import Ball, Box, Everywhere
from tailproof.errors import RuleError
from tailproof.losses import Huber, Logistic, Squared
from tailproof.tuned import PILOT, SMALL, TunedSGD, first_residual, held_squares

PLAIN = TunedSGD(intercept=False, bars="none")
BARS = ("sandwich", "jackknife")


def pareto(random, index, shape):
    """Centred, of variance 1."""
    mean, variance = 1.0 / (index - 1.0), index / ((index - 1.0) ** 2 * (index - 2.0))
    return (random.pareto(index, shape) - mean) / math.sqrt(variance)


def paper(random, rows, columns):
    """The paper's stream: skewed heavy-tailed features and noise, true slopes of length 1."""
    X, slopes = pareto(random, 4.1, (rows, columns)), np.ones(columns) / math.sqrt(columns)
    return X, X @ slopes + math.sqrt(0.75) * pareto(random, 2.1, rows), slopes


def gaussian(random, rows, columns):
    X, slopes = random.standard_normal((rows, columns)), np.ones(columns) / math.sqrt(columns)
    return X, X @ slopes + math.sqrt(0.75) * random.standard_normal(rows), slopes


def fit(rule, X, y):
    return rule.read(rule.step(rule.init(X.shape[1]), X, y))


def losses(draw, rows, columns, trials, rule=PLAIN, damage=lambda random, X, y: None):
    random, found = np.random.default_rng(4), []
    for _ in range(trials):
        X, y, slopes = draw(random, rows, columns)
        damage(random, X, y)
        found.append(np.linalg.norm(fit(rule, X, y).coef - slopes))
    return np.array(found)


# ---------------------------------------------------------------------------------------------- how near it comes


@pytest.mark.parametrize(
    ("rows", "columns", "trials", "mean", "worst"),
    [
        (100, 20, 300, 0.262, 0.56),
        (500, 20, 200, 0.065, 0.115),
        (1000, 20, 200, 0.043, 0.078),
        (1024, 256, 20, 0.33, 0.41),
    ],
)
def test_on_the_streams_of_the_paper(rows, columns, trials, mean, worst):
    found = losses(paper, rows, columns, trials)
    assert found.mean() <= mean
    assert found.max() <= worst


def test_on_gaussian_rows_it_is_near_least_squares():
    assert losses(gaussian, 1000, 20, 200).mean() <= 0.145
    assert losses(gaussian, 100_000, 20, 4).mean() <= 0.014


def test_one_in_a_hundred_targets_may_be_anything():
    def damage(random, X, y):
        hit = random.random(len(y)) < 0.01
        y[hit] += 1000.0 * random.choice([-1.0, 1.0], hit.sum())

    assert losses(gaussian, 1000, 20, 100, damage=damage).mean() <= 0.165


def test_one_in_a_hundred_rows_may_be_bad_leverage():
    def damage(random, X, y):
        hit = random.random(len(y)) < 0.01
        X[hit] += 100.0 * random.standard_normal((hit.sum(), X.shape[1]))

    assert losses(gaussian, 1000, 20, 100, damage=damage).mean() <= 0.165


def test_units_do_not_matter():
    X, y, slopes = paper(np.random.default_rng(1), 1000, 20)
    unit = 10.0 ** np.linspace(-6.0, 6.0, 20)
    own = np.linalg.norm(fit(PLAIN, X * unit, y).coef * unit - slopes)
    assert own == pytest.approx(np.linalg.norm(fit(PLAIN, X, y).coef - slopes), rel=0.03)


@pytest.mark.parametrize("bars", ["none", *BARS])
def test_with_an_intercept_the_origin_does_not_matter(bars):
    X, y, _ = paper(np.random.default_rng(2), 1000, 20)
    rule = TunedSGD(bars=bars)
    here, there = fit(rule, X, y), fit(rule, X + 1e4, y + 3e3)
    np.testing.assert_allclose(there.coef, here.coef, atol=1e-6)
    assert there.intercept == pytest.approx(here.intercept + 3e3 - 1e4 * here.coef.sum(), rel=1e-9)
    if bars != "none":
        np.testing.assert_allclose(there.spread.error[:-1], here.spread.error[:-1], rtol=1e-6)


def test_the_intercept_is_that_of_the_mean_not_of_the_median():
    random, found = np.random.default_rng(3), []
    for _ in range(40):
        X, y, _ = paper(random, 4000, 5)
        found.append(fit(TunedSGD(bars="none"), X, y).intercept)
    # The median of the noise is half a standard deviation lower.
    assert abs(np.mean(found)) < 0.02


def test_a_far_start_is_forgotten():
    X, _, slopes = gaussian(np.random.default_rng(5), 4000, 5)
    y = X @ slopes * 1e6 + np.random.default_rng(6).standard_normal(4000)
    assert np.linalg.norm(fit(PLAIN, X, y).coef - 1e6 * slopes) < 1.0


def test_without_noise_it_is_exact():
    X = np.random.default_rng(7).standard_normal((2000, 5))
    said = fit(TunedSGD(), X, X @ np.arange(5.0) + 5.0)
    np.testing.assert_allclose(said.spread.centre, [0.0, 1.0, 2.0, 3.0, 4.0, 5.0], atol=1e-10)


def test_log_odds_are_near_those_of_maximum_likelihood():
    random = np.random.default_rng(8)
    X = pareto(random, 4.1, (40_000, 10))
    y = (random.random(40_000) < 1.0 / (1.0 + np.exp(-X @ np.ones(10) / math.sqrt(10.0)))).astype(float)
    best = maximum_likelihood(X, y)
    said = fit(TunedSGD(loss=Logistic(), intercept=False), X, y)
    assert (np.abs(said.coef - best) < said.spread.error).all()


def maximum_likelihood(X, y):
    theta = np.zeros(X.shape[1])
    for _ in range(20):
        chance = 1.0 / (1.0 + np.exp(-X @ theta))
        theta += np.linalg.solve((X * (chance * (1.0 - chance))[:, None]).T @ X, X.T @ (y - chance))
    return theta


def test_slopes_stay_in_their_ball():
    X, y, _ = gaussian(np.random.default_rng(9), 2000, 5)
    said = fit(TunedSGD(domain=Ball(0.3)), X, 10.0 + y)
    assert np.linalg.norm(said.coef) <= 0.3 * (1 + 1e-12)
    assert np.linalg.norm(said.coef) > 0.25
    assert said.intercept == pytest.approx(10.0, abs=0.2)


# ------------------------------------------------------------------------------------------------- rows that hurt


def hostile():
    """Streams of 2,000 rows, each with what no fit may be thrown by; the true slopes, or None where there are none."""
    random = np.random.default_rng(10)
    X, noise, ones = random.standard_normal((2000, 5)), random.standard_normal(2000), np.ones(5)
    y = X @ ones + noise

    def changed(array, at, value):
        array = array.copy()
        array[at] = value
        return array

    yield "x 1e12 early", changed(X, 3, 1e12 * X[3]), y, ones
    yield "x 1e12 late", changed(X, 1000, 1e12 * X[1000]), y, ones
    yield "a cell 1e12", changed(X, (1000, 2), 1e12), y, ones
    yield "y 1e12 early", X, changed(y, 3, 1e12), ones
    yield "y -1e12 late", X, changed(y, 1000, -1e12), ones
    zero, same, constant = changed(X, (slice(None), 0), 0.0), changed(X, (slice(None), 1), X[:, 0]), X.copy()
    constant[:, 0] = 7.0
    yield "a column of zeros", zero, zero @ ones + noise, None
    yield "a column twice", same, same @ ones + noise, None
    yield "a constant column", constant, constant @ ones + noise, None
    sparse, one_hot = X * (random.random(X.shape) < 0.1), np.eye(5)[random.integers(0, 5, 2000)]
    yield "a tenth not zero", sparse, sparse @ ones + noise, ones
    yield "one-hot", one_hot, one_hot @ np.arange(5.0) + noise, None
    yield "y = 0", X, 0.0 * y, 0.0 * ones
    yield "no noise", X, X @ ones, ones
    yield "1e308 here and there", np.where(random.random(X.shape) < 0.01, 1e308, X), y, ones


@pytest.mark.parametrize("case", list(hostile()), ids=lambda case: case[0])
@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("bars", ["none", *BARS])
def test_nothing_throws_it(case, intercept, bars):
    _, X, y, slopes = case
    said = fit(TunedSGD(intercept=intercept, bars=bars), X, y)
    assert np.isfinite(said.spread.centre).all()
    assert (bars == "none") == np.isnan(said.low).any()
    if slopes is not None:
        least = np.linalg.lstsq(X / np.abs(X).max(), y, rcond=None)[0] / np.abs(X).max()
        assert np.abs(said.coef - slopes).max() <= 10.0 * np.abs(least - slopes).max() + 1e-9
    if slopes is None and intercept:
        assert np.abs(y - X @ said.coef - said.intercept).mean() < 0.95


@pytest.mark.parametrize("rows", range(1, 11))
@pytest.mark.parametrize("loss", [Squared(), Logistic()])
@pytest.mark.parametrize("bars", ["none", *BARS])
def test_few_rows(rows, loss, bars):
    X = np.random.default_rng(rows).standard_normal((rows, 4))
    said = fit(TunedSGD(loss=loss, bars=bars), X, (X[:, 0] > 0.0).astype(float))
    assert said.rows == rows
    assert np.isfinite(said.spread.centre).all()
    assert np.isinf(said.certificate).all() == (rows < PILOT)
    assert not said.settled


def test_a_state_of_no_rows_says_so():
    said = TunedSGD().read(TunedSGD().init(3))
    assert said.verdict == "no rows"
    assert said.warnings == []


def test_separable_labels_have_a_finite_answer():
    X = np.random.default_rng(11).standard_normal((3000, 4))
    said = fit(TunedSGD(loss=Logistic()), X, (X.sum(axis=1) > 0.0).astype(float))
    assert np.isfinite(said.spread.centre).all()
    assert (said.coef > 1.0).all()


@pytest.mark.parametrize("rows", [200, 1000, 5000])
def test_labels_that_a_gap_parts_are_called_separable(rows):
    random = np.random.default_rng(13)
    y = random.integers(0, 2, rows).astype(float)
    X = np.column_stack([y * 4.0 + random.uniform(-1.0, 1.0, rows), random.standard_t(2.1, rows)])
    rule = TunedSGD(loss=Logistic())
    halves = [rule.step(rule.init(2), X[k::2], y[k::2]) for k in range(2)]
    for said in (fit(rule, X, y), rule.read(rule.merge(*halves))):
        assert any("separable" in warning for warning in said.warnings)
        assert not said.settled


@pytest.mark.parametrize("rare", [0.5, 0.01])
def test_labels_with_an_error_in_a_hundred_are_not_called_separable(rare):
    random = np.random.default_rng(14)
    for _ in range(20):
        y = (random.random(2000) < rare).astype(float)
        X = (y * 6.0 + random.uniform(-1.0, 1.0, 2000))[:, None]
        wrong = random.random(2000) < 0.01
        said = fit(TunedSGD(loss=Logistic()), X, np.where(wrong, 1.0 - y, y))
        assert not said.separable


# ---------------------------------------------------------------------------------------------- what it says of itself


@pytest.mark.parametrize("bars", BARS)
@pytest.mark.parametrize("loss", [Squared(), Logistic()], ids=repr)
def test_intervals_hold_the_truth(bars, loss):
    random, held, settled = np.random.default_rng(12), [], []
    rule = TunedSGD(loss=loss, bars=bars)
    for _ in range(60):
        X, y, slopes = paper(random, 2000, 5)
        if isinstance(loss, Logistic):
            y = (random.random(2000) < 1.0 / (1.0 + np.exp(-X @ slopes))).astype(float)
        said = fit(rule, X, y)
        truth = np.append(slopes, 0.0)
        held.append((said.low <= truth) & (truth <= said.high))
        settled.append(said.settled)
    assert np.mean(settled) >= 0.85
    # .95 less two and a half standard errors of a share of 360, of which those of one trial go together.
    assert np.mean(held) >= 0.92
    assert np.mean(held, axis=0).min() >= 0.85


@pytest.mark.parametrize("bars", BARS)
def test_intervals_are_of_the_size_of_least_squares(bars):
    X, y, _ = gaussian(np.random.default_rng(13), 10_000, 5)
    error = fit(TunedSGD(bars=bars), X, y).spread.error
    ratio = error / math.sqrt(0.75 / 10_000)
    assert (ratio < (1.1 if bars == "sandwich" else 2.5)).all()
    assert (ratio > (0.9 if bars == "sandwich" else 0.3)).all()


@pytest.mark.parametrize("bars", BARS)
def test_merged_intervals_hold_the_truth(bars):
    random, held, rule = np.random.default_rng(14), [], TunedSGD(bars=bars)
    for _ in range(20):
        X, y, slopes = paper(random, 8000, 5)
        merged = rule.init(5)
        for part in range(8):
            at = slice(1000 * part, 1000 * (part + 1))
            merged = rule.merge(merged, rule.step(rule.init(5), X[at], y[at]))
        said = rule.read(merged)
        truth = np.append(slopes, 0.0)
        held.append((said.low <= truth) & (truth <= said.high))
    assert np.mean(held) >= 0.9
    assert "8 separate descents" in said.note


def test_auto_is_the_sandwich_for_few_features_and_the_jackknife_for_many():
    rule = TunedSGD()
    assert len(rule.init(SMALL).curvature) == SMALL + 1
    assert not len(rule.init(SMALL).replicas)
    assert len(rule.init(SMALL + 1).replicas) == 8
    assert not len(rule.init(SMALL + 1).curvature)


def test_without_bars_nothing_is_kept_for_them_and_nothing_is_said():
    X, y, _ = gaussian(np.random.default_rng(15), 500, 3)
    said = fit(TunedSGD(bars="none"), X, y)
    assert np.isnan(said.low).all()
    assert np.isnan(said.high).all()
    assert TunedSGD(bars="none").init(100).nbytes < 8 * 100 * (4 + PILOT + 1)


def test_bars_do_not_change_the_coefficients():
    X, y, _ = paper(np.random.default_rng(16), 500, 3)
    plain = fit(TunedSGD(bars="none"), X, y).spread.centre
    for bars in BARS:
        np.testing.assert_allclose(fit(TunedSGD(bars=bars), X, y).spread.centre, plain, rtol=1e-9)


def test_it_is_not_settled_before_it_has_forgotten_its_start():
    random = np.random.default_rng(17)
    X = random.standard_normal((40_000, 20))
    for j in range(1, 20):
        X[:, j] = 0.95 * X[:, j - 1] + math.sqrt(1.0 - 0.95**2) * X[:, j]
    y = X @ (-1.0) ** np.arange(20) + 0.1 * random.standard_normal(40_000)
    early = fit(TunedSGD(), X[:300], y[:300])
    assert not early.settled
    assert early.verdict.startswith("not settled")
    assert not fit(TunedSGD(), X[:50], y[:50]).settled


def test_columns_of_which_nothing_is_learnt_are_named():
    random = np.random.default_rng(18)
    X, y = random.standard_normal((500, 4)), random.standard_normal(500)
    X[:, 1] = 3.0
    X[:, 2] = 0.0
    X[77, 2] = 1.0
    said = fit(TunedSGD(), X, y).replace(names=["a", "b", "c", "d"])
    assert said.unheard == (1, 2)
    assert [words for words in said.warnings if "constant" in words and "b, c" in words]
    assert np.isinf(said.high[1:3]).all()
    assert np.isfinite(said.high[[0, 3, 4]]).all()
    # Without an intercept a constant column is one.
    assert fit(TunedSGD(intercept=False), X, y).unheard == (2,)


def test_fewer_rows_than_columns_are_pointed_out():
    X = np.random.default_rng(19).standard_normal((15, 30))
    assert any("fewer rows (15) than coefficients (31)" in words for words in fit(TunedSGD(), X, X[:, 0]).warnings)


@pytest.mark.parametrize("rows", [9, 300])
def test_a_target_that_is_always_the_same_is_pointed_out(rows):
    X = np.random.default_rng(20).standard_normal((rows, 2))
    rule = TunedSGD()
    same, other = rule.step(rule.init(2), X, np.full(rows, 4.0)), rule.step(rule.init(2), X, np.full(rows, 5.0))
    assert any("the target is the same" in words for words in rule.read(same).warnings)
    assert not rule.read(rule.merge(same, other)).constant_target
    assert not fit(rule, X, X[:, 0]).constant_target


def test_labels_other_than_0_and_1_are_refused_and_counted():
    X = np.random.default_rng(21).standard_normal((50, 2))
    y = (X[:, 0] > 0.0).astype(float)
    y[[3, 20]] = 0.5, np.nan
    said = fit(TunedSGD(loss=Logistic()), X, y)
    assert (said.rows, said.refused) == (48, 2)


def test_bad_settings_are_refused():
    for wrong in (
        {"loss": Huber()},
        {"bars": "all"},
        {"intercept": 1},
        {"domain": Ball},
        {"domain": "everywhere"},
    ):
        with pytest.raises(RuleError):
            TunedSGD(**wrong)
    with pytest.raises(RuleError, match="at least one feature"):
        TunedSGD().init(0)
    with pytest.raises(RuleError, match="needs a target"):
        TunedSGD().step(TunedSGD().init(1), [[1.0]])


def test_a_box_can_be_its_domain():
    X, y, _ = gaussian(np.random.default_rng(22), 1000, 3)
    said = fit(TunedSGD(domain=Box(-0.2, 0.2)), X, y)
    assert (np.abs(said.coef) <= 0.2).all()
    assert TunedSGD(domain=Everywhere()) == TunedSGD()


# ------------------------------------------------------------------------------------------------- the first rows


def test_the_first_scale_solves_its_equation():
    squares = np.sort(np.random.default_rng(23).pareto(1.0, 9) ** 2)
    total = held_squares(squares, 3.0)
    assert np.minimum(squares, total / 3.0).sum() == pytest.approx(total)
    assert held_squares(np.zeros(9), 3.0) == 0.0


def test_the_first_residual_is_never_nothing():
    assert first_residual(np.array([1.0, -2.0, 3.0])) == 2.0
    assert first_residual(np.array([0.0, 0.0, 5.0])) == 5.0
    assert first_residual(np.zeros(3)) > 0.0


# ---------------------------------------------------------------------------------------------- more features


@pytest.mark.parametrize("bars", ["none", *BARS])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("rows", [0, 5, PILOT, 300])
def test_new_features_have_been_0_so_far(bars, intercept, rows):
    rule = TunedSGD(intercept=intercept, bars=bars)
    X, y, _ = paper(np.random.default_rng(5), rows, 4)
    state = rule.step(rule.init(4), X, y)
    wide = rule.widened(state, 6)
    assert wide.layout == rule.layout(6)
    if rows < PILOT:
        assert wide.same_bits(rule.step(rule.init(6), np.c_[X, np.zeros((rows, 2))], y))
    else:
        here, there = rule.coefficients(state), rule.coefficients(wide)
        assert np.array_equal(np.delete(there, [4, 5]), here)
        assert not there[4:6].any()


@pytest.mark.parametrize("bars", ["none", *BARS])
def test_a_new_feature_is_learnt_and_the_others_stay(bars):
    rule, random = TunedSGD(bars=bars), np.random.default_rng(6)
    X, y, slopes = gaussian(random, 4000, 4)
    state = rule.widened(rule.step(rule.init(4), X, y), 5)
    X, y, _ = gaussian(random, 1000, 4)
    late = random.standard_normal(1000)
    said = rule.read(rule.step(state, np.c_[X, late], y + 10.0 * late))
    np.testing.assert_allclose(said.coef, [*slopes, 10.0], atol=0.15)


def test_matrices_are_not_widened_beyond_where_they_are_kept():
    with pytest.raises(RuleError, match="64 features"):
        TunedSGD().widened(TunedSGD().init(SMALL), SMALL + 1)


@pytest.mark.parametrize("rule", [TunedSGD(), TunedSGD(loss=Logistic(), bars="none")])
def test_rows_handed_on_one_by_one_give_the_same_bits(rule):
    X, y, _ = paper(np.random.default_rng(7), 200, 4)
    y = (y > 0.0).astype(float)
    X[50, 2] = np.nan
    state = rule.init(4)
    take = rule.taker(state)
    for k in range(200):
        take(X[k : k + 1], y[k : k + 1])
    assert state.same_bits(rule.step(rule.init(4), X, y))
    assert np.array_equal(rule.coefficients(state), rule.read(state).spread.centre)
