"""Bytes of state do not grow with rows, and grow with columns as promised."""

import pytest

from tailproof import clipped, tuned
from tailproof.extremes import Extremes
from tests.laws.catalogue import DESCENTS, GRAMS, RULES, TUNED, name, stream, taken


@pytest.mark.parametrize("rule", RULES, ids=name)
def test_memory_does_not_grow_with_rows(rule):
    X, y = stream(rows=5000)
    sizes = {taken(rule, X[:rows], y[:rows]).nbytes for rows in (0, 1, 10, 100, 5000)}
    assert len(sizes) == 1


@pytest.mark.parametrize("columns", [1, 20, 256])
def test_a_mean_takes_at_most_60_floats_a_column(columns):
    assert Extremes().init(columns).nbytes <= 60 * 8 * columns
    # The counts of rows are one for all columns: beyond one column they weigh nothing.
    assert Extremes(extremes=16).init(columns).nbytes <= 36 * 8 * columns + (24 if columns == 1 else 0)


@pytest.mark.parametrize("rule", DESCENTS, ids=name)
def test_a_descent_takes_a_few_vectors(rule):
    assert rule.init(1000).nbytes <= (1 + 4 + clipped.PILOT + 1) * 8 * 1000


@pytest.mark.parametrize("rule", TUNED, ids=name)
def test_a_tuned_descent_takes_a_few_vectors_and_what_its_bars_are_made_of(rule):
    columns = 1000
    bars = {"none": 0, "sandwich": 2 * columns, "jackknife": 16}[rule._bars(columns)]
    told = 0 if bars == 0 else 9
    # Four vectors, a byte a feature, the pilot, and a row or two more for the intercept and single numbers.
    assert rule.init(columns).nbytes <= (4 + tuned.PILOT + bars + told) * 8 * columns + columns + 16 * (bars + 20)


@pytest.mark.parametrize("rule", GRAMS, ids=name)
def test_a_gram_matrix_takes_a_few_squares(rule):
    assert rule.init(300).nbytes <= 8 * 8 * 300**2
