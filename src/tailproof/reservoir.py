"""Which rows are remembered one by one, and in what units all others are added up.

The first 2m rows are kept as they came. Then units are taken from them, the m most extreme stay, and the others join
the core, a sum of outer products. Later rows come in blocks: those more extreme than the least of the m enter, the
others join the core. When 2m are kept, or a share more rows has been seen, all is solved anew and the m most extreme
stay. Blocks are cut by the number of rows, so that any chunking of a stream gives the same bits.
"""

from functools import cache, cached_property
from math import ceil, sqrt
from types import ModuleType

import numpy as np
from numpy.typing import NDArray

from .batch import Numbers, Problem, Solution
from .core import (
    BLOCKS,
    BOUND,
    CORE,
    DUE,
    EQUAL,
    GROSS,
    HEFT,
    KEPT,
    LEAST,
    MIDDLE,
    NOISE,
    OVER,
    REJECTED,
    USED,
    WAITING,
    WEIGHT,
    Core,
)
from .state import State, aligned
from .units import ROOM, Units, held_back, in_units, middle, moderate, refer, units_of

# No squared score is larger.
LONGEST = 1e300
# Blocks have so few rows until this many high ones would have been seen.
LOW, LOWER = 256, 8
# How nearly a solution is to be settled that only ranks rows.
ROUGH = 1e-2
# Up to this many coefficients scores are exact; beyond, as many directions tell them to a third, which ranks rows.
EXACT, DIRECTIONS = 64, 16
# All is solved anew when this many times the rows have been seen; solving wide problems costs more.
GROWTH, GROWTH_WIDE = 1.3, 1.6
# Error bars of many coefficients look at every so-many-th block, once there are enough blocks.
SPARSE, SETTLED = 8, 16


def kept_rows(width: int) -> int:
    """The m rows that are remembered one by one."""
    return ceil(0.75 * width) + 100


def block_rows(width: int) -> int:
    """Rows of a high block: narrow ones go in higher blocks, for what is done once a block must not weigh."""
    return 1024 if width <= EXACT + 1 else 512


class Reservoir(Core):
    """A state at work: the rows that are kept, beside the core."""

    def __init__(self, state: State, family: ModuleType, intercept: bool, judge: bool) -> None:
        super().__init__(state, family, intercept)
        self.judge, self.keep = judge, len(state.rows) // 2

    @cached_property
    def _room(self) -> Numbers:
        return aligned((len(self.state.waiting), self.width + 1))

    @property
    def block(self) -> int:
        """Rows of the block that is being filled: few while a higher one would be most of what has been seen."""
        high = len(self.state.waiting)
        return high if self.counts[USED] - self.counts[WAITING] >= LOWER * high else LOW

    @property
    def begun(self) -> bool:
        """Whether there are units and a core."""
        return bool(self.counts[DUE] > 0)

    @property
    def full_next(self) -> bool:
        """Whether the next row makes a block whole, or the first rows enough to begin with."""
        return self.wanted == 1

    def middling(self) -> tuple[Numbers, Numbers]:
        """A row that says nothing new."""
        shift = self.state.shift if self.begun else middle(self.state.rows[: int(self.counts[KEPT])])
        if not self.intercept:
            shift = np.zeros_like(shift)
        return shift[None, :-1].copy(), shift[-1:].copy()

    # ------------------------------------------------------------------------------------------ taking rows in

    @property
    def wanted(self) -> int:
        """Rows that make the next block whole, or that are enough to begin with."""
        if not self.begun:
            return 2 * self.keep - int(self.counts[KEPT])
        return self.block - int(self.counts[WAITING])

    def take(self, rows: Numbers, targets: Numbers) -> None:
        """Finite rows, in order."""
        begin = 0
        while begin < len(rows):
            if not self.begun:
                begin += self._collect(rows[begin:], targets[begin:])
            elif self.counts[WAITING] == 0 and len(rows) - begin >= self.block:
                self._take_block(rows[begin : begin + self.block], targets[begin : begin + self.block])
                begin += self.block
            else:
                begin += self._wait(rows[begin:], targets[begin:])
        self.complete()

    def _collect(self, rows: Numbers, targets: Numbers) -> int:
        """The first 2m rows are kept as they are."""
        kept = int(self.counts[KEPT])
        some = min(len(rows), 2 * self.keep - kept)
        self.state.rows[kept : kept + some, :-1] = rows[:some]
        self.state.rows[kept : kept + some, -1] = targets[:some]
        self.counts[KEPT] += some
        self.counts[USED] += some
        if self.counts[KEPT] == 2 * self.keep:
            self._begin()
        return some

    def _wait(self, rows: Numbers, targets: Numbers) -> int:
        """Rows of a block that is not full yet."""
        waiting = int(self.counts[WAITING])
        some = min(len(rows), self.block - waiting)
        self.state.waiting[waiting : waiting + some, :-1] = rows[:some]
        self.state.waiting[waiting : waiting + some, -1] = targets[:some]
        if waiting + some == self.block:
            # These are counted with the block.
            whole = self.state.waiting[: self.block]
            self.counts[USED] -= waiting
            self.counts[WAITING] = 0
            self._take_block(whole[:, :-1], whole[:, -1])
            # A state does not tell by which way its rows came.
            whole[...] = 0.0
        else:
            self.counts[WAITING] += some
            self.counts[USED] += some
        return some

    def _begin(self) -> None:
        """There are 2m rows: take units from them, solve, and let the less extreme half join the core."""
        problem, units = self.problem()
        self.state.shift[...], self.state.exponent[...] = units
        self.numbers[MIDDLE] = middle(self.state.rows)[-1]
        self.counts[EQUAL] = self._equal(self.state.rows[:, -1])
        self.state.prior[...] = problem.prior
        solution = self.family.solve(problem)
        if self.family.OF_TARGETS:
            self.state.reference[...] = solution.theta
            solution = solution._replace(theta=np.zeros(self.width))
        self._learn(solution)
        self._thin(solution.scores)
        self._next()

    def _next(self) -> None:
        """When all is to be solved anew."""
        growth = GROWTH if self.width <= EXACT else GROWTH_WIDE
        self.counts[DUE] = max(int(self.counts[USED] * growth), 1)

    def _equal(self, targets: Numbers) -> int:
        return int((targets == self.numbers[MIDDLE]).sum())

    def take_even(self, rows: Numbers, targets: Numbers) -> bool:
        """Take rows that may not be finite, if they make a whole block of moderate numbers: one look for both. At last
        `complete`."""
        even = self.begun and self.counts[WAITING] == 0 and len(rows) == self.block
        even = even and in_units(rows, targets, self.measured, self._room[: len(rows)])
        if even:
            self._take_block(rows, targets, even)
        return even

    def _take_block(self, rows: Numbers, targets: Numbers, even: bool = False) -> None:
        """A whole block: what is extreme is kept, the rest joins the core. Where it is even, it is in units already."""
        self.counts[USED] += len(rows)
        self.counts[BLOCKS] += 1
        self.counts[EQUAL] += self._equal(targets)
        seen = self._room[: len(rows)]
        even = even or in_units(rows, targets, self.measured, seen)
        chosen, scores, left, close = self._choose(seen)
        if not (even and close) and not moderate(seen):
            self.make_room(np.delete(rows, chosen, axis=0), np.delete(targets, chosen))
            in_units(rows, targets, self.measured, seen)
            chosen, scores, left, _ = self._choose(seen)
        self.join(seen, left, len(rows) - len(chosen), self._share_of_bars())
        for k in range(len(chosen)):
            self._enter(rows[chosen[k]], targets[chosen[k]], float(scores[chosen[k]]))
        if self.counts[USED] >= self.counts[DUE]:
            self._refresh()
            self._next()

    def _choose(self, seen: Numbers) -> tuple[NDArray[np.intp], Numbers, Numbers, bool]:
        """The extreme rows, for which it leaves zeros; all scores; what is left of the others; whether all targets are
        moderate."""
        told = seen[:, :-1] @ self.judges
        targets = held_back(seen[:, -1] - told[:, 0])
        seen[:, -1] = targets
        left = self.family.left_of(targets, told[:, 1])
        scores = self._scores(told[:, 2:], left)
        chosen = np.flatnonzero(scores > self._least())
        if len(chosen):
            # Rows of zeros add nothing.
            seen[chosen], left[chosen] = 0.0, 0.0
        return chosen, scores, left, bool(targets @ targets < 2.0 ** (2 * ROOM))

    def _scores(self, turned: Numbers, left: Numbers) -> Numbers:
        """How extreme rows are: the length of their gradient, and a little more where they lie far out."""
        leverage = np.einsum("ij,ij->i", turned, turned) * (self.numbers[HEFT] / self.width)
        even = self.family.EVEN
        squared = (left * left + 0.25 * self.numbers[NOISE]) * (even + (1.0 - even) * leverage)
        found: Numbers = np.sqrt(np.minimum(squared, LONGEST))
        return found

    def _least(self) -> float:
        """The score that lets a row in."""
        least = float(self.numbers[LEAST])
        return min(least, sqrt(self.numbers[BOUND])) if self.counts[GROSS] else least

    def _share_of_bars(self) -> float:
        """How much the block counts for the error bars, which for many coefficients look at some blocks only."""
        if self.width <= EXACT or self.counts[BLOCKS] <= SETTLED:
            return 1.0
        return float(SPARSE) if self.counts[BLOCKS] % SPARSE == 0 else 0.0

    def _enter(self, row: Numbers, target: float, score: float) -> None:
        kept = int(self.counts[KEPT])
        self.state.rows[kept, :-1] = row
        self.state.rows[kept, -1] = target
        self.state.scores[kept] = score
        self.counts[KEPT] += 1
        if self.counts[KEPT] == 2 * self.keep:
            # While rows are called gross the solution is not renewed by their coming.
            if self.counts[GROSS]:
                self._thin(self.state.scores.copy())
            else:
                self._refresh()

    # -------------------------------------------------------------------------------------------- the rows that stay

    def _thin(self, scores: Numbers) -> None:
        """Keep the m most extreme rows; the others join the core."""
        kept = int(self.counts[KEPT])
        order = np.argsort(-scores[:kept], kind="stable")
        stay, go = order[: self.keep], order[self.keep :]
        if len(go):
            self._evict(self.state.rows[go], scores[go])
            self.state.rows[: len(stay)] = self.state.rows[stay]
            self.state.rows[len(stay) :] = 0.0
        self.state.scores[: len(stay)] = scores[stay]
        self.state.scores[len(stay) :] = 0.0
        self.counts[KEPT] = len(stay)
        self.numbers[LEAST] = float(self.state.scores[len(stay) - 1]) if len(stay) else 0.0

    def _evict(self, rows: Numbers, scores: Numbers) -> None:
        seen = self.seen_of(rows[:, :-1], rows[:, -1])
        left = self.family.leftover(seen, self.state.theta)
        if self.counts[GROSS]:
            weights = np.minimum(1.0, self.numbers[BOUND] / np.maximum(scores**2, 1e-300))
            self.join_in_part(seen, left, weights)
        else:
            self.join(seen, left, len(seen))

    # --------------------------------------------------------------------------------------------- solving anew

    def _refresh(self) -> None:
        problem, _ = self.problem()
        solution = self.family.solve(problem, ROUGH)
        self._learn(solution)
        self._thin(solution.scores)

    def _learn(self, solution: Solution) -> None:
        """What later rows are judged by."""
        self.state.theta[...] = solution.theta
        self.state.metric[...] = solution.metric.unroll(directions(self.width))
        self.numbers[HEFT], self.numbers[NOISE] = solution.heft, solution.noise
        self.numbers[BOUND] = solution.bound
        self.counts[GROSS] = solution.gross
        self.judge_anew()

    def problem(self) -> tuple[Problem, Units]:
        """All that is remembered, for the solver, and the units it is in. The state stays as it is."""
        self.complete()
        state, kept, waiting = self.state, int(self.counts[KEPT]), int(self.counts[WAITING])
        rows = np.concatenate([state.rows[:kept], state.waiting[:waiting]])
        seen = aligned((len(rows), self.width + 1))
        units, prior = self.units, state.prior
        equal = int(self.counts[EQUAL]) + self._equal(state.waiting[:waiting, -1])
        if not self.begun:
            units = units_of(rows, self.intercept, self.family.OF_TARGETS)
            equal = int((rows[:, -1] == middle(rows)[-1]).sum())
        in_units(rows[:, :-1], rows[:, -1], self.measure_of(units), seen)
        refer(seen, state.reference)
        if not self.begun:
            prior = self.family.prior(seen[:, :-1])
        count = int(self.counts[USED])
        return Problem(
            rows=seen,
            sums=state.sums,
            aside=state.aside,
            weight=float(self.numbers[WEIGHT]),
            core=int(self.counts[CORE]),
            seen=count,
            rejected=int(self.counts[REJECTED]),
            over=float(self.numbers[OVER]),
            equal=equal,
            judge=self.judge,
            prior=prior,
        ), units


@cache
def directions(width: int) -> Numbers:
    """All of them, or a few with fixed random signs."""
    if width <= EXACT:
        return np.eye(width)
    signs = np.random.default_rng(0).integers(0, 2, (width, DIRECTIONS))
    found: Numbers = np.where(signs > 0, 1.0, -1.0) / sqrt(DIRECTIONS)
    return found
