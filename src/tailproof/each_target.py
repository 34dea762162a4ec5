"""EachTarget: a rule for several targets of one row that holds a rule for one."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .errors import RuleError
from .estimator import as_rows, pieces, same_columns
from .gram import Gram
from .holding import begin_slots, first_slot, laid_out_slots, merge_slots, slot, step_slot
from .losses import Squared
from .piece import piece
from .state import Layout, State
from .targets_estimate import TargetsEstimate
from .tuned import TunedSGD

# The names of what the held rule remembers.
HELD = "of_"
# Where the counts stand.
USED, REFUSED = 0, 1
MOST_TARGETS = 1000


@piece
class EachTarget:
    """The coefficients of each of several targets, each by the rule it holds, from the same rows.

    A target is a row of numbers, one for each. How many there are is fixed before the first row.

    of: Gram or TunedSGD with loss=Squared().
    targets: how many.
    """

    of: Any = Gram()
    targets: int = 1

    def check(self) -> None:
        """Refuse settings that make no sense."""
        if not (isinstance(self.of, Gram | TunedSGD) and isinstance(self.of.loss, Squared)):
            raise RuleError(f"EachTarget holds Gram or TunedSGD with loss=Squared(), not {self.of!r}")
        if isinstance(self.targets, bool) or not isinstance(self.targets, int):
            raise RuleError(f"targets must be a whole number, not {self.targets!r}")
        if not 1 <= self.targets <= MOST_TARGETS:
            raise RuleError(f"there must be 1 to {MOST_TARGETS:,} targets, not {self.targets:,}")

    def init(self, columns: int) -> State:
        """A state of no rows."""
        return begin_slots(State.zeros(self.layout(columns)), HELD, self.of.init(columns))

    def layout(self, columns: int) -> Layout:
        """What a state holds: the held rule's arrays with a leading axis of targets."""
        own: Layout = {"counts": (np.int64, (2,))}
        return own | laid_out_slots(HELD, self.of.layout(columns), self.targets)

    def columns(self, state: State) -> int:
        """How many columns the state has."""
        found: int = self.of.columns(first_slot(state, HELD))
        return found

    def step(self, state: State, X: ArrayLike, y: ArrayLike | None = None) -> State:
        """Take rows in, in order. Rows with NaN or inf, in X or in any of the targets, are refused whole and
        counted."""
        matrix = as_rows(X, self.columns(state))
        targets = self._targets(y, matrix.shape[0])
        for rows, theirs in pieces(matrix, targets):
            good = np.isfinite(rows).all(axis=1) & np.isfinite(theirs).all(axis=1)
            if not good.all():
                state.counts[REFUSED] += int((~good).sum())
                rows, theirs = rows[good], theirs[good]
            state.counts[USED] += len(rows)
            for k in range(self.targets):
                step_slot(self.of, state, HELD, k, rows, theirs[:, k])
        return state

    def _targets(self, y: ArrayLike | None, rows: int) -> NDArray[np.float64]:
        if y is None:
            raise RuleError("a regression needs targets: step(state, X, y)")
        targets = np.asarray(y, np.float64)
        if targets.ndim == 1 and self.targets == 1:
            targets = targets.reshape(-1, 1)
        if targets.shape != (rows, self.targets):
            raise RuleError(
                f"the targets have shape {targets.shape}; for these rows they must have ({rows}, {self.targets})"
            )
        return targets

    def merge(self, a: State, b: State) -> State:
        """The rows of both, as the held rule merges them."""
        same_columns(a, b)
        merge_slots(self.of, a, b, HELD, self.targets)
        a.counts[...] += b.counts
        return a

    def read(self, state: State) -> TargetsEstimate:
        """What the rows say now."""
        return TargetsEstimate(
            rule=repr(self),
            rows=int(state.counts[USED]),
            refused=int(state.counts[REFUSED]),
            bare=[self.of.read(slot(state, HELD, k)) for k in range(self.targets)],
        )

    def certificate(self, state: State) -> NDArray[np.float64]:
        """How far at most one more row can move each coefficient, a row a target."""
        return np.array([self.of.certificate(slot(state, HELD, k)) for k in range(self.targets)])
