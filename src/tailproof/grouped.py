"""GroupedMeans: a rule for several groups in one stream that holds a rule for means."""

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .categories import MOST_GROUPS
from .difference_estimate import DifferenceEstimate
from .errors import RuleError
from .estimator import as_rows, as_targets, numbered, pieces, same_columns
from .extremes import Extremes
from .holding import begin_slots, laid_out_slots, merge_slots, slot, step_slot
from .piece import piece
from .state import Layout, State

# The names of what the held rule remembers.
HELD = "of_"
# Where the counts stand.
USED, REFUSED = 0, 1


@piece
class GroupedMeans:
    """The means of each column in each group, side by side, each by the rule it holds; from them, differences.

    A target is the number of a row's group, from 0. Rows of unlike groups may come in any order.

    of: Extremes, with any settings.
    groups: how many.
    """

    of: Any = Extremes()
    groups: int = 2

    def check(self) -> None:
        """Refuse settings that make no sense."""
        if not isinstance(self.of, Extremes):
            raise RuleError(f"GroupedMeans holds Extremes, not {self.of!r}")
        if isinstance(self.groups, bool) or not isinstance(self.groups, int):
            raise RuleError(f"groups must be a whole number, not {self.groups!r}")
        if not 2 <= self.groups <= MOST_GROUPS:
            raise RuleError(f"there must be 2 to {MOST_GROUPS} groups, not {self.groups:,}")

    @property
    def classes(self) -> int:
        """How many labels are told apart."""
        return self.groups

    def with_classes(self, number: int) -> "GroupedMeans":
        """The same rule for so many groups."""
        return GroupedMeans(self.of, number)

    def init(self, columns: int) -> State:
        """A state of no rows."""
        return begin_slots(State.zeros(self.layout(columns)), HELD, self.of.init(columns))

    def layout(self, columns: int) -> Layout:
        """What a state holds: the held rule's arrays with a leading axis of groups."""
        own: Layout = {"counts": (np.int64, (2,))}
        return own | laid_out_slots(HELD, self.of.layout(columns), self.groups)

    def columns(self, state: State) -> int:
        """How many columns the state has."""
        found = state[HELD + "shift"]
        # A forged file may hold anything.
        return found.shape[1] if found.ndim == 2 else 0

    def step(self, state: State, X: ArrayLike, y: ArrayLike | None = None) -> State:
        """Take rows in, in order. Rows with NaN or inf, or whose target is no group's number, are refused whole and
        counted."""
        matrix = as_rows(X, self.columns(state))
        numbers = as_targets(y, matrix.shape[0])
        if numbers is None:
            raise RuleError("a difference needs the group of each row: step(state, X, y)")
        for some, theirs in pieces(matrix, numbers):
            self._take(state, some, theirs)
        return state

    def _take(self, state: State, rows: Any, numbers: Any) -> None:
        """Rows go to their groups in the order in which they came."""
        slots = self._slots(rows, numbers)
        order = np.argsort(slots, kind="stable")
        ends = np.cumsum(np.bincount(slots, minlength=self.groups + 1)).tolist()
        # Rows that are in order already, as all of one group are, need not be copied.
        rows = rows if (slots[1:] >= slots[:-1]).all() else rows[order]
        for k, (begin, end) in enumerate(itertools.pairwise([0, *ends[:-1]])):
            if end > begin:
                step_slot(self.of, state, HELD, k, rows[begin:end])
        state.counts[USED] += ends[-2]
        state.counts[REFUSED] += ends[-1] - ends[-2]

    def _slots(self, rows: Any, numbers: Any) -> NDArray[np.int16]:
        """The group of each row; one beyond the last where it is of none, or cannot be used."""
        return np.where(numbered(rows, numbers, self.groups), numbers, self.groups).astype(np.int16)

    def merge(self, a: State, b: State) -> State:
        """All rows of both, as if one state had seen them: equal to the single pass to rounding."""
        same_columns(a, b)
        merge_slots(self.of, a, b, HELD, self.groups)
        a.counts[...] += b.counts
        return a

    def moved(self, state: State, places: Sequence[int], groups: int) -> tuple["GroupedMeans", State]:
        """The rule for so many groups, and its state: what was group k is group places[k]."""
        rule = self.with_classes(groups)
        moved = rule.init(self.columns(state))
        moved.counts[...] = state.counts
        for k, place in enumerate(places):
            for name, array in slot(state, HELD, k).items():
                moved[HELD + name][place] = array
        return rule, moved

    def read(self, state: State) -> DifferenceEstimate:
        """What the rows say now."""
        return DifferenceEstimate(
            rule=repr(self),
            rows=int(state.counts[USED]),
            refused=int(state.counts[REFUSED]),
            parts=[self.of.read(slot(state, HELD, k)) for k in range(self.groups)],
        )

    def certificate(self, state: State) -> NDArray[np.float64]:
        """How far at most one more row can move each mean, a row a group; a row can be of one group only."""
        return np.array([self.of.certificate(slot(state, HELD, k)) for k in range(self.groups)])
