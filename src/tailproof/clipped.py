"""ClippedSGD: the paper's Algorithm 1 as a rule, for any loss, level, steps and domain."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from . import compiled
from .domains import Everywhere
from .errors import RuleError
from .estimate import DescentEstimate, MeanEstimate, Signs
from .estimator import NO_TARGETS, as_rows, as_targets, plain_rows, runs, same_columns, some
from .intervals import Spread
from .lanes import padded, registers
from .levels import AnyTime, SelfTuned
from .loop import HUGE, Descent
from .losses import Location
from .piece import piece
from .row_loop import SHORT
from .state import Layout, State, aligned
from .steps import Harmonic

# Rows that a self-tuned level looks at before the first step.
PILOT = 8


@piece
class ClippedSGD:
    """theta <- P(theta - eta_t clip(g_t, lambda)), one row a step, last iterate.

    bars: also keep what an error bar for a mean is made of, four more vectors.
    """

    loss: Any = Location()
    level: Any = SelfTuned()
    steps: Any = Harmonic()
    domain: Any = Everywhere()
    bars: bool = False

    def check(self) -> None:
        """Refuse settings that make no sense."""
        needed = {
            "loss": ("value", "gradient"),
            "level": ("prepare", "allow", "learn"),
            "steps": ("size",),
            "domain": ("pull",),
        }
        for field, verbs in needed.items():
            given = getattr(self, field)
            if isinstance(given, type) or not all(hasattr(given, verb) for verb in verbs):
                raise RuleError(f"{given!r} cannot be the {field} of ClippedSGD: it lacks {' or '.join(verbs)}")
        if self.bars and not isinstance(self.loss, Location):
            raise RuleError("bars=True is for loss=Location()")

    def init(self, columns: int, start: ArrayLike | None = None) -> State:
        """A state of no rows, at `start` (the origin unless given)."""
        if columns < 1:
            raise RuleError("a descent needs at least one column")
        state = State.zeros(self.layout(columns))
        state.parts[0] = 1
        if start is not None:
            state.theta[...] = np.broadcast_to(np.asarray(start, np.float64), (columns,))
            if not np.isfinite(state.theta).all():
                raise RuleError("the start must be finite")
        self.domain.pull(state.theta)
        self.level.prepare(state.memory, columns)
        state.shards[0] = getattr(self.level, "shards", 1.0)
        return state

    def layout(self, columns: int) -> Layout:
        """What a state holds."""
        pilot = PILOT if isinstance(self.level, SelfTuned) else 0
        return {
            "theta": (np.float64, (columns,)),
            "memory": (np.float64, (2,)),
            "counts": (np.int64, (3,)),
            "bars": (np.float64, (4 if self.bars else 0, columns)),
            "pilot": (np.float64, (pilot, columns + 1 if pilot else 0)),
            "waiting": (np.int64, (1,)),
            "parts": (np.int64, (1,)),
            "shards": (np.float64, (1,)),
        }

    def columns(self, state: State) -> int:
        """How many columns the state has."""
        return len(state.theta)

    def step(self, state: State, X: ArrayLike, y: ArrayLike | None = None) -> State:
        """Take rows in, in order. Rows with NaN or inf are refused whole and counted."""
        if state.at_hand is not None and state.at_hand(self, X, y):
            return state
        matrix = as_rows(X, len(state.theta))
        targets = as_targets(y, matrix.shape[0])
        if isinstance(self.loss, Location) and targets is not None and not np.isfinite(targets).all():
            # A mean never looks at its targets, so they are looked at here.
            known = np.isfinite(targets)
            state.counts[1] += len(targets) - known.sum()
            matrix, targets = matrix[known], targets[known]
        begin = self._pilot(state, matrix, targets)
        if begin < matrix.shape[0]:
            single = compiled.awake() and self._loop(len(state.theta)) != "descend"
            for offset, rows in runs(matrix[begin:], single):
                self._descend(state, rows, some(targets, begin + offset, len(rows)))
        return state

    def _descend(self, state: State, rows: Any, targets: Any) -> None:
        rule, columns = self._used(state), len(state.theta)
        name = self._loop(columns)
        run = compiled.kernel(name, self.loss, rule.level, self.steps, self.domain)
        room = aligned((2, padded(columns)))
        descent = Descent(state.theta, state.memory, state.counts, state.bars, room[0, :columns])
        fixed: tuple[Any, ...] = (rule, descent)
        if name != "descend":
            fixed = (rule, descent, room, registers(columns), not isinstance(self.domain, Everywhere))
        try:
            run(*fixed, rows, targets)
        except Exception as error:
            if not compiled.too_clever(error):
                raise
            pieces = ", ".join(type(piece).__name__ for piece in self[:4])  # type: ignore[index]
            raise RuleError(
                f"one of {pieces} cannot be made machine code; its methods may use numbers, arrays, loops and "
                f"the math module only. {str(error).strip().splitlines()[0]}"
            ) from error
        if len(rows) == 1 and rows.dtype == np.float64:
            self._keep_at_hand(state, compiled.blindly(run, *fixed, rows, targets), fixed)

    def _keep_at_hand(self, state: State, run: Any, fixed: tuple[Any, ...]) -> None:
        """One row came by itself, so the next may: have all ready that is the same for both."""
        columns, location, shards, held = (
            len(state.theta),
            isinstance(self.loss, Location),
            state.shards,
            state.shards[0],
        )
        none, one = NO_TARGETS[:1], np.empty(1)

        def take(rule: ClippedSGD, X: Any, y: Any) -> bool:
            """Whether these rows could be taken in at once, and were."""
            if rule is not self or shards[0] != held or not plain_rows(X, columns):
                return False
            rows = X if X.ndim == 2 else X.reshape(1, columns)
            count = len(rows)
            if y is None:
                targets = none if count == 1 else NO_TARGETS[:count]
            elif location:
                return False
            elif type(y) is float and count == 1:
                one[0] = y
                targets = one
            elif plain_rows(y, count):
                targets = y if y.ndim == 1 else y.reshape(count)
            else:
                return False
            run((*fixed, rows, targets))
            return True

        state.at_hand = take if run is not None else None

    def _loop(self, columns: int) -> str:
        """The fastest loop that computes this rule; laws hold each to `descend`."""
        if self.bars or not (isinstance(self.loss, Location) or hasattr(self.loss, "slope")):
            return "descend"
        name = "spot" if isinstance(self.loss, Location) else "line"
        return f"{name}_in_registers" if columns <= SHORT else name

    def _used(self, state: State) -> Any:
        """The rule as this state uses it: after merging, fewer shards are still missing."""
        if not isinstance(self.level, SelfTuned):
            return self
        return self._replace(level=self.level._replace(shards=max(1.0, float(state.shards[0]))))  # type: ignore[attr-defined]

    def _pilot(self, state: State, rows: Any, targets: Any) -> int:
        """Hold the first rows back until there are enough to set the scale by. Returns how many rows it took."""
        taken = 0
        while state.waiting[0] < len(state.pilot) and taken < len(rows):
            row = np.append(rows[taken].astype(np.float64), some(targets, taken, 1))
            taken += 1
            # There is no level yet to clip an overflowing gradient to. (NaN is not below HUGE either.)
            with np.errstate(over="ignore", invalid="ignore"):
                begun = self._squared_lengths(state, row[None, :-1], row[-1:])[0] < HUGE and (row**2).sum() < HUGE
            if not begun:
                state.counts[1] += 1
                continue
            state.pilot[state.waiting[0]] = row
            state.waiting[0] += 1
            if state.waiting[0] == len(state.pilot):
                self._begin(state)
        return taken

    def _begin(self, state: State) -> None:
        """Set the scale by the pilot rows: for the mean start at their geometric median, else replay them."""
        rows, targets = state.pilot[:, :-1], np.ascontiguousarray(state.pilot[:, -1])
        location = isinstance(self.loss, Location)
        if location:
            state.theta[...] = geometric_median(rows)
            self.domain.pull(state.theta)
        squared = self._squared_lengths(state, rows, targets)
        state.memory[0] = len(rows) * float(np.median(squared))
        if location:
            self._count_pilot(state, rows)
            return
        held = state.memory[0]
        buffer = aligned(rows.shape)
        buffer[...] = rows
        self._descend(state, buffer, targets)
        # The replay tells the level these rows a second time: only the first telling counts.
        state.memory[0] = held

    def _squared_lengths(self, state: State, rows: Any, targets: Any) -> Any:
        gradient = np.empty(rows.shape[1])
        with np.errstate(over="ignore", invalid="ignore"):
            lengths = [self.loss.gradient(state.theta, rows[i], targets[i], gradient) for i in range(len(rows))]
        return np.nan_to_num(np.array(lengths, np.float64), nan=HUGE, posinf=HUGE)

    def _count_pilot(self, state: State, rows: Any) -> None:
        """The median of the pilot stands for its rows; the bar sees how far each of them is from it."""
        state.counts[0] += len(rows)
        if self.bars:
            state.bars[...] = first_bars(rows, state.theta)

    def merge(self, a: State, b: State) -> State:
        """Parameter mixing: means weighted by rows. It is not the single pass, and the estimate says so."""
        same_columns(a, b)
        if b.counts[0] == 0:
            return self._replay(a, b)
        if a.counts[0] == 0:
            return self._replay(b, a)
        share = float(b.counts[0]) / float(a.counts[0] + b.counts[0])
        a.theta[...] = a.theta * (1.0 - share) + b.theta * share
        if isinstance(self.level, SelfTuned | AnyTime):
            # Sums over the rows of each.
            a.memory[0] += b.memory[0]
        if isinstance(self.level, SelfTuned):
            a.shards[0] = max(1.0, 1.0 / (1.0 / a.shards[0] + 1.0 / b.shards[0]))
        a.bars[:2] += b.bars[:2]
        a.bars[2:] = np.maximum(a.bars[2:], b.bars[2:])
        a.counts[...] += b.counts
        a.parts[...] += b.parts
        return a

    def _replay(self, state: State, short: State) -> State:
        """A state that has not begun still holds its rows as they came."""
        state.counts[1] += short.counts[1]
        held = short.pilot[: int(short.waiting[0])]
        return self.step(state, held[:, :-1].copy(), held[:, -1].copy()) if len(held) else state

    def read(self, state: State) -> Any:
        """Where the descent stands; for a mean with bars, a `MeanEstimate`."""
        if self.bars:
            return self._mean(state)
        rows = int(state.counts[0]) + self._held(state)
        return DescentEstimate(
            rule=repr(self),
            rows=rows,
            refused=int(state.counts[1]),
            theta=self._theta(state),
            share_clipped=int(state.counts[2]) / max(rows, 1),
            level=float(self._used(state).level.allow(state.memory)),
            certificate=self.certificate(state),
            note=self._note(state),
        )

    def _held(self, state: State) -> int:
        """Rows that wait for the pilot to be full."""
        return int(state.waiting[0]) if state.waiting[0] < len(state.pilot) else 0

    def _theta(self, state: State) -> Any:
        held = self._held(state)
        if held and isinstance(self.loss, Location):
            return geometric_median(state.pilot[:held, :-1])
        return state.theta.copy()

    def _note(self, state: State) -> str:
        parts = int(state.parts[0])
        return f"an average of {parts} separate descents, not one descent over all rows" if parts > 1 else ""

    def certificate(self, state: State) -> float:
        """How far at most one more row can move theta: the next step times the level. Projection only shortens it."""
        if self._held(state) or (len(state.pilot) and state.counts[0] == 0):
            return float("inf")
        step = self.steps.size(float(state.counts[0] + 1))
        return float(step * self._used(state).level.allow(state.memory))

    def _mean(self, state: State) -> MeanEstimate:
        held = self._held(state)
        seen = int(state.counts[0]) + held
        rows, columns = max(seen, 1), len(state.theta)
        theta = self._theta(state) if seen else np.full(columns, np.nan)
        bars = first_bars(state.pilot[:held, :-1], theta) if held else state.bars
        squares, removed, above, below = bars
        limit = float(self._used(state).level.allow(state.memory))
        spread = Spread(
            centre=theta,
            error=np.sqrt(squares / max(rows * (rows - 1), 1)),
            removed=removed / rows,
            above=above.copy(),
            below=below.copy(),
            kept_above=np.minimum(above, limit),
            kept_below=np.minimum(below, limit),
        )
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            farthest = np.maximum(above, below) / np.sqrt(squares)
        signs = Signs(
            clipped=np.full(columns, float(state.counts[2])),
            cut_low=np.zeros(columns),
            cut_high=np.zeros(columns),
            leaders=np.zeros(columns),
            leading=np.zeros(columns),
            farthest=farthest,
            tail=np.full(columns, np.inf),
            rare=np.zeros(columns, bool),
        )
        return MeanEstimate(
            rule=repr(self),
            rows=seen,
            refused=int(state.counts[1]),
            spread=spread,
            plain_mean=theta + removed / rows,
            signs=signs,
            note=self._note(state),
        )


def first_bars(rows: Any, theta: Any) -> Any:
    """What the error bar needs of rows that are all there, about theta, none of them clipped."""
    pulls = rows - theta
    farthest = [np.maximum(pulls.max(axis=0), 0.0), np.maximum(-pulls.min(axis=0), 0.0)]
    return np.array([(pulls**2).sum(axis=0), pulls.sum(axis=0), *farthest])


def geometric_median(rows: Any) -> Any:
    """The point with the least sum of distances to the rows, by Weiszfeld's steps from the middle of each column."""
    theta = np.median(rows, axis=0)
    scale = float(np.abs(rows - theta).max())
    if not 0.0 < scale < np.inf:
        return theta
    for _ in range(60):
        distances = np.sqrt((((rows - theta) / scale) ** 2).sum(axis=1)) + 1e-300
        weights = 1.0 / distances
        theta = (rows * (weights / weights.sum())[:, None]).sum(axis=0)
    return theta
