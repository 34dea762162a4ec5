"""The mean from extremes: the cases that its rules are for."""

import math

import numpy as np
import pytest

from tailproof.errors import RuleError
from tailproof.extremes import Extremes


def said(X, **settings):
    rule = Extremes(**settings)
    X = np.asarray(X, float)
    return rule.read(rule.step(rule.init(X.shape[1]), X))


def gross(count: int, rows: int = 2000, value: float = 1000.0) -> np.ndarray:
    X = np.random.default_rng(count).standard_normal((rows, 1))
    X[:count] = value + np.arange(count)[:, None]
    return X


@pytest.mark.parametrize("count", [4, 10, 23])
def test_gross_values_are_set_aside_counted_and_named(count):
    X = gross(count)
    estimate = said(X)
    assert estimate.set_aside[0] == count
    assert sorted(estimate.columns[0].set_aside) == sorted(X[:count, 0])
    assert abs(estimate.mean[0] - X[count:].mean()) < 1e-9
    assert f"{count} of 2,000 rows set aside" in estimate.verdict(0)
    assert estimate.high[0] >= X.mean() > estimate.interval(contaminated=True)[1][0]


def test_with_24_gross_values_on_a_side_the_limit_is_reached():
    assert said(gross(24)).mean[0] > 1.0
    assert said(gross(24), extremes=32).set_aside[0] == 24


def test_gross_values_can_be_kept():
    X = gross(10)
    assert said(X, gross="keep").set_aside[0] == 0
    assert said(X, h=1e9).set_aside[0] == 0


def test_light_tails_give_the_plain_mean():
    X = np.random.default_rng(1).uniform(0, 1, (5000, 3))
    estimate = said(X)
    np.testing.assert_allclose(estimate.mean, X.mean(axis=0), rtol=1e-12)
    assert all(column.verdict == "light tail: the plain mean is as good" for column in estimate.columns)


def test_a_constant_column_is_constant():
    estimate = said(np.full((500, 1), 7.25))
    assert (estimate.mean[0], estimate.low[0], estimate.high[0]) == (7.25, 7.25, 7.25)
    assert estimate.verdict(0).startswith("constant")


@pytest.mark.parametrize("value", [1e308, -1e308, 5e-324, 1e-310, 2.0**53 + 2, 0.0])
def test_values_at_the_edge_of_what_a_float_holds(value):
    estimate = said(np.full((200, 1), value))
    assert estimate.mean[0] == value
    mixed = np.random.default_rng(2).uniform(0.5, 1.0, (3000, 1)) * value
    estimate = said(mixed)
    assert estimate.mean[0] == pytest.approx(math.fsum(mixed[:, 0] / 3000), rel=1e-9, abs=1e-322)
    assert estimate.plain_mean[0] == pytest.approx(math.fsum(mixed[:, 0] / 3000), rel=1e-9, abs=1e-322)
    assert estimate.low[0] <= estimate.mean[0] <= estimate.high[0]


def test_more_overflowing_values_than_extremes():
    X = np.random.default_rng(3).standard_normal((3000, 1))
    X[100:200] = 1e300
    estimate = said(X)
    assert estimate.mean[0] == pytest.approx(100 / 3000 * 1e300, rel=1e-6)


def test_first_rows_far_from_the_rest_cost_no_digits():
    random = np.random.default_rng(4)
    for first in (10, 24, 47):
        X = random.standard_normal((20_000, 1))
        X[:first] += 1e9
        kept = X[first:]
        estimate = said(X, h=1.0) if first < 24 else said(X, extremes=64)
        error = estimate.spread.error[0]
        assert abs(estimate.mean[0] - kept.mean()) < 1e-6
        assert error == pytest.approx(kept.std() / math.sqrt(len(kept)), rel=0.02)


def test_a_heavy_tail_is_called_one():
    X = np.random.default_rng(7).pareto(1.3, (20_000, 1))
    X[0] = 20.0 * X.max()
    verdict = said(X).verdict(0)
    assert verdict.startswith("heavy tail: 1 of 20,000 rows carries")
    assert verdict.endswith("the variance may be infinite")


def test_few_rows_are_not_judged():
    estimate = said(np.arange(12.0).reshape(-1, 1))
    assert estimate.verdict(0) == "too few rows to judge the tail (12)"
    assert math.isnan(estimate.tail_index[0])


def test_an_estimate_cannot_be_changed():
    with pytest.raises(AttributeError):
        said(np.ones((3, 1))).rows = 5


@pytest.mark.parametrize(
    "settings",
    [{"extremes": 7}, {"extremes": 24.0}, {"gross": "drop"}, {"h": 0.5}, {"h": math.nan}, {"groups": 3}],
)
def test_settings_that_make_no_sense_are_refused(settings):
    with pytest.raises(RuleError):
        Extremes(**settings)


@pytest.mark.slow
def test_a_million_columns():
    rule = Extremes()
    state = rule.init(1_000_000)
    assert state.nbytes <= 60 * 8 * 1_000_000
    random = np.random.default_rng(5)
    for _ in range(8):
        state = rule.step(state, random.standard_normal((10, 1_000_000)))
    estimate = rule.read(state)
    assert estimate.rows == 80
    assert abs(float(estimate.mean.mean())) < 1e-3
