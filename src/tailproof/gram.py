"""Gram: regression from the Gram matrix of most rows and the most extreme rows as they came. Nothing to tune."""

from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import odds, one_more, squares
from .batch import Problem, Solution
from .core import COUNTS, NUMBERS, PARTS, REFUSED, REJECTED, USED, WRONG
from .domains import Ball, Everywhere
from .errors import RuleError
from .estimator import as_rows, as_targets, runs, same_columns
from .factor import Factor, factor
from .intervals import Spread
from .losses import Logistic, Squared
from .one_thread import one_thread
from .piece import piece
from .reading import errors_of, lengths, placed, redundant, spread_of, turning
from .regression import RegressionEstimate
from .reservoir import DIRECTIONS, EXACT, Reservoir, block_rows, kept_rows
from .state import Layout, State
from .union import union

Numbers = NDArray[np.float64]

# Rows a coefficient from which on the error bars hold.
SETTLED = 3


@piece
class Gram:
    """Coefficients of a linear model of the conditional mean, or of log-odds, safe under heavy tails and gross rows.

    Each row's gradient is clipped in Newton coordinates at a level that the rows set. Memory is O(p^2); the answer
    hardly depends on the order of the rows, and parts merge to what one pass gives, to a hundredth of its error.

    loss: Squared() or Logistic().
    outliers: "auto" leaves rows out that are far beyond what finite variance shows, if they are few; "keep" never.
    domain: Everywhere(), or Ball(radius) for the slopes, as they stand, without the intercept.
    bars: also keep what error bars are made of, another p^2 numbers.
    """

    loss: Any = Squared()
    intercept: bool = True
    outliers: str = "auto"
    domain: Any = Everywhere()
    bars: bool = True

    def check(self) -> None:
        """Refuse settings that make no sense."""
        if not isinstance(self.loss, Squared | Logistic):
            raise RuleError(f"the loss of Gram is Squared() or Logistic(), not {self.loss!r}; ClippedSGD takes any")
        if self.outliers not in ("auto", "keep"):
            raise RuleError(f'outliers must be "auto" or "keep", not {self.outliers!r}')
        if not isinstance(self.domain, Everywhere | Ball):
            raise RuleError(f"the domain of Gram is Everywhere() or Ball(radius), not {self.domain!r}")

    def init(self, columns: int) -> State:
        """A state of no rows."""
        if columns < 1:
            raise RuleError("a regression needs at least one feature")
        state = State.zeros(self.layout(columns))
        state.counts[PARTS] = 1
        return state

    def layout(self, columns: int) -> Layout:
        """What a state holds."""
        width = columns + bool(self.intercept)
        meat = width if self.bars else 0
        # The likelihood of rows set aside is no matter of sums.
        aside = width + 1 if isinstance(self.loss, Squared) else 0
        return {
            "counts": (np.int64, (COUNTS,)),
            "numbers": (np.float64, (NUMBERS,)),
            "shift": (np.float64, (columns + 1,)),
            "exponent": (np.int16, (columns + 1,)),
            "sums": (np.float64, (width + 1, width + 1)),
            "aside": (np.float64, (aside, aside)),
            "reference": (np.float64, (width,)),
            "theta": (np.float64, (width,)),
            "metric": (np.float64, (width, width if width <= EXACT else DIRECTIONS)),
            "prior": (np.float64, (width,)),
            "rows": (np.float64, (2 * kept_rows(width), columns + 1)),
            "scores": (np.float64, (2 * kept_rows(width),)),
            "waiting": (np.float64, (block_rows(width), columns + 1)),
            "meat": (np.float64, (meat, meat)),
            "removed": (np.float64, (width,)),
        }

    @property
    def adds_up(self) -> bool:
        """Whether parts merge to what one pass gives, or nearly, in whatever order the rows came."""
        return True

    def columns(self, state: State) -> int:
        """How many columns the state has."""
        return len(state.shift) - 1

    def step(self, state: State, X: ArrayLike, y: ArrayLike | None = None) -> State:
        """Take rows in, in order. Rows with NaN or inf are refused whole and counted, and, for log-odds, those with
        a target that is neither 0 nor 1."""
        matrix = as_rows(X, self.columns(state))
        targets = as_targets(y, matrix.shape[0])
        if targets is None:
            raise RuleError("a regression needs targets: step(state, X, y)")
        work = self._work(state)
        if len(matrix) < work.wanted:
            return self._step(state, work, matrix, targets)
        with one_thread(work.width):
            return self._step(state, work, matrix, targets)

    def _step(self, state: State, work: Reservoir, matrix: Numbers, targets: Numbers) -> State:
        with np.errstate(over="ignore", invalid="ignore", under="ignore"):
            for begin, rows in runs(matrix):
                self._take(work, rows, targets[begin : begin + len(rows)])
            work.complete()
        return state

    def _take(self, work: Reservoir, rows: Numbers, targets: Numbers) -> None:
        """In pieces that stay in the nearest memory between the look for NaN and the work."""
        begin = 0
        while begin < len(rows):
            piece = slice(begin, begin + work.wanted)
            begin = piece.stop
            some, theirs = rows[piece], targets[piece]
            if self._labelled(theirs) and work.take_even(some, theirs):
                continue
            if not self._sound(some, theirs):
                good = np.isfinite(some).all(axis=1) & self._possible(theirs)
                work.counts[REFUSED] += len(good) - int(good.sum())
                some, theirs = some[good], theirs[good]
            work.take(some, theirs)

    def _sound(self, rows: Numbers, targets: Numbers) -> bool:
        """Whether all rows can be taken. A sum that overflows only makes it look again."""
        return bool(np.isfinite(rows.sum()) and self._possible(targets).all())

    def _labelled(self, targets: Numbers) -> bool:
        """Whether targets are labels, where they must be."""
        return not isinstance(self.loss, Logistic) or bool(self._possible(targets).all())

    def _possible(self, targets: Numbers) -> NDArray[np.bool_]:
        possible: NDArray[np.bool_] = np.isfinite(targets)
        if isinstance(self.loss, Logistic):
            possible = (targets == 0.0) | (targets == 1.0)
        return possible

    @property
    def _family(self) -> ModuleType:
        return odds if isinstance(self.loss, Logistic) else squares

    def _work(self, state: State) -> Reservoir:
        return Reservoir(state, self._family, bool(self.intercept), self.outliers == "auto")

    def merge(self, a: State, b: State) -> State:
        """The rows of both: to about a hundredth of the error as if one state had seen them."""
        same_columns(a, b)
        with one_thread(len(a.theta)), np.errstate(over="ignore", invalid="ignore", under="ignore"):
            return union(self._work(a), self._work(b))

    def read(self, state: State) -> RegressionEstimate:
        """What the rows say now."""
        if state.counts[USED] == 0:
            return self._nothing(state)
        with one_thread(len(state.theta)), np.errstate(all="ignore"):
            return self._answer(state)

    def _nothing(self, state: State) -> RegressionEstimate:
        unknown = np.full(len(state.theta), np.nan)
        return self._estimate(state, Spread(*[unknown] * 7), certificate=np.full(len(state.theta), np.inf))

    def _estimate(self, state: State, spread: Spread, **known: Any) -> RegressionEstimate:
        return RegressionEstimate(
            rule=repr(self),
            rows=int(state.counts[USED]),
            refused=int(state.counts[REFUSED]),
            has_intercept=bool(self.intercept),
            spread=spread,
            log_odds=isinstance(self.loss, Logistic),
            note=self._note(int(state.counts[PARTS]), int(state.counts[REJECTED])),
            **known,
        )

    def _note(self, parts: int, rejected: int) -> str:
        said = [f"merged from {parts} parts: one pass may differ by a hundredth of the error"] if parts > 1 else []
        if rejected and isinstance(self.loss, Logistic):
            said.append(f"maximum likelihood is shown all but without {rejected:,} rows that were set aside on the way")
        return "; ".join(said)

    def _answer(self, state: State) -> RegressionEstimate:
        work = self._work(state)
        problem, units = work.problem()
        turn = turning(units, work.width)
        solution = self._solve(problem, np.diag(turn), state.reference)
        cholesky = factor(solution.matrix)
        inverse = cholesky.inverse()
        spread = spread_of(state, problem, solution, inverse, turn)
        of_targets = work.family.OF_TARGETS
        theta = self._refined(problem, solution)
        rivals = work.family.plain(problem)
        lost = int((solution.weights < 1.0).sum()) + int(state.counts[REJECTED])
        separable = work.family is odds and odds.separable(problem, rivals, cholesky, int(state.counts[WRONG]))
        told = cholesky if work.family is squares else factor(solution.matrix - np.diag(problem.prior))
        untold = redundant(told, self.columns(state))
        spread.error[list(untold)] = np.inf
        return self._estimate(
            state,
            spread._replace(centre=placed(theta + state.reference, turn, units, of_targets)),
            least_squares=placed(rivals + state.reference, turn, units, of_targets),
            least_squares_error=errors_of(work.family.plain_covariance(problem, rivals), turn),
            clipped=0 if solution.gross else lost,
            set_aside=lost if solution.gross else 0,
            certificate=self._certified(state, problem, solution, turn),
            settled=problem.seen >= SETTLED * work.width and not separable,
            constant_target=problem.equal >= problem.seen,
            separable=separable,
            redundant=untold,
        )

    def certificate(self, state: State) -> Numbers:
        """How far at most one more row can move each coefficient, the intercept's last."""
        if state.counts[USED] == 0:
            return np.full(len(state.theta), np.inf)
        with one_thread(len(state.theta)), np.errstate(all="ignore"):
            return self._certified(state, *self._solved(state))

    def _certified(self, state: State, problem: Problem, solution: Solution, turn: Numbers) -> Numbers:
        moved = self._reach(state, problem, solution, turn)
        if self._work(state).full_next:
            # The next row also makes a block whole: what that changes is seen by adding a row of the middle.
            after = state.copy()
            self._work(after).take(*self._work(after).middling())
            moved = np.maximum(moved, self._reach(after, *self._solved(after)))
            moved = moved + np.abs(self.coefficients(after) - self.coefficients(state))
        return moved

    def coefficients(self, state: State) -> Numbers:
        """What `read` says of the coefficients, the intercept's last, and nothing else: in a fraction of the time."""
        with one_thread(len(state.theta)), np.errstate(all="ignore"):
            work = self._work(state)
            problem, units = work.problem()
            turn = turning(units, work.width)
            solution = self._solve(problem, np.diag(turn), state.reference)
            return placed(self._refined(problem, solution) + state.reference, turn, units, work.family.OF_TARGETS)

    def _solved(self, state: State) -> tuple[Problem, Solution, Numbers]:
        work = self._work(state)
        problem, units = work.problem()
        turn = turning(units, work.width)
        return problem, self._solve(problem, np.diag(turn), state.reference), turn

    def _reach(self, state: State, problem: Problem, solution: Solution, turn: Numbers) -> Numbers:
        moved = self._reach_of(problem, solution, turn, state.reference)
        for other in one_more.other_verdicts(self._family, problem, solution):
            under = self._solve(other, np.diag(turn), state.reference)
            apart = turn @ (self._refined(other, under) - self._refined(problem, solution))
            moved = np.maximum(moved, self._reach_of(other, under, turn, state.reference)) + np.abs(apart)
        return moved

    def _reach_of(self, problem: Problem, solution: Solution, turn: Numbers, reference: Numbers) -> Numbers:
        """Each coefficient's farthest way of that length, in its own units."""
        cholesky = factor(solution.matrix)
        length: float = one_more.reach(self._family, problem, solution, cholesky)
        moved = length * lengths(cholesky.white(turn))
        if self.intercept and self._family.OF_TARGETS and length < np.inf:
            moved[-1] = self._intercept_reach(problem, solution, cholesky, turn, length)
        moved = np.nan_to_num(moved, nan=np.inf, posinf=np.inf)
        return self._in_ball(moved, turn @ (solution.theta + reference)) if isinstance(self.domain, Ball) else moved

    def _in_ball(self, moved: Numbers, theta: Numbers) -> Numbers:
        """At the ball's edge slopes can slide all along it, and the intercept goes with them; not where weights know of
        the ball, but there the edge pulls as much as the row."""
        if self._family is odds:
            return 2.0 * moved
        slopes = slice(None, -1) if self.intercept else slice(None)
        if np.linalg.norm(theta[slopes]) + np.linalg.norm(moved[slopes]) >= self.domain.radius:
            moved[slopes] = 2.0 * self.domain.radius
            if self.intercept:
                moved[-1] = np.inf
        return moved

    def _intercept_reach(
        self, problem: Problem, solution: Solution, cholesky: Factor, turn: Numbers, length: float
    ) -> float:
        """By its own clip, and by what the slopes move it by, about the middle of the rows."""
        tilt = turn[-1].copy()
        tilt[:-1] -= turn[-1, -1] * solution.matrix[-1, :-1] / solution.matrix[-1, -1]
        joint = length * float(np.linalg.norm(cholesky.white(np.eye(len(turn))[-1:])))
        own: float = squares.intercept_reach(problem, solution, joint)
        tilt[-1] = 0.0
        return float(abs(turn[-1, -1]) * own + length * lengths(cholesky.white(tilt[None, :]))[0])

    def _solve(self, problem: Problem, scale: Numbers, reference: Numbers) -> Solution:
        """`scale` takes coefficients in units to those of the columns."""
        solution: Solution = self._family.solve(problem)
        if isinstance(self.domain, Ball):
            slopes = scale.copy()
            if self.intercept:
                slopes[-1] = 0.0
            solution = self._family.within(problem, solution, self.domain.radius, slopes, reference)
        return solution

    def _refined(self, problem: Problem, solution: Solution) -> Numbers:
        """With an intercept by the mean's own light clip, where it is a mean."""
        theta = solution.theta.copy()
        if self.intercept and self._family.OF_TARGETS:
            theta[-1] = squares.intercept(problem, solution)
        return theta
