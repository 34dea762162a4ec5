"""Comparing regressions: what is raced against what a batch, or a plain loop over rows, says."""

import itertools
import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tailproof import compiled, racing
from tailproof.checkpoint import Saved, load, save
from tailproof.compare import Compare
from tailproof.comparison import SHARES, Comparison
from tailproof.contest import PILOT, SHARE
from tailproof.errors import RuleError
from tailproof.gram import Gram
from tailproof.racing import FAR, WRITTEN_GAIN
from tailproof.rivals import descents
from tailproof.tuned import TunedSGD

RULE = Compare()
Stream = tuple[np.ndarray, np.ndarray]


def pareto(random: np.random.Generator, index: float, shape: Any) -> np.ndarray:
    """One-sided, with mean 0 and variance 1."""
    mean, variance = index / (index - 1.0), index / ((index - 1.0) ** 2 * (index - 2.0))
    return (random.random(shape) ** (-1.0 / index) - mean) / math.sqrt(variance)


def paper(rows: int, columns: int = 5) -> Stream:
    random = np.random.default_rng(rows)
    X = pareto(random, 4.1, (rows, columns))
    return X, X.sum(axis=1) / math.sqrt(columns) + math.sqrt(0.75) * pareto(random, 2.1, rows)


def gaussian(rows: int, columns: int = 5) -> Stream:
    random = np.random.default_rng(rows)
    X = random.standard_normal((rows, columns))
    return X, X.sum(axis=1) / math.sqrt(columns) + random.standard_normal(rows)


def symmetric(rows: int, columns: int = 5) -> Stream:
    X, _ = gaussian(rows, columns)
    return X, X.sum(axis=1) + np.random.default_rng(7).standard_t(1.6, rows)


def gross(rows: int, columns: int = 5) -> Stream:
    X, y = gaussian(rows, columns)
    random = np.random.default_rng(5)
    y[random.random(rows) < 0.01] = 1000.0
    return X, y


def scaled(rows: int, columns: int = 5) -> Stream:
    X, y = paper(rows, columns)
    return X * 10.0 ** np.linspace(-6, 6, columns), y


def far(rows: int, columns: int = 5) -> Stream:
    X, y = paper(rows, columns)
    return X + 1e4, y + 3e3


def skewed(rows: int, columns: int = 5) -> Stream:
    X, _ = gaussian(rows, columns)
    return X, X.sum(axis=1) + (0.2 + np.maximum(X[:, 0], 0.0)) * pareto(np.random.default_rng(3), 2.5, rows)


STREAMS = [paper, gaussian, gross, scaled, far, skewed]


def taken(X: np.ndarray, y: np.ndarray, cuts: Any = (), rule: Any = RULE) -> Any:
    state = rule.init(X.shape[1])
    for rows, targets in zip(np.split(X, cuts), np.split(y, cuts), strict=True):
        state = rule.step(state, rows, targets)
    return state


def said(X: np.ndarray, y: np.ndarray, rule: Any = RULE) -> Comparison:
    comparison: Comparison = rule.read(taken(X, y, rule=rule))
    return comparison


def batch_least_squares(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Coefficients, the intercept last; of standardised columns, where they are of one size."""
    middle, scale = X.mean(axis=0), X.std(axis=0)
    A = np.column_stack([(X - middle) / scale, np.ones(len(X))])
    found = np.linalg.lstsq(A, y, rcond=None)[0]
    slopes = found[:-1] / scale
    return np.append(slopes, found[-1] - slopes @ middle)


def batch_huber(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Huber at 1.345 median absolute errors, by weights until nothing changes."""
    A = np.column_stack([X, np.ones(len(X))])
    theta = batch_least_squares(X, y)
    for _ in range(200):
        errors = np.abs(y - A @ theta)
        weights = np.minimum(1.0, 1.345 * 1.4826 * np.median(errors) / errors)
        theta = np.linalg.solve(A.T @ (A * weights[:, None]), A.T @ (weights * y))
    return theta


def windows(rows: int, pilot: int) -> list[tuple[int, int]]:
    """The windows that fits stand still in."""
    edges = [pilot]
    while edges[-1] < rows:
        edges.append(min(rows, edges[-1] + max(SHARE, edges[-1] // SHARE)))
    return list(itertools.pairwise(edges))


class TestAgainstBatch:
    @pytest.mark.parametrize("stream", STREAMS, ids=lambda stream: stream.__name__)
    @pytest.mark.parametrize("rows", [1000, 20_000])
    def test_least_squares_is_that_of_all_rows(self, stream: Callable[..., Stream], rows: int) -> None:
        X, y = stream(rows)
        found = said(X, y).method("least_squares").theta
        exact = batch_least_squares(X, y)
        np.testing.assert_allclose(found[:-1] * X.std(axis=0), exact[:-1] * X.std(axis=0), atol=1e-7 * y.std())
        np.testing.assert_allclose(found[-1], exact[-1], rtol=1e-6, atol=1e-7)

    @pytest.mark.parametrize("stream", [paper, gaussian, skewed], ids=lambda stream: stream.__name__)
    def test_huber_comes_close_to_that_of_all_rows(self, stream: Callable[..., Stream]) -> None:
        X, y = stream(20_000)
        found, exact, other = said(X, y).method("huber").theta, batch_huber(X, y), batch_least_squares(X, y)
        assert np.abs(found - exact).max() < max(0.02, 0.25 * np.abs(other - exact).max())

    def test_ours_is_the_rule_that_is_held(self) -> None:
        X, y = paper(3000)
        comparison, rule = said(X, y), Gram()
        alone = rule.read(rule.step(rule.init(5), X, y))
        np.testing.assert_allclose(comparison.ours.coef, alone.coef, rtol=1e-9)
        np.testing.assert_allclose(comparison.method("ours").theta, np.append(alone.coef, alone.intercept), rtol=1e-9)

    @pytest.mark.parametrize("stream", [paper, gross], ids=lambda stream: stream.__name__)
    def test_errors_of_fits_are_those_of_a_loop_that_looks_at_rows_before_it_learns(
        self, stream: Callable[..., Stream]
    ) -> None:
        X, y = stream(1500)
        errors: dict[str, list[float]] = {"ours": [], "least_squares": []}
        rule = Gram()
        state, begin = rule.init(5), 0
        for first, last in windows(1500, PILOT):
            state, begin = rule.step(state, X[begin:first], y[begin:first]), first
            ours = rule.read(state)
            fits = {
                "ours": np.append(ours.coef, ours.intercept),
                "least_squares": batch_least_squares(X[:first], y[:first]),
            }
            for name, theta in fits.items():
                errors[name] += np.abs(y[first:last] - X[first:last] @ theta[:-1] - theta[-1]).tolist()
        comparison = said(X, y)
        assert comparison.scored == 1500 - PILOT
        for name, found in errors.items():
            for share in SHARES:
                exact = np.quantile(found, share, method="inverted_cdf")
                assert comparison.method(name).loss[share] == pytest.approx(exact, rel=0.01)

    def test_descents_are_those_of_a_loop_with_sequential_validation(self) -> None:
        X, y = paper(1500)
        plain, clipped, errors, thetas = sequential_validation(X, y)
        comparison = said(X, y)
        for name, found in errors.items():
            for share in SHARES:
                exact = np.quantile(found, share, method="inverted_cdf")
                assert comparison.method(name).loss[share] == pytest.approx(exact, rel=0.01)
        np.testing.assert_allclose(comparison.method("sgd").theta, thetas[:, plain], rtol=1e-9)
        np.testing.assert_allclose(comparison.method("clipped_sgd").theta, thetas[:, clipped], rtol=1e-9)

    def test_what_people_write_first_is_a_step_on_raw_columns(self) -> None:
        X, y = paper(400)
        theta = np.zeros(6)
        for t, (x, target) in enumerate(zip(X, y, strict=True), 1):
            theta += WRITTEN_GAIN / t**0.25 * (target - x @ theta[:-1] - theta[-1]) * np.append(x, 1.0)
        np.testing.assert_allclose(said(X, y).method("sgd_as_written").theta, theta, rtol=1e-9)


def sequential_validation(X: np.ndarray, y: np.ndarray) -> tuple[int, int, dict[str, list[float]], np.ndarray]:
    """All candidates row by row, and the one that is ahead at the beginning of each window; and where they end."""
    pilot, columns = PILOT, X.shape[1]
    middle = np.sort(X[:pilot], axis=0)[(pilot - 1) // 2]
    level = np.sort(y[:pilot])[(pilot - 1) // 2]
    grid = descents.candidates(columns + 1)[racing.STILL :]
    gain, delay, limits = grid.T
    theta, scores, second = np.zeros((columns + 1, len(grid))), np.zeros(len(grid)), np.zeros(columns + 1)
    scale = 1.4826 * np.sort(np.abs(y[:pilot] - level))[pilot // 2]
    errors: dict[str, list[float]] = {"sgd": [], "clipped_sgd": []}
    edges, ahead = {last for _, last in windows(len(X), pilot)} | {pilot}, (0, 0)
    for t, (x, target) in enumerate(zip(X, y, strict=True), 1):
        row = np.append(x - middle, 1.0)
        second += (row**2 - second) / t
        missed = target - level - row @ theta
        if t > pilot:
            errors["sgd"].append(abs(missed[ahead[0]]))
            errors["clipped_sgd"].append(abs(missed[ahead[1]]))
        scores += min(1.0, 5.0 / t) * (np.abs(missed) - scores)
        bound = limits * scale * np.sqrt((t + delay) / (row**2 / second).sum())
        theta += gain / (t + delay) * np.clip(missed, -bound, bound) * (row / second)[:, None]
        if t in edges:
            ahead = int(np.argmin(scores[:4])), 4 + int(np.argmin(scores[4:]))
        if t in edges and t > pilot:
            # The median as it is told: by bins.
            told = np.quantile(errors["clipped_sgd"], 0.5, method="inverted_cdf")
            power = math.floor(math.log2(told)) + 1
            scale = 1.4826 * (math.floor((told / 2.0**power - 0.5) * 128) + 0.5 + 64) / 128 * 2.0**power
    ends = np.vstack([theta[:-1], level + theta[-1] - middle @ theta[:-1]])
    return ahead[0], ahead[1], errors, ends


class TestLaws:
    X, y = paper(2600)

    def test_any_chunking_gives_the_same_bits(self) -> None:
        whole, random = taken(self.X, self.y), np.random.default_rng(1)
        for pieces in (1, 5, 60):
            cuts = np.sort(random.choice(len(self.X), pieces, replace=False))
            assert taken(self.X, self.y, cuts).same_bits(whole)

    def test_one_row_at_a_time_gives_the_same_bits(self) -> None:
        X, y = self.X[:400], self.y[:400]
        assert taken(X, y, range(1, 400)).same_bits(taken(X, y))

    def test_going_on_from_a_file_gives_the_same_bits(self, tmp_path: Path) -> None:
        for rows in (40, 900):
            save(str(tmp_path / "run.tps"), Saved(RULE, taken(self.X[:rows], self.y[:rows])))
            saved = load(str(tmp_path / "run.tps"))
            assert saved.rule == RULE
            assert RULE.step(saved.state, self.X[rows:], self.y[rows:]).same_bits(taken(self.X, self.y))

    def test_looking_changes_nothing(self) -> None:
        for rows in (0, 3, 99, 100, 1234):
            state = taken(self.X[:rows], self.y[:rows])
            before = state.copy()
            json.loads(RULE.read(state).to_json(), parse_constant=pytest.fail)
            assert state.same_bits(before)

    @pytest.mark.parametrize("rows", [0, 3, 99, 100, 700])
    def test_an_empty_state_is_neutral(self, rows: int) -> None:
        state = taken(self.X[:rows], self.y[:rows])
        assert RULE.merge(state.copy(), RULE.init(5)).same_bits(state)
        assert RULE.merge(RULE.init(5), state.copy()).same_bits(state)

    @pytest.mark.parametrize("cut", [40, 120, 1300, 2560])
    def test_parts_merge(self, cut: int) -> None:
        a, b = taken(self.X[:cut], self.y[:cut]), taken(self.X[cut:], self.y[cut:])
        merged, whole = RULE.read(RULE.merge(a, b)), said(self.X, self.y)
        assert merged.rows == len(self.X)
        for name in ("ours", "least_squares"):
            error = np.abs(merged.method(name).theta - whole.method(name).theta).max()
            assert error < (1e-9 if name == "least_squares" else 0.01)
        assert np.abs(merged.method("huber").theta - whole.method("huber").theta).max() < 0.02
        for method in whole.methods:
            # Descents begin anew in each part.
            close = 0.1 if method.name in ("ours", "least_squares", "huber") else 0.5
            assert merged.method(method.name).loss[0.95] == pytest.approx(method.loss[0.95], rel=close)

    def test_rows_that_stand_out_keep_their_numbers_when_parts_merge(self) -> None:
        X, y = gaussian(1000)
        y[[300, 800]] += 500.0
        a, b = taken(X[:600], y[:600]), taken(X[600:], y[600:])
        assert {row for row, _ in RULE.read(RULE.merge(a, b)).longest[:2]} == {301, 801}

    def test_machine_code_is_the_plain_loop(self, monkeypatch: pytest.MonkeyPatch) -> None:
        machine = taken(self.X, self.y)
        kernel = compiled.kernel
        monkeypatch.setattr(
            compiled, "kernel", lambda name, **work: getattr(racing, name, None) or kernel(name, **work)
        )
        with np.errstate(all="ignore"):
            plain = taken(self.X, self.y)
        assert plain.same_bits(machine)

    def test_rows_that_are_not_finite_are_refused_whole(self) -> None:
        X, y = self.X[:700].copy(), self.y[:700].copy()
        X[5, 2], X[300, 0], y[301] = np.nan, np.inf, np.nan
        state = taken(X, y)
        assert state.counts[1] == 3
        clean = taken(np.delete(X, [5, 300, 301], axis=0), np.delete(y, [5, 300, 301]))
        state.counts[1] = 0
        assert state.same_bits(clean)

    @pytest.mark.parametrize("at", [3, 50, 500])
    @pytest.mark.parametrize("value", [1.7e308, 1e200, -1e150, -1e20])
    def test_the_wildest_rows_leave_all_finite(self, at: int, value: float) -> None:
        X, y = gaussian(1500)
        X[at, 1], y[at + 1], y[at + 2] = value, value, -value
        state = taken(X, y)
        assert all(np.isfinite(array).all() for array in state.values())
        comparison = RULE.read(state)
        assert abs(value) > 1e50 or np.abs(comparison.ours.coef - 1 / math.sqrt(5)).max() < 0.2
        assert "clipping matters here" in comparison.verdict
        json.loads(comparison.to_json(), parse_constant=pytest.fail)

    def test_memory_does_not_grow(self) -> None:
        assert taken(self.X, self.y).nbytes == RULE.init(5).nbytes


class TestVerdict:
    def test_light_tails_do_not_need_it(self) -> None:
        assert said(*gaussian(20_000)).verdict == "you do not need this: least squares is as good here"

    def test_gross_rows_do(self) -> None:
        comparison = said(*gross(20_000))
        assert comparison.verdict.startswith("clipping matters here: least squares is ")
        assert "rows were set aside as gross" in comparison.verdict
        assert "SGD:" in comparison.verdict

    def test_huber_is_better_where_noise_is_symmetric(self) -> None:
        assert "Huber" not in said(*gaussian(5000)).verdict
        X, y = symmetric(20_000)
        comparison = said(X, y)
        assert comparison.farthest(comparison.method("huber"))[1] < 3.0
        assert "Huber agrees with ours: if the errors are symmetric" in comparison.verdict
        exact = np.append(np.ones(5), 0.0)
        errors = {name: np.linalg.norm(comparison.method(name).theta - exact) for name in ("ours", "huber")}
        assert errors["huber"] < errors["ours"]

    @pytest.mark.parametrize("stream", [paper, far, skewed], ids=lambda stream: stream.__name__)
    def test_huber_aims_at_something_else_where_noise_is_skewed(self, stream: Callable[..., Stream]) -> None:
        comparison = said(*stream(20_000))
        name, away = comparison.farthest(comparison.method("huber"))
        assert away > 10.0
        assert f"it is {away:.1f} standard errors away ({name}): with skewed errors" in comparison.verdict

    def test_an_offset_and_a_scale_change_nothing(self) -> None:
        here, there, scale = said(*paper(5000)), said(*far(5000)), said(*scaled(5000))
        for name in ("least_squares", "huber", "clipped_sgd", "sgd"):
            # At the origin the intercept's own standard error may be the smaller.
            assert 0.5 < there.farthest(there.method(name))[1] / here.farthest(here.method(name))[1] <= 1.01
            assert scale.farthest(scale.method(name))[1] == pytest.approx(here.farthest(here.method(name))[1], rel=0.01)
            assert there.method(name).loss == pytest.approx(here.method(name).loss, rel=0.02)

    @pytest.mark.parametrize("stream", [scaled, far], ids=lambda stream: stream.__name__)
    def test_sgd_on_raw_columns_diverges(self, stream: Callable[..., Stream]) -> None:
        comparison = said(*stream(1000))
        assert comparison.diverged(comparison.method("sgd_as_written"))
        assert "SGD, raw columns diverged at row" in comparison.verdict
        assert comparison.to_dict()["methods"]["sgd_as_written"]["coefficients"]["x0"] is None

    def test_few_rows_are_not_judged(self) -> None:
        for rows in (0, 1, 99, 150):
            assert said(*gaussian(rows)).verdict.startswith("too few rows to compare: ")

    @pytest.mark.parametrize("target", [0.0, 7.0])
    def test_a_constant_target(self, target: float) -> None:
        X, _ = gaussian(500)
        comparison = said(X, np.full(500, target))
        assert comparison.verdict == "you do not need this: least squares is as good here"
        assert comparison.tail_index is None

    def test_a_target_that_the_columns_tell_exactly(self) -> None:
        X, _ = gaussian(1000)
        comparison = said(X, X.sum(axis=1))
        assert comparison.verdict == "you do not need this: least squares is as good here"
        assert comparison.farthest(comparison.method("huber"))[1] < 0.5

    def test_the_tail_index(self) -> None:
        X, _ = gaussian(50_000)
        heavy = said(X, X.sum(axis=1) + np.random.default_rng(2).standard_t(2.0, 50_000))
        assert heavy.tail_index == pytest.approx(2.0, abs=0.6)
        assert said(*gaussian(50_000)).tail_index > 5.0
        assert said(*gaussian(1000)).tail_index is None

    def test_the_rows_that_move_plain_sgd_most(self) -> None:
        X, y = gaussian(3000)
        y[2000] += 100.0
        X[2500] *= 20.0
        y[2500] += 30.0
        assert {row for row, _ in said(X, y).longest[:2]} == {2001, 2501}


def test_beyond_a_thousand_columns_least_squares_is_left_out() -> None:
    X, y = gaussian(400, 1001)
    comparison = said(X, y, Compare(ours=TunedSGD()))
    assert [method.name for method in comparison.methods] == ["ours", "clipped_sgd", "sgd", "sgd_as_written"]
    assert comparison.verdict.startswith("least squares and Huber were left out: 1,001 features are too many")
    json.loads(comparison.to_json(), parse_constant=pytest.fail)


def test_one_column_and_no_intercept() -> None:
    X, y = gaussian(1000, 1)
    assert said(X, y).terms == ["x0", "intercept"]
    comparison = said(X, y, Compare(ours=Gram(intercept=False)))
    assert comparison.theta[-1] == 0.0
    json.loads(comparison.to_json(), parse_constant=pytest.fail)


def test_it_needs_columns_and_a_target() -> None:
    with pytest.raises(RuleError, match="at least one column"):
        RULE.init(0)
    with pytest.raises(RuleError, match="needs a target"):
        RULE.step(RULE.init(2), np.zeros((3, 2)))


def test_squares_stop_below_what_a_float_holds() -> None:
    assert FAR**2 * 1e20 < 1.7e308
