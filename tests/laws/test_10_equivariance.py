"""Where a rule is equivariant the whole path is, to rounding."""

import numpy as np
import pytest

from tailproof.clipped import ClippedSGD
from tailproof.compare_means import CompareMeans
from tailproof.domains import Everywhere
from tailproof.gram import Gram
from tailproof.levels import SelfTuned
from tailproof.losses import Logistic, Squared
from tailproof.tuned import TunedSGD
from tests.laws.catalogue import GROUPED, HOLDING, REGRESSIONS, SKETCHES, estimate, name, stream, taken

MEANS = [*SKETCHES, ClippedSGD(bars=True), ClippedSGD(), CompareMeans(), *GROUPED]
# A ball has its own units.
FREE = [*(rule for rule in REGRESSIONS if rule.domain == Everywhere()), *HOLDING[:-1]]
CENTRED = [rule for rule in FREE if getattr(rule, "intercept", True)]
LENGTHS = (1, 5, 30, 48, 49, 200, 700)


@pytest.mark.parametrize("rule", MEANS, ids=name)
def test_the_mean_moves_with_its_rows(rule):
    X, y = stream()
    for shift in (1e-3, 64.0, -1e6):
        for rows in LENGTHS:
            here = estimate(rule, taken(rule, X[:rows], y[:rows]))
            there = estimate(rule, taken(rule, X[:rows] + shift, y[:rows]))
            np.testing.assert_allclose(there, here + shift, rtol=1e-11, atol=1e-11 * abs(shift))


@pytest.mark.parametrize("rule", MEANS, ids=name)
def test_the_mean_scales_with_its_rows(rule):
    X, y = stream()
    for factor in (2.0**-60, 2.0**40, -8.0):
        for rows in LENGTHS:
            here = estimate(rule, taken(rule, X[:rows], y[:rows]))
            there = estimate(rule, taken(rule, X[:rows] * factor, y[:rows]))
            np.testing.assert_allclose(there, here * factor, rtol=1e-11)


@pytest.mark.parametrize("rule", SKETCHES, ids=name)
def test_each_column_stands_for_itself(rule):
    X, y = stream()
    scales = np.array([1e-300, 1e-9, 1.0, 1e9, 1e300])
    alone = np.array([estimate(rule, taken(rule, X[:, [j]], y))[0] for j in range(5)])
    np.testing.assert_allclose(estimate(rule, taken(rule, X * scales, y)), alone * scales, rtol=1e-10)


@pytest.mark.parametrize("rule", SKETCHES, ids=name)
def test_the_order_of_rows_does_not_matter(rule):
    X, y = stream(rows=5000)
    here = rule.read(taken(rule, X, y))
    there = rule.read(taken(rule, np.random.default_rng(8).permutation(X), y))
    np.testing.assert_allclose(there.mean, here.mean, rtol=1e-13)
    np.testing.assert_allclose(there.interval(), here.interval(), rtol=1e-11)


@pytest.mark.parametrize("rule", GROUPED, ids=name)
def test_exchanged_groups_turn_the_difference_round(rule):
    X, y = stream(rows=1500)
    here = rule.read(taken(rule, X, y)).replace(baseline=0)
    there = rule.read(taken(rule, X, 1.0 - y)).replace(baseline=1)
    assert np.array_equal(here.mean[:2], there.mean[1::-1])
    for mine, theirs in zip(here.interval(), there.interval(), strict=True):
        assert np.array_equal(mine, theirs)
    low, high = here.replace(baseline=1).interval()
    if rule.groups == 2:
        np.testing.assert_allclose((-high, -low), here.interval(), rtol=1e-12)


@pytest.mark.parametrize("rule", GROUPED, ids=name)
def test_a_difference_scales_with_its_rows_and_does_not_move_with_them(rule):
    X, y = stream(rows=1500)
    here = rule.read(taken(rule, X, y)).replace(baseline=0).interval()
    there = rule.read(taken(rule, X * 2.0**40 + 2.0**45, y)).replace(baseline=0).interval()
    np.testing.assert_allclose(there, np.array(here) * 2.0**40, rtol=1e-8, atol=1e-9 * 2.0**40)


def test_regression_with_a_self_tuned_level_scales_with_its_targets():
    X, y = stream(columns=3)
    rule = ClippedSGD(loss=Squared(), level=SelfTuned())
    here = estimate(rule, taken(rule, X, y))
    np.testing.assert_allclose(estimate(rule, taken(rule, X, y * 2.0**30)), here * 2.0**30, rtol=1e-11)


# ------------------------------------------------------------------------------------------------ regressions


def coefficients(rule, X, y):
    return rule.read(taken(rule, X, y)).coef


@pytest.mark.parametrize("rule", FREE, ids=name)
def test_slopes_scale_with_their_columns(rule):
    X, y = stream()
    scales = 2.0 ** np.array([40, -7, 0, 1, -30])
    for rows in (7, 30, 200, 700):
        here, there = coefficients(rule, X[:rows], y[:rows]), coefficients(rule, X[:rows] * scales, y[:rows])
        np.testing.assert_allclose(there * scales, here, rtol=1e-6, atol=1e-9 * np.abs(here).max())


@pytest.mark.parametrize("rule", CENTRED, ids=name)
def test_slopes_do_not_move_with_their_columns(rule):
    X, y = stream(rows=1500)
    spread = np.subtract(*np.percentile(X, [75, 25], axis=0))
    away = 1e3 * spread * [1.0, -2.0, 3.0, 0.5, 10.0]
    apart = (coefficients(rule, X + away, y) - coefficients(rule, X, y)) * spread
    assert (np.abs(apart) < 1e-6).all()


@pytest.mark.parametrize("rule", [Gram(), TunedSGD(), TunedSGD(bars="jackknife")], ids=name)
def test_a_regression_moves_and_scales_with_its_targets(rule):
    X, y = stream(rows=1500)
    here = estimate(rule, taken(rule, X, y))
    there = estimate(rule, taken(rule, X, y * 2.0**30 + 2.0**35))
    there[-1] -= 2.0**35
    np.testing.assert_allclose(there, here * 2.0**30, rtol=1e-6)


@pytest.mark.parametrize("rule", [Gram(), Gram(outliers="keep", bars=False)], ids=name)
@pytest.mark.parametrize("rows", [700, 3000])
def test_a_gram_matrix_serves_any_mixture_of_columns_alike(rule, rows):
    X, y = stream(rows=rows)
    random = np.random.default_rng(6)
    turn = random.standard_normal((5, 5)) * [1.0, 10.0, 0.1, 1.0, 3.0]
    here, there = coefficients(rule, X, y), coefficients(rule, X @ turn + random.standard_normal(5), y)
    fitted = X @ here
    # The columns lie six decades apart, and their squares twelve.
    np.testing.assert_allclose(X @ turn @ there, fitted, atol=1e-4 * fitted.std())


@pytest.mark.parametrize("rule", [TunedSGD(loss=Logistic()), Gram(loss=Logistic())], ids=name)
def test_exchanged_labels_turn_the_sign(rule):
    X, y = stream(rows=1500)
    here, there = estimate(rule, taken(rule, X, y)), estimate(rule, taken(rule, X, 1.0 - y))
    np.testing.assert_allclose(there, -here, rtol=1e-6, atol=1e-9)
