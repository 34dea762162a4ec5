"""CompareMeans: our mean and its rivals on the same stream, each column for itself.

A mean is a regression on nothing: a contest without columns, whose targets are the column's values. There least squares
is the plain mean, which is also what SGD with steps 1/t computes.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import contest
from .contest import Contest
from .errors import RuleError
from .estimator import as_rows, runs, same_columns, spans
from .extremes import Extremes
from .holding import held, keep, laid_out, slot
from .means_comparison import ColumnComparison, MeansComparison
from .piece import piece
from .state import Layout, State

Numbers = NDArray[np.float64]

# The names of what the held rule and the contests remember.
OF_OURS, OF_CONTESTS = "ours_", "contests_"
# What is raced for a mean; another descent would be the plain mean once more.
RACED = ("ours", "least_squares", "huber", "clipped_sgd")


@piece
class CompareMeans:
    """Our mean, the plain mean, Huber's and that of a clipped descent, side by side in one pass.

    ours: the rule of a mean that stands for ours.
    """

    ours: Any = Extremes()

    def init(self, columns: int) -> State:
        """A state of no rows."""
        if columns < 1:
            raise RuleError("a mean needs at least one column")
        state = State.zeros(self.layout(columns))
        keep(state, OF_OURS, self.ours.init(columns))
        return state

    def layout(self, columns: int) -> Layout:
        """What a state holds."""
        one = contest.layout(0)
        each: Layout = {name: (dtype, (columns, *shape)) for name, (dtype, shape) in one.items()}
        own: Layout = {"counts": (np.int64, (2,))}
        return own | laid_out(OF_CONTESTS, each) | laid_out(OF_OURS, self.ours.layout(columns))

    def columns(self, state: State) -> int:
        return len(state[OF_CONTESTS + "counts"])

    def step(self, state: State, X: ArrayLike, y: ArrayLike | None = None) -> State:
        """Take rows in, in order. Rows with NaN or inf are refused whole and counted."""
        rows, contests = as_rows(X, self.columns(state)), self._contests(state)
        for some in spans(*rows.shape):
            for _, part in runs(self._fit(state, rows[some])):
                self._take(state, contests, part)
        return state

    def _fit(self, state: State, rows: Any) -> Any:
        """The rows that can be used, themselves where all can."""
        fit = np.isfinite(rows).all(axis=1)
        state.counts[:2] += fit.sum(), (~fit).sum()
        return rows if fit.all() else rows[fit]

    def _contests(self, state: State) -> list[Contest]:
        return [Contest(slot(state, OF_CONTESTS, j)) for j in range(self.columns(state))]

    def _take(self, state: State, contests: list[Contest], rows: Numbers) -> None:
        """Rows up to each window's end, then a look. All contests are equally far."""
        none, first = np.empty((len(rows), 0)), contests[0]
        done = min(len(rows), max(0, len(first.state.pilot) - first.seen))
        for j, one in enumerate(contests):
            one.wait(none[:done], rows[:done, j])
        self._learn(state, rows[:done])
        if done and first.begun:
            for one, mean in zip(contests, self._means(state), strict=True):
                one.begin(mean)
        while done < len(rows):
            last = min(len(rows), done + first.left)
            for j, one in enumerate(contests):
                one.race(none[done:last], np.ascontiguousarray(rows[done:last, j]), scored=True)
            self._learn(state, rows[done:last])
            done = last
            if not first.left:
                self._look(state, contests)

    def _learn(self, state: State, rows: Any) -> None:
        """Hand the rows to the rule that is held."""
        keep(state, OF_OURS, self.ours.step(held(state, OF_OURS), rows))

    def _means(self, state: State) -> Numbers:
        """Our means, each the only coefficient of its contest."""
        means: Numbers = self.ours.read(held(state, OF_OURS)).mean
        return means[:, None]

    def _look(self, state: State, contests: list[Contest]) -> None:
        for one, mean in zip(contests, self._means(state), strict=True):
            one.look(mean)

    def merge(self, a: State, b: State) -> State:
        """Sums and counts add; descents are averaged, weighted by rows."""
        same_columns(a, b)
        here, there = self._contests(a), self._contests(b)
        if not there[0].begun:
            return self._replay(a, b, there)
        if not here[0].begun:
            return self._replay(b, a, here)
        for one, other in zip(here, there, strict=True):
            one.merge(other)
        a.counts[...] += b.counts
        keep(a, OF_OURS, self.ours.merge(held(a, OF_OURS), held(b, OF_OURS)))
        self._look(a, here)
        return a

    def _replay(self, state: State, short: State, contests: list[Contest]) -> State:
        """A state that has not begun still holds its rows as they came."""
        state.counts[1] += short.counts[1]
        rows = np.column_stack([one.held()[1] for one in contests])
        return self.step(state, rows) if len(rows) else state

    def noted(self, state: State) -> list[int]:
        """The rows, by their numbers among those used, whose places people may ask for."""
        return sorted({row for one in self._contests(state) for row in one.noted()})

    def certificate(self, state: State) -> Any:
        """How far at most one more row can move each of our means."""
        return self.ours.certificate(held(state, OF_OURS))

    def read(self, state: State) -> MeansComparison:
        """Where all stand now."""
        ours = self.ours.read(held(state, OF_OURS))
        return MeansComparison(
            rule=repr(self),
            rows=int(state.counts[0]),
            refused=int(state.counts[1]),
            ours=ours,
            columns=[self._column(ours, j, one) for j, one in enumerate(self._contests(state))],
        )

    def _column(self, ours: Any, j: int, one: Contest) -> ColumnComparison:
        theta = np.array([ours.mean[j]])
        methods = [method for method in one.methods(theta) if method.name in RACED]
        return ColumnComparison(
            rule=repr(self),
            rows=ours.rows,
            refused=ours.refused,
            scored=int(one.state.counts[2]),
            ours=ours,
            column=j,
            theta=theta,
            error=np.array([ours.spread.error[j]]),
            error_of_mean=one.error_of_mean(),
            size=one.size(),
            methods=methods,
            tails=one.state.tails.copy(),
            longest=one.longest(),
        )
