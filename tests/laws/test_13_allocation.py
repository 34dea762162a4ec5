"""No memory is asked for row by row, and rows that lie well in memory are not copied. Counted, never timed."""

import tracemalloc

import pytest

from tailproof import compiled
from tailproof.state import aligned
from tests.laws.catalogue import DESCENTS, RULES, SKETCHES, TUNED, name, stream, taken

ROWS, COLUMNS = 8000, 8


@pytest.fixture(scope="module")
def rows():
    X, y = stream(4 * ROWS, COLUMNS)
    lying_well = aligned(X.shape)
    lying_well[...] = X
    return lying_well, y


@pytest.fixture(autouse=True)
def machine_code_only(monkeypatch):
    monkeypatch.setattr(compiled, "SMALL", 0)


@pytest.mark.parametrize("rule", RULES, ids=name)
def test_machine_code_asks_for_no_memory_at_every_row(rule, rows):
    few, many = asked_for(rule, rows, ROWS), asked_for(rule, rows, 2 * ROWS)
    assert many - few < ROWS // 2
    if rule in (*SKETCHES, *DESCENTS, *TUNED):
        assert many == few


@pytest.mark.parametrize("rule", RULES, ids=name)
def test_rows_that_lie_well_are_not_copied(rule, rows):
    X, _ = rows
    few, many = held(rule, rows, ROWS), held(rule, rows, 4 * ROWS)
    assert many - few < X[ROWS:].nbytes / 2


def held(rule, rows, count: int) -> int:
    """The most bytes held at once while so many rows are taken in."""
    X, y = rows
    taken(rule, X[:200], y[:200])  # wakes the compiler, which takes memory of its own
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        taken(rule, X[:count], y[:count])
        return tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()


def asked_for(rule, rows, count: int) -> int:
    """How many times machine code asks for memory while it takes so many rows in, once it is ready."""
    from numba.core.runtime import _nrt_python, rtsys

    _nrt_python.memsys_enable_stats()
    X, y = rows
    taken(rule, X[:200], y[:200])
    before = rtsys.get_allocation_stats().alloc
    taken(rule, X[:count], y[:count])
    return rtsys.get_allocation_stats().alloc - before
