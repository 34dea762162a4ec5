"""A stream cut anywhere gives the same bits."""

import itertools

import numpy as np
import pytest

from tailproof import state
from tailproof.one_vs_rest import OneVsRest
from tests.laws.catalogue import DESCENTS, REGRESSIONS, RULES, SKETCHES, dirty, name, taken, targets


@pytest.mark.parametrize("rule", RULES, ids=name)
def test_any_chunking_gives_the_same_bits(rule):
    X, y = dirty(rows=2600)
    whole = taken(rule, X, y)
    random = np.random.default_rng(5)
    for pieces in (1, 3, 40, 400):
        cuts = random.choice(len(X), pieces, replace=False)
        assert taken(rule, X, y, cuts).same_bits(whole)


@pytest.mark.parametrize("rule", RULES, ids=name)
def test_one_row_at_a_time_gives_the_same_bits(rule):
    X, y = dirty(rows=300)
    assert taken(rule, X, y, range(1, 300)).same_bits(taken(rule, X, y))


@pytest.mark.parametrize("rule", RULES, ids=name)
@pytest.mark.parametrize("columns", [1, 3, 41])
def test_for_any_number_of_columns(rule, columns):
    X, y = dirty(rows=300, columns=columns)
    assert taken(rule, X, y, (7, 49, 50, 111, 222)).same_bits(taken(rule, X, y))


@pytest.mark.parametrize("rule", [*SKETCHES, *DESCENTS, *REGRESSIONS, OneVsRest()], ids=name)
@pytest.mark.parametrize("columns", [130, 701])
def test_for_many_columns(rule, columns):
    X, y = dirty(rows=300, columns=columns)
    assert taken(rule, X, y, (7, 50, 222)).same_bits(taken(rule, X, y))


@pytest.mark.parametrize("rule", RULES, ids=name)
def test_layout_and_type_of_the_rows_do_not_matter(rule):
    X, y = dirty(rows=300)
    X = np.where(np.abs(X) < 1e30, X, 7.0).astype(np.float32).astype(np.float64)
    whole = taken(rule, X, y)
    unaligned = np.empty(X.size * 8 + 8, np.uint8)[8:].view(np.float64).reshape(X.shape)
    unaligned[...] = X
    read_only = X.copy()
    read_only.flags.writeable = False
    for rows in (np.asfortranarray(X), X.astype(np.float32), unaligned, read_only, X.tolist()):
        assert rule.step(rule.init(5), rows, targets(rule, y)).same_bits(whole)


class Packed:
    """NumPy, but for what it allocates: arrays of one size lie one after another, so many bytes apart."""

    def __init__(self, apart):
        self.apart, self.places = apart, {}

    def empty(self, shape, dtype):
        if dtype is not np.uint8:
            return np.empty(shape, dtype)
        place, used = self.places.get(shape, (np.empty(0, np.uint8), 0))
        begin = used + next(self.apart)
        if begin + shape > len(place):
            place, begin = np.empty(4 * shape + (1 << 14), np.uint8), 0
        self.places[shape] = place, begin + shape
        return place[begin : begin + shape]

    def __getattr__(self, other):
        return getattr(np, other)


@pytest.mark.parametrize("rule", RULES, ids=name)
@pytest.mark.parametrize("columns", [5, 8, 20, 41])
def test_where_the_arrays_lie_does_not_matter(rule, columns, monkeypatch):
    X, y = dirty(rows=100, columns=columns)
    whole = taken(rule, X, y)
    for apart in (itertools.repeat(0), itertools.cycle([8, 200, 3000, 0, 56, 64])):
        monkeypatch.setattr(state, "np", Packed(apart))
        rows = state.aligned(X.shape)
        rows[...] = X
        assert taken(rule, rows, y).same_bits(whole)
