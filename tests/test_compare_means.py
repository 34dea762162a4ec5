"""Comparing means: each column against what a batch says of it."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tailproof.checkpoint import Saved, load, save
from tailproof.compare import Compare
from tailproof.compare_means import CompareMeans
from tailproof.comparison import SHARES
from tailproof.contest import PILOT
from tailproof.errors import RuleError
from tailproof.extremes import Extremes
from tailproof.means_comparison import MeansComparison

from .test_compare import windows

RULE = CompareMeans()


def stream(rows: int = 2600) -> np.ndarray:
    """Light, skewed with heavy tails, symmetric with heavy tails, constant, and with a few gross values."""
    random = np.random.default_rng(rows)
    columns = [
        5.0 + 1e-6 * random.standard_normal(rows),
        random.pareto(1.7, rows),
        random.standard_t(2.2, rows),
        np.full(rows, 3.0),
        random.standard_normal(rows),
    ]
    columns[4][::400] = 1e4
    return np.column_stack(columns)


def taken(X: np.ndarray, cuts: Any = ()) -> Any:
    state = RULE.init(X.shape[1])
    for rows in np.split(X, cuts):
        state = RULE.step(state, rows)
    return state


def said(X: np.ndarray) -> MeansComparison:
    return RULE.read(taken(X))


def batch_huber(x: np.ndarray) -> float:
    centre = float(np.median(x))
    for _ in range(300):
        apart = np.abs(x - centre)
        weights = np.minimum(1.0, 1.345 * 1.4826 * np.median(apart) / np.maximum(apart, 1e-300))
        centre = float((weights * x).sum() / weights.sum())
    return centre


def test_ours_and_the_plain_mean_are_those_of_all_rows() -> None:
    X = stream()
    comparison, rule = said(X), Extremes()
    alone = rule.read(rule.step(rule.init(5), X))
    for j, one in enumerate(comparison.parts):
        assert one.method("ours").theta[0] == alone.mean[j] == comparison.mean[j]
        assert one.method("least_squares").theta[0] == pytest.approx(X[:, j].mean(), rel=1e-9)
        assert one.tail_index == (None if math.isnan(alone.tail_index[j]) else alone.tail_index[j])


def test_huber_comes_close_to_that_of_all_rows() -> None:
    X = stream(20_000)
    for j, one in enumerate(said(X).parts):
        if j == 3:  # constant
            continue
        close = 0.25 * abs(X[:, j].mean() - np.median(X[:, j])) + 0.5 * float(one.error[0])
        assert abs(one.method("huber").theta[0] - batch_huber(X[:, j])) <= max(close, 1e-9)


def test_errors_are_those_of_a_loop_that_looks_at_rows_before_it_learns() -> None:
    X = stream(1500)
    rule = Extremes()
    state, begin = rule.init(5), 0
    errors: dict[str, list[np.ndarray]] = {"ours": [], "least_squares": []}
    for first, last in windows(1500, PILOT):
        state, begin = rule.step(state, X[begin:first]), first
        errors["ours"].append(np.abs(X[first:last] - rule.read(state).mean))
        errors["least_squares"].append(np.abs(X[first:last] - X[:first].mean(axis=0)))
    for name, found in errors.items():
        for j, one in enumerate(said(X).parts):
            for share in SHARES:
                exact = np.quantile(np.concatenate(found)[:, j], share, method="inverted_cdf")
                assert one.method(name).loss[share] == pytest.approx(exact, rel=0.01, abs=1e-12)


def test_any_chunking_gives_the_same_bits() -> None:
    X, random = stream(), np.random.default_rng(1)
    whole = taken(X)
    for pieces in (1, 5, 60):
        assert taken(X, np.sort(random.choice(len(X), pieces, replace=False))).same_bits(whole)
    assert taken(X[:300], range(1, 300)).same_bits(taken(X[:300]))
    assert RULE.step(RULE.init(5), np.asfortranarray(X)).same_bits(whole)


def test_going_on_from_a_file_gives_the_same_bits(tmp_path: Path) -> None:
    X = stream()
    for rows in (40, 900):
        save(str(tmp_path / "run.tps"), Saved(RULE, taken(X[:rows])))
        saved = load(str(tmp_path / "run.tps"))
        assert RULE.step(saved.state, X[rows:]).same_bits(taken(X))


@pytest.mark.parametrize("rows", [0, 3, 99, 100, 700])
def test_an_empty_state_is_neutral_and_looking_changes_nothing(rows: int) -> None:
    state = taken(stream()[:rows])
    json.loads(RULE.read(state).to_json(), parse_constant=pytest.fail)
    assert RULE.merge(state.copy(), RULE.init(5)).same_bits(state)
    assert RULE.merge(RULE.init(5), state.copy()).same_bits(state)


@pytest.mark.parametrize("cut", [40, 120, 1300, 2560])
def test_parts_merge(cut: int) -> None:
    X = stream()
    merged, whole = RULE.read(RULE.merge(taken(X[:cut]), taken(X[cut:]))), said(X)
    assert (merged.rows, merged.refused) == (whole.rows, 0)
    for one, other in zip(merged.parts, whole.parts, strict=True):
        for name in ("ours", "least_squares"):
            assert one.method(name).theta[0] == pytest.approx(other.method(name).theta[0], rel=1e-9, abs=1e-9)
        assert one.method("huber").theta[0] == pytest.approx(other.method("huber").theta[0], abs=0.05)
        assert one.method("ours").loss[0.95] == pytest.approx(other.method("ours").loss[0.95], rel=0.1)


@pytest.mark.parametrize("at", [3, 50, 500])
def test_the_wildest_rows_leave_all_finite(at: int) -> None:
    X = stream(1500)
    X[at], X[at + 1] = 1.7e308, -1.7e308
    state = taken(X)
    assert all(np.isfinite(array).all() for array in state.values())
    comparison = RULE.read(state)
    assert not any("you do not need this" in one.verdict for one in comparison.parts)
    json.loads(comparison.to_json(), parse_constant=pytest.fail)


def test_rows_that_are_not_finite_are_refused_whole() -> None:
    X = stream(600)
    clean = taken(np.delete(X, [5, 300], axis=0))
    X[5, 2], X[300, 0] = np.nan, np.inf
    state = taken(X)
    assert RULE.read(state).refused == 2
    state.counts[1] = 0
    assert state.same_bits(clean)


def test_verdicts() -> None:
    light, skewed, symmetric, constant, _ = (one.verdict for one in said(stream(20_000)).parts)
    assert light == "you do not need this: the plain mean is as good here"
    assert "Huber is " in skewed
    assert "standard errors away: of a skewed column it does not tell the mean; clipped SGD is " in skewed
    assert "Huber" not in symmetric
    assert constant == light
    assert said(stream(2600)).verdict == "3 of 5 columns do not need this"


def test_rows_in_order_lead_the_clipped_descent_astray() -> None:
    rising = np.sort(np.random.default_rng(5).standard_normal((2000, 1)), axis=0)
    told = said(rising).parts[0].verdict
    assert told.endswith("standard errors away: it follows the order of the rows, or the column is skewed")
    assert "Huber" not in told


def test_gross_values_are_told() -> None:
    X = stream(2600)
    gross = said(X).parts[4]
    assert gross.verdict.startswith("7 of 2,600 rows set aside as gross")
    assert not gross.plain_is_as_good
    assert gross.farthest(gross.method("least_squares"))[1] > 100.0
    assert abs(gross.method("ours").theta[0]) < 0.1
    assert {row for row, _ in gross.longest} < {1 + 400 * k for k in range(7)}


def test_a_tail_without_variance_may_turn_later() -> None:
    x = np.random.default_rng(1).pareto(1.4, (20_000, 1))
    one = said(x).parts[0]
    assert one.plain_is_as_good
    assert one.tail_index < 2.0
    assert "so far: the tail is heavy (index 1." in one.verdict


def test_few_rows_are_not_judged() -> None:
    for rows in (1, 19):
        comparison = said(stream(rows))
        assert comparison.verdict == "too few rows to compare"
        assert comparison.parts[0].methods == []
        assert "one row" in comparison.parts[0].verdict or "too few rows" in comparison.parts[0].verdict


def test_memory_is_that_of_so_many_columns() -> None:
    assert RULE.init(10).nbytes < 2.1 * RULE.init(5).nbytes < 10 * 250_000
    assert taken(stream()).nbytes == RULE.init(5).nbytes


def test_what_makes_no_sense_is_refused() -> None:
    with pytest.raises(RuleError, match="at least one column"):
        RULE.init(0)
    with pytest.raises(RuleError, match="cannot be merged"):
        RULE.merge(RULE.init(2), RULE.init(3))
    with pytest.raises(RuleError, match="cannot be merged"):
        RULE.merge(RULE.init(2), Compare().init(2))
