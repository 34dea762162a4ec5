"""Machine code agrees with the plain-Python loop: to rounding for descents, to the bit for all else."""

import pickle

import numpy as np
import pytest

from tailproof import answers, compiled, loop, sketch
from tailproof.loop import Descent
from tailproof.sketch import Sketch
from tests.laws.catalogue import DESCENTS, HOLDING, REGRESSIONS, SKETCHES, dirty, estimate, name, stream, taken, wild


def machine(kernel, *pieces):
    return compiled.kernel(kernel, *pieces, work=compiled.SMALL)


@pytest.mark.parametrize("rule", SKETCHES, ids=name)
@pytest.mark.parametrize("columns", [1, 5, 41])
def test_a_sketch_has_the_same_bits(rule, columns):
    X, _ = dirty(rows=1100 if columns < 10 else 150, columns=columns)
    fast, slow = rule.init(columns), rule.init(columns)
    rows = np.ascontiguousarray(X)
    machine("absorb")(Sketch(**fast), rows)
    with np.errstate(all="ignore"):
        sketch.absorb(Sketch(**slow), rows)
    assert fast.same_bits(slow)


@pytest.mark.parametrize("rule", SKETCHES, ids=name)
@pytest.mark.parametrize("rows", [1, 2, 5, 47, 48, 49, 400])
def test_an_answer_agrees(rule, rows):
    X = wild(rows=400)[:rows] if rows == 400 else dirty()[0][4 : 4 + rows, :3]
    state = Sketch(**rule.step(rule.init(3), X))
    fast, slow = np.full((2, 3, answers.ANSWERS), np.nan)
    machine("ask")(state, 4.0, fast)
    answers.ask(state, 4.0, slow)
    np.testing.assert_allclose(fast, slow, rtol=1e-12)


def test_a_merge_has_the_same_bits():
    rule = SKETCHES[0]
    X, _ = dirty()
    states = [rule.step(rule.init(5), part) for part in (X[:300], X[300:])]
    fast, slow = ([state.copy() for state in states] for _ in range(2))
    machine("merge")(Sketch(**fast[0]), Sketch(**fast[1]))
    with np.errstate(all="ignore"):
        sketch.merge(Sketch(**slow[0]), Sketch(**slow[1]))
    assert fast[0].same_bits(slow[0])


@pytest.mark.parametrize("rule", DESCENTS, ids=name)
def test_a_descent_agrees_with_the_algorithm_as_printed(rule):
    X, y = dirty()
    fast, slow = rule.init(5), rule.init(5)
    for state in (fast, slow):
        rule._pilot(state, X, y)
    begin = int(fast.waiting[0]) + int(fast.counts[1])
    fast = rule.step(fast, X[begin:], y[begin:])
    rows = Descent(slow.theta, slow.memory, slow.counts, slow.bars, np.empty(5))
    with np.errstate(all="ignore"):
        loop.descend(rule._used(slow), rows, X[begin:], y[begin:])
    assert np.array_equal(fast.counts, slow.counts)
    np.testing.assert_allclose(fast.theta, slow.theta, rtol=1e-7, atol=1e-10)


@pytest.mark.parametrize("rule", [DESCENTS[1], DESCENTS[2]], ids=name)
@pytest.mark.parametrize(("columns", "kind"), [(20, "f8"), (20, "f4"), (70, "f8")])
def test_rows_in_registers_and_longer_ones_agree_with_it_too(rule, columns, kind):
    X, y = stream(rows=300, columns=columns)
    X = X.astype(kind)
    fast, slow = taken(rule, X[:100], y[:100]), taken(rule, X[:100], y[:100])
    fast = rule.step(fast, X[100:], y[100:])
    rows = Descent(slow.theta, slow.memory, slow.counts, slow.bars, np.empty(columns))
    loop.descend(rule._used(slow), rows, X[100:].astype(np.float64), y[100:])
    assert np.array_equal(fast.counts, slow.counts)
    np.testing.assert_allclose(fast.theta, slow.theta, rtol=1e-7, atol=1e-10)


def test_what_waits_for_a_row_is_no_part_of_a_state():
    rule = DESCENTS[2]
    X, y = stream(rows=60)
    state = taken(rule, X, y, range(1, 60))
    assert state.at_hand is not None
    moved = pickle.loads(pickle.dumps(state))
    assert moved.at_hand is None
    assert state.copy().at_hand is None
    assert moved.same_bits(state)
    state.theta = state.theta.copy()
    assert state.at_hand is None
    assert rule.step(state, X[0], 1.0).same_bits(rule.step(moved, X[:1], [1.0]))


@pytest.mark.parametrize("rule", SKETCHES, ids=name)
def test_plain_python_serves_small_work_unnoticed(rule, monkeypatch):
    X, y = dirty(rows=200)
    whole = taken(rule, X, y)
    monkeypatch.setattr(compiled, "_awake", False)
    monkeypatch.setattr(compiled, "_plain_so_far", 0)
    small = taken(rule, X, y)
    assert small.same_bits(whole)
    np.testing.assert_allclose(estimate(rule, small), estimate(rule, whole), rtol=1e-14)


@pytest.mark.parametrize("rule", [*REGRESSIONS, *HOLDING], ids=name)
def test_a_regression_and_a_comparison_agree_with_plain_python(rule, monkeypatch):
    X, y = dirty(rows=400)
    fast = taken(rule, X, y)
    monkeypatch.setattr(compiled, "kernel", plain)
    slow = taken(rule, X, y)
    if "TunedSGD" not in repr(rule):
        assert fast.same_bits(slow)
    for array, other in zip(fast.values(), slow.values(), strict=True):
        np.testing.assert_allclose(array, other, rtol=1e-7, atol=1e-9 * np.abs(other).max(initial=0.0))


def plain(kernel, *pieces, work=0):
    return compiled._plain(getattr(compiled._room(kernel), kernel))
