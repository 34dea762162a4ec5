"""No memory is asked for row by row, and rows that lie well in memory are not copied. Counted, never timed."""

import tracemalloc

import numpy as np
import pytest

from tailproof import compiled
from tailproof.state import aligned
from tests.laws.catalogue import DESCENTS, RULES, SKETCHES, TUNED, name, stream, targets

ROWS, COLUMNS = 8000, 8


@pytest.fixture(scope="module")
def rows():
    X, y = stream(4 * ROWS, COLUMNS)
    lying_well = aligned(X.shape)
    lying_well[...] = X
    return lying_well, y


@pytest.fixture
def settled(monkeypatch, rows):
    """A state that machine code has filled with the first rows."""
    monkeypatch.setattr(compiled, "SMALL", 0)
    X, y = rows
    return lambda rule: rule.step(rule.init(COLUMNS), X[:ROWS], targets(rule, y[:ROWS]))


@pytest.mark.parametrize("rule", RULES, ids=name)
def test_machine_code_asks_for_no_memory_at_every_row(rule, rows, settled):
    few, many = asked_for(rule, settled(rule), *rows)
    assert many - few < ROWS // 2
    if rule in (*SKETCHES, *DESCENTS, *TUNED):
        assert many == few


@pytest.mark.parametrize("rule", RULES, ids=name)
def test_rows_that_lie_well_are_not_copied(rule, rows, settled):
    X, y = rows
    state, left = settled(rule), targets(rule, y[ROWS:])
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        rule.step(state, X[ROWS:], left)
        held = tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()
    assert held < X[ROWS:].nbytes / 2


def asked_for(rule, state, X: np.ndarray, y: np.ndarray) -> list[int]:
    """How many times machine code asked for memory, for some rows and for twice as many."""
    from numba.core.runtime import _nrt_python, rtsys

    _nrt_python.memsys_enable_stats()
    counts = []
    for begin, end in ((ROWS, 2 * ROWS), (2 * ROWS, 4 * ROWS)):
        before = rtsys.get_allocation_stats().alloc
        state = rule.step(state, X[begin:end], targets(rule, y[begin:end]))
        counts.append(rtsys.get_allocation_stats().alloc - before)
    return counts
