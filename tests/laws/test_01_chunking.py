"""A stream cut anywhere gives the same bits."""

import numpy as np
import pytest

from tailproof.one_vs_rest import OneVsRest
from tests.laws.catalogue import DESCENTS, REGRESSIONS, RULES, SKETCHES, dirty, name, taken


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
        assert rule.step(rule.init(5), rows, y).same_bits(whole)
