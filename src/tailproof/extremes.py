"""The mean from core sums and extremes, as a rule: order-free, exactly mergeable, nothing to tune."""

import functools
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from . import answers as said
from . import compiled
from .errors import RuleError
from .estimate import MeanEstimate, Signs
from .estimator import as_rows, plain_rows, runs, same_columns
from .intervals import Spread, radius
from .piece import piece
from .sketch import Sketch
from .state import Layout, State

# What asking a column costs, in values taken in.
ASKING = 400
# Round-robin groups where the radius of the whole vector is asked for.
GROUPS = 16


@piece
class Extremes:
    """The robust mean of each column.

    extremes: how many of the smallest and of the largest values each column remembers; that many less one gross
        values on one side are set aside without harm. 16 for less memory.
    gross: "set-aside" leaves out values that stand a gap apart from all others and would inflate the variance
        `h` times; "keep" never leaves a row out.
    groups: 16 also keeps round-robin sums, from which the radius of the whole vector is read; 0 does not.
    """

    extremes: int = 24
    gross: str = "set-aside"
    h: float = 4.0
    groups: int = 0

    def check(self) -> None:
        """Refuse settings that make no sense."""
        if not (isinstance(self.extremes, int) and 8 <= self.extremes <= 4096):
            raise RuleError(f"extremes must be a whole number from 8 to 4096, not {self.extremes}")
        if self.gross not in ("set-aside", "keep"):
            raise RuleError(f'gross must be "set-aside" or "keep", not {self.gross!r}')
        if not self.h >= 1.0:
            raise RuleError(f"h must be at least 1, not {self.h}")
        if self.groups not in (0, GROUPS):
            raise RuleError(f"groups must be 0 or {GROUPS}, not {self.groups}")

    def init(self, columns: int) -> State:
        """A state of no rows."""
        if columns < 1:
            raise RuleError("a mean needs at least one column")
        return State.zeros(self.layout(columns))

    def layout(self, columns: int) -> Layout:
        """What a state holds."""
        groups = max(1, self.groups)
        # With few extremes the point is memory, and with groups the sums are short: neither keeps a second total.
        totals = columns if self.extremes >= 20 and groups == 1 else 0
        return {
            "low": (np.float64, (columns, self.extremes)),
            "high": (np.float64, (columns, self.extremes)),
            "shift": (np.float64, (columns,)),
            "exponent": (np.int16, (columns,)),
            "sums": (np.float64, (groups, columns)),
            "total": (np.float64, (totals,)),
            "squares": (np.float64, (columns,)),
            "members": (np.int64, (groups,)),
            "counts": (np.int64, (2,)),
            "farthest": (np.float64, (1 if self.groups else 0,)),
        }

    @property
    def adds_up(self) -> bool:
        """Whether parts merge to what one pass gives, in whatever order the rows came."""
        return True

    def columns(self, state: State) -> int:
        """How many columns the state has."""
        return len(state.shift)

    def step(self, state: State, X: ArrayLike, y: ArrayLike | None = None) -> State:
        """Take rows in, in order. Rows with NaN or inf are refused whole and counted."""
        if state.at_hand is not None and state.at_hand(self, X, y):
            return state
        matrix = as_rows(X, len(state.shift))
        absorb, sketch = compiled.kernel("absorb", work=matrix.size), Sketch(**state)
        for _, rows in runs(matrix, single=compiled.awake()):
            absorb(sketch, rows)
            if len(matrix) == 1 and rows.dtype == np.float64:
                self._keep_at_hand(state, compiled.blindly(absorb, sketch, rows), sketch)
        return state

    def _keep_at_hand(self, state: State, run: Any, sketch: Sketch) -> None:
        """One row came by itself, so the next may: have all ready that is the same for both."""
        columns = len(state.shift)

        def take(rule: Extremes, X: Any, y: Any) -> bool:
            """Whether these rows could be taken in at once, and were."""
            fits = rule is self and plain_rows(X, columns)
            if fits:
                run((sketch, X.reshape(-1, columns)))
            return fits

        state.at_hand = take if run is not None else None

    def merge(self, a: State, b: State) -> State:
        """All rows of both, as if one state had seen them: equal to the single pass to rounding."""
        same_columns(a, b)
        whole = 2 * self.extremes
        if b.counts[0] < whole:
            return self._replay(a, b)
        if a.counts[0] < whole:
            return self._replay(b, a)
        spent = b.copy()
        compiled.kernel("merge")(Sketch(**a), Sketch(**spent))
        if self.groups:
            a.farthest[0] = max(a.farthest[0], b.farthest[0] + np.linalg.norm(b.shift - a.shift))
        return a

    def _replay(self, state: State, short: State) -> State:
        """A state of fewer than 2K rows still holds them as they came."""
        rows = int(short.counts[0])
        state.counts[1] += short.counts[1]
        if rows == 0:
            return state
        held = np.concatenate([short.low, short.high], axis=1)[:, :rows]
        return self.step(state, np.ascontiguousarray(held.T))

    def read(self, state: State) -> MeanEstimate:
        """What the rows say now."""
        answers = self._ask(state)
        rows, refused = (int(count) for count in state.counts)
        unit = np.ldexp(1.0, np.nan_to_num(answers[:, said.EXPONENT]).astype(np.int64))
        kept = np.maximum(rows - answers[:, said.CUT_LOW] - answers[:, said.CUT_HIGH], 0.0)
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            centre = answers[:, said.SHIFT] + answers[:, said.CENTRE] * unit
            level = np.minimum(answers[:, said.LEVEL], np.finfo(float).max)
            spread = Spread(
                centre=centre,
                error=np.sqrt(answers[:, said.VARIANCE] / np.maximum(kept * (kept - 1.0), 1.0)) * unit,
                removed=self._removed(answers, centre, unit),
                above=answers[:, said.ABOVE] * unit,
                below=answers[:, said.BELOW] * unit,
                kept_above=np.minimum(answers[:, said.KEPT_ABOVE], level) * unit,
                kept_below=np.minimum(answers[:, said.KEPT_BELOW], level) * unit,
            )
            signs = Signs(
                clipped=answers[:, said.CLIPPED],
                cut_low=answers[:, said.CUT_LOW],
                cut_high=answers[:, said.CUT_HIGH],
                leaders=answers[:, said.LEADERS],
                leading=answers[:, said.LEADING] / answers[:, said.WHOLE],
                farthest=np.maximum(answers[:, said.ABOVE], answers[:, said.BELOW])
                / np.sqrt(answers[:, said.VARIANCE]),
                tail=answers[:, said.TAIL],
                rare=np.isinf(answers[:, said.LEVEL]),
            )
        return MeanEstimate(
            rule=repr(self),
            rows=rows,
            refused=refused,
            spread=spread,
            plain_mean=answers[:, said.PLAIN].copy(),
            plain_error=self._plain_error(answers, rows, unit),
            signs=signs,
            extremes=functools.partial(self._extremes, state.copy()) if len(centre) < 4096 else None,
        )

    def _ask(self, state: State) -> Any:
        answers = np.full((len(state.shift), said.ANSWERS), np.nan)
        if state.counts[0] > 0:
            compiled.kernel("ask", work=ASKING * len(state.shift))(Sketch(**state), self._ratio, answers)
        return answers

    @property
    def _ratio(self) -> float:
        return self.h if self.gross == "set-aside" else float("inf")

    @staticmethod
    def _removed(answers: Any, centre: Any, unit: Any) -> Any:
        """The plain mean less the robust one; in units, where the location cannot eat its digits."""
        close = (answers[:, said.RAW] - answers[:, said.CENTRE]) * unit
        held_back = np.maximum(answers[:, said.ABOVE], answers[:, said.BELOW]) >= 0.5 * said.FARTHEST
        return np.where(held_back, answers[:, said.PLAIN] - centre, close)

    @staticmethod
    def _plain_error(answers: Any, rows: int, unit: Any) -> Any:
        """The textbook's standard error of the plain mean."""
        with np.errstate(invalid="ignore", over="ignore"):
            moved = answers[:, said.RAW] - answers[:, said.CENTRE]
            about = np.maximum(answers[:, said.WHOLE] - rows * moved**2, 0.0)
            return np.sqrt(about / (rows * (rows - 1.0))) * unit if rows > 1 else np.full(len(answers), np.inf)

    def certificate(self, state: State) -> Any:
        """How far at most one more row can move each column's mean; inf where one row can move it without bound."""
        moves = np.full(len(state.shift), np.inf)
        if state.counts[0] > 0:
            answers = self._ask(state)
            compiled.kernel("certify")(Sketch(**state), self._ratio, answers, moves)
        return moves

    def _extremes(self, state: State, column: int) -> tuple[Any, Any]:
        """The smallest and the largest values of a column, the farthest first on each side."""
        rows = int(state.counts[0])
        if rows > 2 * self.extremes:
            return state.low[column], state.high[column]
        held = np.sort(np.concatenate([state.low[column], state.high[column]])[:rows])
        return held[: rows // 2], held[::-1][: rows // 2]

    def radius(self, state: State, confidence: float = 0.95) -> float:
        """How far the whole vector of means may be from the truth."""
        if not self.groups:
            raise RuleError("the radius of the whole vector needs Extremes(groups=16), or Mean(radius=True)")
        unit = np.ldexp(1.0, state.exponent)
        return radius(
            state.sums * unit,
            state.members,
            self.read(state).spread,
            float(state.farthest[0]),
            int(state.counts[0]),
            confidence,
        )
