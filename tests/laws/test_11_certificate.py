"""No single row moves an estimate by more than its certificate."""

import numpy as np
import pytest

from tailproof.compare_means import CompareMeans
from tests.laws.catalogue import (
    DESCENTS,
    GROUPED,
    HOLDING,
    REGRESSIONS,
    SKETCHES,
    estimate,
    name,
    stream,
    taken,
    targets,
)


def certificate(rule, state):
    return np.asarray(rule.certificate(state))


def adversaries(X: np.ndarray, random) -> np.ndarray:
    """Rows that might do harm: near and far, on either side, beside rows already seen, and on a fine ladder."""
    scale = np.abs(X).max()
    ladder = np.concatenate([s * scale * 10.0 ** random.uniform(-6, 12, 60) for s in (-1.0, 1.0)])
    beside = random.choice(X.ravel(), 80) * (1 + 1e-6 * random.standard_normal(80))
    return np.concatenate([ladder, beside, [1.7e308, -1.7e308, 0.0]])


@pytest.mark.parametrize("rule", [*SKETCHES, CompareMeans()], ids=name)
@pytest.mark.parametrize("gross", [0, 1, 4, 15, 23])
@pytest.mark.parametrize("rows", [3, 9, 40, 60, 300, 1500])
def test_no_row_moves_a_sketch_by_more(rule, gross, rows):
    random = np.random.default_rng(rows + gross)
    X = random.pareto(2.1, (rows, 2)) - 0.9
    X[:, 1] = random.standard_normal(rows)
    X[: min(gross, rows // 2)] = 1000.0 * (1 + 1e-3 * random.standard_normal((min(gross, rows // 2), 2)))
    state = taken(rule, X, np.zeros(rows))
    bound, here = certificate(rule, state), estimate(rule, state)
    for x in adversaries(X, random):
        there = estimate(rule, rule.step(state.copy(), np.array([[x, x]])))
        assert (np.abs(there - here) <= bound * (1 + 1e-9)).all()


@pytest.mark.parametrize("rule", GROUPED, ids=name)
@pytest.mark.parametrize("rows", [60, 1500])
def test_no_row_moves_a_group_by_more(rule, rows):
    random = np.random.default_rng(rows)
    X, y = random.pareto(2.1, (rows, 2)) - 0.9, random.integers(rule.groups, size=rows).astype(float)
    state = taken(rule, X, y)
    bound, here = certificate(rule, state), rule.read(state).mean
    for x in adversaries(X, random):
        for group in range(rule.groups):
            there = rule.read(rule.step(state.copy(), np.array([[x, x]]), np.array([float(group)]))).mean
            assert (np.abs(there - here)[group] <= bound[group] * (1 + 1e-9)).all()
            assert np.array_equal(np.delete(there, group, axis=0), np.delete(here, group, axis=0))


@pytest.mark.parametrize("rule", SKETCHES, ids=name)
def test_the_certificate_is_of_the_size_of_the_error(rule):
    X = np.random.default_rng(1).standard_normal((10_000, 1))
    assert 0.0 < certificate(rule, taken(rule, X, np.zeros(10_000)))[0] < 0.05


@pytest.mark.parametrize("rule", DESCENTS, ids=name)
def test_no_row_moves_a_descent_by_more(rule):
    X, y = stream(columns=3)
    random = np.random.default_rng(2)
    state = taken(rule, X, y)
    bound, here = float(certificate(rule, state)), state.theta.copy()
    for x in adversaries(X, random):
        for target in (0.0, 1.0, 1e6):
            there = rule.step(state.copy(), np.array([[x, -x, 1.0]]), np.array([target])).theta
            assert np.linalg.norm(there - here) <= bound * (1 + 1e-9)


# ------------------------------------------------------------------------------------------------ regressions


def rows_to_do_harm(X, y, random):
    """Rows on a ladder of lengths, along all columns, one of them, or a row already seen; targets near and far."""
    unit = np.abs(X - np.median(X, axis=0)).mean(axis=0)
    ways = random.standard_normal((12, X.shape[1])) * (random.random((12, X.shape[1])) < 0.7)
    ladder = 10.0 ** random.uniform(-2, 9, (12, 1))
    rows = np.concatenate(
        [np.median(X, axis=0) + ladder * ways * unit, X[:2] * (1 + 1e-6), np.full((1, X.shape[1]), 1e300)]
    )
    return [(x, target) for x in rows for target in (0.0, 1.0, float(random.choice([-1e6, 1e3, 1e12])))]


def moved_at_most(rule, state, X, y, random):
    """The farthest that any of these rows moves each coefficient."""
    here, farthest = estimate(rule, state), 0.0
    for x, target in rows_to_do_harm(X, y, random):
        there = estimate(rule, rule.step(state.copy(), x[None, :], targets(rule, np.array([target]))))
        # What has said nothing yet, cannot move.
        farthest = np.fmax(farthest, np.abs(there - here))
    return farthest


@pytest.mark.parametrize("rule", [*REGRESSIONS, *HOLDING[:-1]], ids=name)
@pytest.mark.parametrize(("rows", "gross"), [(5, 0), (9, 0), (40, 10), (120, 0), (700, 10)])
def test_no_row_moves_a_regression_by_more(rule, rows, gross):
    X, y = stream(rows=rows, columns=3, seed=rows)
    X[rows // 2 : rows // 2 + gross] *= 1000.0
    state = taken(rule, X, y)
    bound = certificate(rule, state).reshape(-1)
    assert (moved_at_most(rule, state, X, y, np.random.default_rng(7)) <= bound * (1 + 1e-9) + 1e-300).all()


@pytest.mark.parametrize("rule", REGRESSIONS, ids=name)
def test_no_row_moves_a_merged_regression_by_more(rule):
    X, y = stream(rows=700, columns=3)
    state = rule.merge(taken(rule, X[:200], y[:200]), taken(rule, X[200:], y[200:]))
    bound = certificate(rule, state)
    assert (moved_at_most(rule, state, X, y, np.random.default_rng(8)) <= bound * (1 + 1e-9) + 1e-300).all()


@pytest.mark.parametrize("rule", [*REGRESSIONS, *HOLDING[:-1]], ids=name)
def test_the_certificate_of_a_regression_is_of_the_size_of_the_error(rule):
    random = np.random.default_rng(1)
    X = random.standard_normal((10_000, 3))
    y = (X[:, 0] + random.standard_normal(10_000) > 0.0).astype(float)
    bound = certificate(rule, taken(rule, X, y)).reshape(-1)[:3]
    assert (bound > 0.0).all()
    assert (bound < 0.1).all()
