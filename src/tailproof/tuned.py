"""TunedSGD: regression and classification in O(p) memory with nothing to tune, as a rule."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from . import compiled, tuned_answers
from .domains import Everywhere
from .errors import RuleError
from .estimator import as_rows, as_targets, runs, same_columns
from .losses import Logistic, Squared
from .piece import piece
from .regression import RegressionEstimate
from .state import Layout, State, aligned
from .tuned_loop import (
    AGE,
    AVERAGE_BASE,
    BASE,
    BEFORE,
    CLOCK,
    CURVE,
    FAR,
    FIRST,
    GROUPS,
    IN_WINDOW,
    LOG_SCALE,
    LOG_SUM,
    NEVER,
    SHARE,
    TINY,
    UNHEARD,
    WEIGHT,
    WINDOW,
    YOUNG,
    Tuning,
    first_window,
    forget,
)

# Rows that set the scale of every column before the first step.
PILOT = 9
# The typical residual where there is none yet.
FAINTEST_RESIDUAL = 1e-70
# Up to so many features the sandwich's matrices take little next to what they tell.
SMALL = 64


@piece
class TunedSGD:
    """Least squares or maximum likelihood under heavy tails, one row at a time.

    bars: what error bars are made of. "sandwich" keeps two matrices of p x p, "jackknife" eight more descents, each
        without an eighth of the rows; "auto" takes the sandwich for up to 64 features; "none" keeps nothing.
    """

    loss: Any = Squared()
    intercept: bool = True
    domain: Any = Everywhere()
    bars: str = "auto"

    def check(self) -> None:
        """Refuse settings that make no sense."""
        if not isinstance(self.loss, Squared | Logistic):
            raise RuleError(f"the loss of TunedSGD is Squared() or Logistic(), not {self.loss!r}")
        if not isinstance(self.intercept, bool):
            raise RuleError(f"intercept must be True or False, not {self.intercept!r}")
        if isinstance(self.domain, type) or not hasattr(self.domain, "pull"):
            raise RuleError(f"{self.domain!r} cannot be the domain of TunedSGD; take Everywhere() or Ball(radius)")
        if self.bars not in ("auto", "sandwich", "jackknife", "none"):
            raise RuleError(f'bars must be "auto", "sandwich", "jackknife" or "none", not {self.bars!r}')

    def init(self, columns: int) -> State:
        """A state of no rows."""
        if columns < 1:
            raise RuleError("a regression needs at least one feature")
        state = State.zeros(self.layout(columns))
        state.parts[0] = 1
        return state

    def layout(self, columns: int) -> Layout:
        """What a state holds."""
        terms = columns + self.intercept
        bars = self._bars(columns)
        told, sandwich = terms * (bars != "none"), terms * (bars == "sandwich")
        replicas = GROUPS * (bars == "jackknife")
        return {
            "theta": (np.float64, (columns,)),
            "average": (np.float64, (columns,)),
            "middle": (np.float64, (columns,)),
            "squares": (np.float64, (columns,)),
            "seen": (np.int8, (columns,)),
            "clock": (np.float64, (CLOCK,)),
            "counts": (np.int64, (6,)),
            "parts": (np.int64, (1,)),
            "pilot": (np.float64, (PILOT, columns + 1)),
            "curvature": (np.float64, (sandwich, sandwich)),
            "products": (np.float64, (sandwich, sandwich)),
            "removed": (np.float64, (told,)),
            "pulls": (np.float64, (4 if told else 0, told)),
            "replicas": (np.float64, (replicas, terms)),
            "averages": (np.float64, (replicas, terms)),
            "earlier": (np.float64, (4 if told else 0, told)),
            "marks": (np.int64, (2 if told else 0,)),
        }

    def _bars(self, columns: int) -> str:
        if self.bars != "auto":
            return self.bars
        return "sandwich" if columns <= SMALL else "jackknife"

    def columns(self, state: State) -> int:
        """How many columns the state has."""
        return len(state.theta)

    # -------------------------------------------------------------------------------------------- taking rows in

    def step(self, state: State, X: ArrayLike, y: ArrayLike | None = None) -> State:
        """Take rows in, in order. Rows with NaN or inf, or with no usable target, are refused whole and counted."""
        matrix = as_rows(X, len(state.theta))
        targets = self._targets(y, matrix.shape[0])
        begin = self._wait(state, matrix, targets)
        if begin < matrix.shape[0]:
            for offset, rows in runs(matrix[begin:]):
                self._tune(state, rows, targets[begin + offset : begin + offset + len(rows)], PILOT)
        return state

    def _targets(self, y: ArrayLike | None, rows: int) -> Any:
        targets = as_targets(y, rows)
        if targets is None:
            raise RuleError("a regression needs a target for each row: step(state, X, y)")
        if isinstance(self.loss, Logistic):
            return np.where((targets == 0.0) | (targets == 1.0), targets, np.nan)
        return targets

    def _wait(self, state: State, rows: Any, targets: Any) -> int:
        """Hold the first rows back until there are enough to set the scale by. Returns how many rows it took."""
        taken = 0
        while state.counts[0] < PILOT and taken < len(rows):
            row = np.append(rows[taken].astype(np.float64), targets[taken])
            taken += 1
            if not np.isfinite(row).all():
                state.counts[1] += 1
                continue
            state.pilot[state.counts[0]] = row
            state.counts[0] += 1
            if state.counts[0] == PILOT:
                self._begin(state)
        return taken

    def _begin(self, state: State) -> None:
        """Set the scale by the rows held, then learn from them."""
        held = int(state.counts[0])
        rows, targets = state.pilot[:held, :-1].copy(), state.pilot[:held, -1].copy()
        self._set_scale(state, np.clip(rows, -FAR, FAR), np.clip(targets, -FAR, FAR))
        state.counts[0] = 0
        self._tune(state, rows, targets, held)
        state.replicas[:, : len(state.theta)] = state.theta
        state.averages[:, : len(state.theta)] = state.average
        if self.intercept:
            state.replicas[:, -1:] = state.clock[BASE]
            state.averages[:, -1:] = state.clock[AVERAGE_BASE]

    def _set_scale(self, state: State, rows: Any, targets: Any) -> None:
        clock, centre = state.clock, 0.0
        if self.intercept:
            state.middle[...] = np.median(rows, axis=0)
        state.squares[...], state.seen[...] = first_squares(rows - state.middle)
        if self.intercept:
            level = np.sqrt(state.squares / (1.0 + 1.0 / SHARE)) * (state.seen == YOUNG)
            state.middle[...] += np.clip(rows - state.middle, -level, level).mean(axis=0)
            centre = 0.0 if isinstance(self.loss, Logistic) else float(np.median(targets))
        clock[BASE] = centre
        clock[LOG_SCALE] = np.log(first_residual(targets - centre))
        clock[CURVE] = self.loss.curve(0.0)
        clock[WINDOW], clock[BEFORE] = first_window(len(state.theta)), NEVER
        clock[FIRST] = targets[0]

    def _tune(self, state: State, rows: Any, targets: Any, held: int) -> None:
        run = compiled.kernel("tune", self.loss, self.domain)
        run(self.loss, self.domain, self.intercept, _tuning(state, self.intercept), rows, targets, held)

    def taker(self, state: State) -> Callable[[Any, Any], None]:
        """`step` for those who hand rows on one by one, with all that stays the same made ready: a function of a few
        rows in one aligned piece and of their targets, 0 or 1 where these are labels."""
        run, tuning = compiled.kernel("tune", self.loss, self.domain), _tuning(state, self.intercept)

        def take(rows: Any, targets: Any) -> None:
            if state.counts[0] < PILOT:
                self.step(state, rows, targets)
            else:
                run(self.loss, self.domain, self.intercept, tuning, rows, targets, PILOT)

        return take

    def widened(self, state: State, columns: int) -> State:
        """The same with more features behind those that there are, which have been 0 in every row so far.

        What has been learnt stays, and the average starts afresh from it: as a part of the old one, a new coefficient
        would take as many rows again to come forth.
        """
        if self._bars(columns) != self._bars(len(state.theta)):
            raise RuleError('a state can be widened beyond 64 features only with bars="none" or "jackknife"')
        wide = self.init(columns)
        for name, array in state.items():
            into = zip(array.shape, wide[name].shape, strict=True)
            wide[name][np.ix_(*(_places(length, wider, len(state.theta)) for length, wider in into))] = array
        if wide.counts[0] >= PILOT:
            self._afresh(wide)
        return wide

    def _afresh(self, state: State) -> None:
        """Average from now on only, and step as far as in the beginning."""
        forget(_tuning(state, self.intercept))
        state.clock[WINDOW], state.clock[BEFORE] = first_window(len(state.theta)), NEVER
        state.clock[LOG_SUM] = state.clock[IN_WINDOW] = 0.0

    # ------------------------------------------------------------------------------------------------- merging

    def merge(self, a: State, b: State) -> State:
        """Parameter mixing: coefficients weighted by rows. It is not the single pass, and the estimate says so."""
        same_columns(a, b)
        if b.counts[0] < PILOT:
            return self._replay(a, b)
        if a.counts[0] < PILOT:
            return self._replay(b, a)
        share = float(b.counts[0]) / float(a.counts[0] + b.counts[0])
        a.counts[3] += a.clock[FIRST] != b.clock[FIRST]
        _count_all_rows(a)
        _count_all_rows(b := b.copy())
        _share_a_middle(a, b, share)
        for name in ("theta", "average", "replicas", "averages"):
            a[name][...] = a[name] * (1.0 - share) + b[name] * share
        for name in ("squares", "curvature", "products", "removed", "counts", "parts"):
            a[name][...] += b[name]
        a.seen[...] = np.minimum(a.seen + b.seen, YOUNG)
        _mix_clocks(a.clock, b.clock, share)
        if len(a.pulls):
            a.pulls[:3] += b.pulls[:3]
            a.pulls[3] = np.maximum(a.pulls[3], b.pulls[3])
            _mix_earlier(a, b)
        return a

    def _replay(self, state: State, short: State) -> State:
        """A state that has not begun still holds its rows as they came."""
        state.counts[1] += short.counts[1]
        held = short.pilot[: int(short.counts[0])]
        return self.step(state, held[:, :-1].copy(), held[:, -1].copy()) if len(held) else state

    # ------------------------------------------------------------------------------------------------- reading

    def read(self, state: State) -> RegressionEstimate:
        """What the rows say now."""
        certificate, state = self.certificate(state), self._begun(state)
        spread, log_odds = tuned_answers.spread(state, self.intercept), isinstance(self.loss, Logistic)
        separable = log_odds and tuned_answers.separable(state)
        return RegressionEstimate(
            rule=repr(self),
            rows=int(state.counts[0]),
            refused=int(state.counts[1]),
            has_intercept=self.intercept,
            spread=spread,
            certificate=certificate,
            clipped=int(state.counts[2]),
            settled=tuned_answers.settled(state, self.intercept, spread) and not separable,
            unheard=tuple(int(j) for j in np.flatnonzero(state.seen <= UNHEARD)) if state.counts[0] >= PILOT else (),
            constant_target=bool(state.counts[0] >= PILOT and state.counts[3] == 0),
            separable=separable,
            log_odds=log_odds,
            note=self._note(state),
        )

    def coefficients(self, state: State, last: bool = False) -> Any:
        """The coefficients alone, the intercept's last: they cost little, so that each row can be predicted before it
        is learnt from. `last` asks for those of the last iterate, which follow where the stream goes."""
        state = self._begun(state)
        if last:
            return tuned_answers.plane(state, state.theta, state.clock[BASE], self.intercept)
        return tuned_answers.centre(state, self.intercept)

    def _begun(self, state: State) -> State:
        """While rows are held back: what these alone would say."""
        if 0 < state.counts[0] < PILOT:
            state = state.copy()
            self._begin(state)
        return state

    def _note(self, state: State) -> str:
        parts = int(state.parts[0])
        return f"an average of {parts} separate descents, not one descent over all rows" if parts > 1 else ""

    def certificate(self, state: State) -> Any:
        """How far at most one more row can move each coefficient, the intercept's last."""
        if state.counts[0] < PILOT:
            return np.full(len(state.theta) + self.intercept, np.inf)
        return tuned_answers.certificate(self.loss, self.intercept, isinstance(self.domain, Everywhere), state)


def _tuning(state: State, intercept: bool) -> Tuning:
    columns = len(state.theta)
    held = {name: state[name] for name in Tuning._fields if name in state}
    return Tuning(**held, step=aligned(columns), lever=aligned(columns + intercept))


def _places(length: int, wider: int, columns: int) -> Any:
    """Where the entries of an axis stand when features are added; what is behind the features stays behind them."""
    if length == wider:
        return np.arange(length)
    return np.append(np.arange(columns), np.arange(wider - (length - columns), wider))


# ------------------------------------------------------------------------------------------------ the first rows


def first_squares(away: Any) -> tuple[Any, Any]:
    """Each feature's sum of squares, the largest held to a share of it, and how often it was not at its middle."""
    rows = len(away)
    away = np.sort(np.clip(np.abs(away), 0.0, FAR), axis=0)
    away[away**2 <= TINY] = 0.0
    seen = np.minimum((away > 0.0).sum(axis=0), YOUNG)
    held = np.array([held_squares(column**2, 1.0 + 1.0 / SHARE) for column in away.T])
    second = away[-2] ** 2 if rows > 1 else np.zeros(away.shape[1])
    return np.where(seen < YOUNG, rows * away[-1] ** 2, np.maximum(held, 2.0 * second)), seen


def held_squares(squares: Any, share: float) -> float:
    """The sum V of ascending squares each held to V/share, or 0 where none solves this."""
    for above in range(min(len(squares), int(np.ceil(share)))):
        total = float(squares[: len(squares) - above].sum()) * share / (share - above)
        if squares[len(squares) - 1 - above] <= total / share:
            return total
    return 0.0


def first_residual(residuals: Any) -> float:
    sizes = np.abs(residuals)
    return float(np.median(sizes)) or float(sizes.max()) or FAINTEST_RESIDUAL


# ------------------------------------------------------------------------------------------------ mixing


def _count_all_rows(state: State) -> None:
    """Let the average weigh as much as it has rows, so that the parts mix by rows."""
    if state.clock[WEIGHT] == 0.0:
        state.average[...], state.clock[AVERAGE_BASE] = state.theta, state.clock[BASE]
        state.averages[...] = state.replicas
    factor = float(state.counts[0]) / state.clock[WEIGHT] if state.clock[WEIGHT] > 0.0 else 0.0
    for name, power in (("curvature", 1), ("products", 2), ("removed", 1)):
        state[name][...] *= factor**power
    state.pulls[:1] *= factor**2
    state.pulls[1:] *= factor
    state.earlier[2:] *= factor
    state.clock[WEIGHT] = state.counts[0]


def _share_a_middle(a: State, b: State, share: float) -> None:
    """Centre the features of both at one place. Neither plane moves."""
    middle = a.middle * (1.0 - share) + b.middle * share
    for state in (a, b):
        shift = middle - state.middle
        state.clock[BASE] += state.theta @ shift
        state.clock[AVERAGE_BASE] += state.average @ shift
        for planes in (state.replicas, state.averages):
            # Without an intercept there is no base to move, and no shift.
            planes[:, len(middle) :] += (planes[:, : len(middle)] @ shift)[:, None]
        state.middle[...] = middle


def _mix_clocks(a: Any, b: Any, share: float) -> None:
    for entry in (BASE, AVERAGE_BASE, LOG_SCALE, CURVE):
        a[entry] = a[entry] * (1.0 - share) + b[entry] * share
    a[AGE] += b[AGE]
    a[WEIGHT] += b[WEIGHT]
    a[WINDOW], a[BEFORE] = max(a[WINDOW], b[WINDOW]), NEVER
    a[LOG_SUM] = a[IN_WINDOW] = 0.0


def _mix_earlier(a: State, b: State) -> None:
    """What was said at about half of the rows, in the mixture."""
    for k in range(len(a.marks)):
        share = b.marks[k] / max(a.marks[k] + b.marks[k], 1)
        a.earlier[k] = a.earlier[k] * (1.0 - share) + b.earlier[k] * share
        a.earlier[2 + k] += b.earlier[2 + k]
    a.marks[...] += b.marks
