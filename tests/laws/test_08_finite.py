"""No NaN, inf or overflow enters a state: such rows are refused whole and counted."""

import numpy as np
import pytest

from tailproof.compare_means import CompareMeans
from tests.laws.catalogue import (
    DESCENTS,
    HOLDING,
    REGRESSIONS,
    RULES,
    SKETCHES,
    TARGETED,
    dirty,
    estimate,
    name,
    stream,
    taken,
    wild,
)


def healthy(state) -> bool:
    return all(np.isfinite(array).all() for array in state.values())


@pytest.mark.parametrize("rule", RULES, ids=name)
def test_rows_that_are_not_finite_are_refused_whole(rule):
    X, y = stream()
    clean = taken(rule, X, y)
    for value in (np.nan, np.inf, -np.inf):
        for rows in ([0], [20, 21], [100], [699], list(range(64, 130))):
            Z, w = np.insert(X, rows, X[rows], axis=0), np.insert(y, rows, y[rows])
            at = np.array(rows) + np.arange(len(rows))
            Z[at, at % 5] = value
            state = taken(rule, Z, w)
            assert rule.read(state).refused == len(rows)
            state.counts[1] = 0
            assert state.same_bits(clean)


@pytest.mark.parametrize("rule", TARGETED, ids=name)
def test_targets_that_are_not_finite_are_refused(rule):
    X, y = stream()
    clean = taken(rule, X, y)
    for value in (np.nan, np.inf):
        Z, w = np.insert(X, 300, X[300], axis=0), np.insert(y, 300, value)
        state = taken(rule, Z, w)
        assert rule.read(state).refused == 1
        state.counts[1] = 0
        assert state.same_bits(clean)


@pytest.mark.parametrize("rule", RULES, ids=name)
def test_any_finite_row_leaves_the_state_finite(rule):
    for X in (wild(), dirty()[0][:, :3], wild()[::-1].copy()):
        state = taken(rule, X, np.zeros(len(X)))
        assert healthy(state)
        assert np.isfinite(estimate(rule, state)).all()


@pytest.mark.parametrize("rule", [rule for rule in TARGETED if "Logistic" not in repr(rule)], ids=name)
@pytest.mark.parametrize("at", [3, 50, 500])
@pytest.mark.parametrize("value", [1.7e308, 1e200, -1e150])
def test_any_finite_target_leaves_the_state_finite(rule, at, value):
    X, y = stream(columns=3)
    X[at, 1], y[at + 1], y[at + 2] = value, value, -value
    state = taken(rule, X, y)
    assert healthy(state)
    assert np.isfinite(estimate(rule, state)).all()


@pytest.mark.parametrize("rule", [*SKETCHES, *DESCENTS, CompareMeans()], ids=name)
def test_learning_goes_on_after_the_wildest_row(rule):
    X, y = stream(rows=3000, columns=3)
    Z, w = np.insert(X, 500, 1e300, axis=0), np.insert(y, 500, 1.0)
    state = taken(rule, Z, w)
    spread = np.subtract(*np.percentile(X, [75, 25], axis=0))
    assert (np.abs(estimate(rule, state) - estimate(rule, taken(rule, X, y))) < 20 * spread).all()


@pytest.mark.parametrize("rule", [*REGRESSIONS, *HOLDING[:-1]], ids=name)
@pytest.mark.parametrize("value", [1e12, 1e300])
@pytest.mark.parametrize("columns", [[0], [0, 1, 2]])
def test_a_regression_learns_on_after_the_wildest_row(rule, value, columns):
    X, y = stream(rows=3000, columns=3)
    Z, w = np.insert(X, 500, X[500], axis=0), np.insert(y, 500, 1.0)
    Z[500, columns] = value
    spread = np.subtract(*np.percentile(X, [75, 25], axis=0))
    here, there = (rule.read(taken(rule, *rows)).coef for rows in ((X, y), (Z, w)))
    assert (np.abs(there - here) * spread < 0.3).all()
