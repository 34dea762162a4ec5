"""OneVsRest: a rule for several classes that holds a rule for two."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .categories import MOST_LABELS
from .classes_estimate import ClassesEstimate, one_sided
from .errors import RuleError
from .estimator import as_rows, as_targets, numbered, pieces, same_columns
from .gram import Gram
from .holding import begin_slots, first_slot, laid_out_slots, merge_slots, slot, step_slot
from .losses import Logistic
from .piece import piece
from .regression import RegressionEstimate
from .state import Layout, State
from .tuned import TunedSGD

# The names of what the held rule remembers.
HELD = "of_"
# Where the counts stand.
USED, REFUSED = 0, 1


@piece
class OneVsRest:
    """The log-odds of each class against all others, each by the rule it holds; two classes need it only once.

    A target is the number of its class, from 0. How many there are is fixed before the first row.

    of: Gram or TunedSGD with loss=Logistic().
    classes: how many.
    """

    of: Any = Gram(loss=Logistic())
    classes: int = 2

    def check(self) -> None:
        """Refuse settings that make no sense."""
        if not (isinstance(self.of, Gram | TunedSGD) and isinstance(self.of.loss, Logistic)):
            raise RuleError(f"OneVsRest holds Gram or TunedSGD with loss=Logistic(), not {self.of!r}")
        if isinstance(self.classes, bool) or not isinstance(self.classes, int):
            raise RuleError(f"classes must be a whole number, not {self.classes!r}")
        if not 2 <= self.classes <= MOST_LABELS:
            raise RuleError(f"there must be 2 to {MOST_LABELS:,} classes, not {self.classes:,}")

    def with_classes(self, number: int) -> "OneVsRest":
        """The same rule for so many classes."""
        return OneVsRest(self.of, number)

    @property
    def slots(self) -> int:
        """How many times the held rule is needed."""
        return 1 if self.classes == 2 else self.classes

    def init(self, columns: int) -> State:
        """A state of no rows."""
        return begin_slots(State.zeros(self.layout(columns)), HELD, self.of.init(columns))

    def layout(self, columns: int) -> Layout:
        """What a state holds: the held rule's arrays with a leading axis of slots."""
        own: Layout = {"counts": (np.int64, (2,)), "tally": (np.int64, (self.classes,))}
        return own | laid_out_slots(HELD, self.of.layout(columns), self.slots)

    @property
    def adds_up(self) -> bool:
        """Whether parts merge to what one pass gives, or nearly: as they do for the rule it holds."""
        return bool(getattr(self.of, "adds_up", False))

    def columns(self, state: State) -> int:
        """How many columns the state has."""
        found: int = self.of.columns(first_slot(state, HELD))
        return found

    def step(self, state: State, X: ArrayLike, y: ArrayLike | None = None) -> State:
        """Take rows in, in order. Rows with NaN or inf, or whose target is no class's number, are refused whole and
        counted."""
        matrix = as_rows(X, self.columns(state))
        numbers = as_targets(y, matrix.shape[0])
        if numbers is None:
            raise RuleError("a classification needs targets: step(state, X, y)")
        for some, theirs in pieces(matrix, numbers):
            self._take(state, *self._usable(state, some, theirs))
        return state

    def _usable(self, state: State, rows: Any, numbers: Any) -> tuple[Any, Any]:
        """The rows that can be taken, themselves where all can."""
        good = numbered(rows, numbers, self.classes)
        if good.all():
            return rows, numbers
        state.counts[REFUSED] += len(good) - int(good.sum())
        return rows[good], numbers[good]

    def _take(self, state: State, rows: Any, numbers: Any) -> None:
        state.counts[USED] += len(rows)
        state.tally[...] += np.bincount(numbers.astype(np.int64), minlength=self.classes)
        for k in range(self.slots):
            step_slot(self.of, state, HELD, k, rows, (numbers == self._class_of(k)).astype(np.float64))

    def _class_of(self, k: int) -> int:
        """The class whose log-odds slot k tells."""
        return 1 if self.classes == 2 else k

    def merge(self, a: State, b: State) -> State:
        """The rows of both, as the held rule merges them."""
        same_columns(a, b)
        merge_slots(self.of, a, b, HELD, self.slots)
        a.counts[...] += b.counts
        a.tally[...] += b.tally
        return a

    def read(self, state: State) -> ClassesEstimate:
        """What the rows say now."""
        return ClassesEstimate(
            rule=repr(self),
            rows=int(state.counts[USED]),
            refused=int(state.counts[REFUSED]),
            tally=state.tally.copy(),
            bare=[self._part(state, k) for k in range(self.slots)],
        )

    def _part(self, state: State, k: int) -> RegressionEstimate:
        said: RegressionEstimate = self.of.read(slot(state, HELD, k))
        ones, rows = int(state.tally[self._class_of(k)]), int(state.counts[USED])
        return said if 0 < ones < rows or rows == 0 else one_sided(said, ones)

    def certificate(self, state: State) -> NDArray[np.float64]:
        """How far at most one more row can move each coefficient, a row a slot."""
        return self.read(state).certificate
