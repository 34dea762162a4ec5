"""Compare: our regression and its rivals on the same stream, as one rule that holds rules.

Every row is predicted before it is learnt from.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .comparison import Comparison
from .contest import Contest, layout
from .errors import RuleError
from .estimator import as_rows, as_targets, runs, same_columns, some
from .gram import Gram
from .holding import held, keep, laid_out
from .piece import piece
from .state import Layout, State

Numbers = NDArray[np.float64]

# The names of what the held rule remembers.
OF_OURS = "ours_"


@piece
class Compare:
    """Our regression, least squares, Huber, and plain and clipped descents, side by side in one pass.

    ours: the rule of a regression that stands for ours.
    """

    ours: Any = Gram()

    def init(self, columns: int) -> State:
        """A state of no rows."""
        if columns < 1:
            raise RuleError("a regression needs at least one column besides the target")
        state = State.zeros(self.layout(columns))
        keep(state, OF_OURS, self.ours.init(columns))
        return state

    def layout(self, columns: int) -> Layout:
        """What a state holds."""
        return layout(columns) | laid_out(OF_OURS, self.ours.layout(columns))

    def columns(self, state: State) -> int:
        return len(state.unscaled) - 1

    def step(self, state: State, X: ArrayLike, y: ArrayLike | None = None) -> State:
        """Take rows in, in order. Rows with NaN or inf are refused whole and counted."""
        rows = as_rows(X, self.columns(state))
        targets = as_targets(y, len(rows))
        if targets is None:
            raise RuleError("a comparison of regressions needs a target for each row")
        known = np.isfinite(rows).all(axis=1) & np.isfinite(targets)
        if not known.all():
            state.counts[1] += len(known) - known.sum()
            rows, targets = rows[known], targets[known]
        begin = self._wait(state, rows, targets)
        for offset, part in runs(rows[begin:]):
            self._take(state, part, some(targets, begin + offset, len(part)))
        return state

    def _wait(self, state: State, rows: Any, targets: Any) -> int:
        """Hold the first rows back until there are enough to begin with. Returns how many rows it took."""
        contest = Contest(state)
        taken = contest.wait(rows, targets)
        if taken and contest.begun:
            self._learn(state, *contest.held())
            contest.begin(self._theta(state))
        return taken

    def _take(self, state: State, rows: Any, targets: Any) -> None:
        """Rows up to each window's end, then a look."""
        contest, done = Contest(state), 0
        while done < len(rows):
            last = min(len(rows), done + contest.left)
            contest.race(rows[done:last], targets[done:last], scored=True)
            self._learn(state, rows[done:last], targets[done:last])
            done = last
            if not contest.left:
                contest.look(self._theta(state))

    def _learn(self, state: State, rows: Any, targets: Any) -> None:
        """Hand the rows to the rule that is held."""
        keep(state, OF_OURS, self.ours.step(held(state, OF_OURS), rows, targets))

    def _theta(self, state: State) -> Numbers:
        """Our coefficients, the intercept last; without the rest of what is said of them, where the rule can."""
        inner = held(state, OF_OURS)
        if not hasattr(self.ours, "coefficients"):
            said = self.ours.read(inner)
            return np.append(said.coef, said.intercept)
        found: Numbers = self.ours.coefficients(inner)
        return found if len(found) == len(state.unscaled) else np.append(found, 0.0)

    def merge(self, a: State, b: State) -> State:
        """Sums and counts add; descents are averaged, weighted by rows."""
        same_columns(a, b)
        if not Contest(b).begun:
            return self._replay(a, b)
        if not Contest(a).begun:
            return self._replay(b, a)
        Contest(a).merge(Contest(b))
        keep(a, OF_OURS, self.ours.merge(held(a, OF_OURS), held(b, OF_OURS)))
        Contest(a).look(self._theta(a))
        return a

    def _replay(self, state: State, short: State) -> State:
        """A state that has not begun still holds its rows as they came."""
        state.counts[1] += short.counts[1]
        return self.step(state, *Contest(short).held())

    def noted(self, state: State) -> list[int]:
        """The rows, by their numbers among those used, whose places people may ask for."""
        return Contest(state).noted()

    def certificate(self, state: State) -> Any:
        """How far at most one more row can move each of our coefficients; inf while it waits for more rows."""
        if not Contest(state).begun:
            return np.full(self.columns(state) + 1, np.inf)
        return self.ours.certificate(held(state, OF_OURS))

    def read(self, state: State) -> Comparison:
        """Where all stand now."""
        contest, ours = Contest(state), self.ours.read(held(state, OF_OURS))
        theta = np.append(ours.coef, ours.intercept)
        return Comparison(
            rule=repr(self),
            rows=int(state.counts[0]),
            refused=int(state.counts[1]),
            scored=int(state.counts[2]),
            ours=ours,
            theta=theta,
            error=ours.spread.error,
            error_of_mean=contest.error_of_mean(),
            size=contest.size(),
            methods=contest.methods(theta),
            tails=state.tails.copy(),
            longest=contest.longest(),
        )
