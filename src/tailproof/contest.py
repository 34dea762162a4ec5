"""Contest: the arrays of one race, and what is done with them between its windows.

What is fitted from sums stands still within a window. Windows end at numbers of rows, so that any chunking gives the
same bits; descents learn row by row.
"""

import numpy as np
from numpy.typing import NDArray

from . import compiled
from .comparison import SHARES, Method
from .racing import (
    BINS,
    CLIPPED,
    COUNTED,
    FAR,
    HUBER,
    LEAST_SQUARES,
    MOST,
    OURS,
    PLAIN,
    STILL,
    UNSCALED,
    WRITTEN_GAIN,
    Field,
)
from .rivals import descents, errors, sums
from .solvers import MOST_FEATURES
from .state import Layout, State

Numbers = NDArray[np.float64]

# The first rows are learnt from but not scored: so many, and so many times the terms.
PILOT, PILOT_TERMS = 100, 2
# A window is this share of the rows before it: no fit is ever older than that, and fits are few.
SHARE = 16
# Our largest errors kept on each side, and the rows that move plain SGD most.
TAIL, ROWS = 50, 5


def layout(columns: int) -> Layout:
    """What a contest remembers."""
    few = columns <= MOST_FEATURES  # else least squares and Huber, which need products, are left out
    candidates, products = len(descents.candidates(columns + 1)), columns + 2 if few else 0
    pilot = max(PILOT, PILOT_TERMS * (columns + 1)) if few else PILOT
    return {
        "weights": (np.float64, (columns + 1, candidates)),
        "unscaled": (np.float64, (columns + 1,)),
        "scores": (np.float64, (candidates,)),
        "lost": (np.int64, (candidates + 1,)),
        "chosen": (np.int64, (2,)),
        "centre": (np.float64, (columns + 1,)),
        "second": (np.float64, (columns + 1,)),
        "scale": (np.float64, (2,)),
        "sums": (np.float64, (2, products, products)),
        "bins": (np.int64, (COUNTED, BINS)),
        "origin": (np.int16, (1,)),
        "tails": (np.float64, (2, TAIL)),
        "lengths": (np.float64, (ROWS,)),
        "rows": (np.int64, (ROWS,)),
        "counts": (np.int64, (3,)),
        "edge": (np.int64, (1,)),
        "pilot": (np.float64, (pilot, columns + 1)),
    }


class Contest:
    """One race, on the arrays of a state: they are written in place."""

    def __init__(self, state: State) -> None:
        self.state = state

    @property
    def seen(self) -> int:
        return int(self.state.counts[0])

    @property
    def begun(self) -> bool:
        return self.seen >= len(self.state.pilot)

    @property
    def left(self) -> int:
        """How many rows the window still takes."""
        return int(self.state.edge[0]) - self.seen

    def wait(self, rows: Numbers, targets: Numbers) -> int:
        """Hold the first rows back until there are enough to begin with. Returns how many rows it took."""
        held, pilot = self.seen, self.state.pilot
        taken = min(len(rows), max(0, len(pilot) - held))
        pilot[held : held + taken, :-1] = rows[:taken]
        pilot[held : held + taken, -1] = targets[:taken]
        self.state.counts[0] += taken
        return taken

    def held(self) -> tuple[Numbers, Numbers]:
        """The rows that were held back, and their targets."""
        pilot = self.state.pilot[: self.seen]
        return np.ascontiguousarray(pilot[:, :-1]), np.ascontiguousarray(pilot[:, -1])

    def begin(self, ours: Numbers) -> None:
        """Centres, scales and first fits from the pilot; then all learn from it, unscored. `ours` has done so."""
        state = self.state
        rows, targets = self.held()
        state.centre[...] = np.sort(state.pilot, axis=0)[(len(rows) - 1) // 2]
        with np.errstate(over="ignore", invalid="ignore"):
            centred = np.clip(state.pilot - state.centre, -MOST, MOST)
        apart = np.abs(centred[:, -1])
        size = float(np.sort(apart)[len(rows) // 2]) or float((apart / len(rows)).sum())
        state.scale[...] = min(sums.DEVIATION * size, FAR), MOST
        state.origin[0] = errors.origin_of(size)
        if state.sums.size:
            terms = np.column_stack([centred[:, :-1], np.ones(len(rows))])
            state.weights[:, HUBER], state.scale[1] = sums.huber_at_once(terms, centred[:, -1])
        state.weights[:, OURS] = self._about_centre(ours)
        state.counts[0] = 0
        self.race(rows, targets, scored=False)
        self.look(ours)

    def race(self, rows: Numbers, targets: Numbers, scored: bool) -> None:
        """All predict each row, and those that descend learn from it."""
        state, terms = self.state, len(self.state.unscaled)
        candidates = descents.candidates(terms)
        scratch = {"row": terms + 1, "errors": len(candidates) + 1, "moves": len(candidates)}
        blank = {name: np.zeros(size) for name, size in scratch.items()}
        known = {name: state[name] for name in Field._fields if name in state}
        race = compiled.kernel("race", work=len(rows) * terms * 2 * len(candidates))
        race(Field(candidates=candidates, **known, **blank), rows, targets, scored)

    def look(self, ours: Numbers) -> None:
        """Fit anew what stands still, see who is ahead, and set the next window's end."""
        state = self.state
        state.weights[...] = self.fitted(ours)
        if state.counts[2]:
            state.scale[0] = min(sums.DEVIATION * self._median(CLIPPED), FAR) or state.scale[0]
            state.scale[1] = min(sums.width_of(self._median(HUBER)), MOST)
        state.chosen[...] = descents.ahead(state.scores, state.lost)
        state.edge[0] = self.seen + max(SHARE, self.seen // SHARE)

    def fitted(self, ours: Numbers) -> Numbers:
        """The weights with what is fitted from all rows so far."""
        state, weights = self.state, self.state.weights.copy()
        weights[:, OURS] = self._about_centre(ours)
        if state.sums.size and not state.lost[LEAST_SQUARES]:
            weights[:, LEAST_SQUARES] = sums.least_squares(state.sums)
        if state.sums.size and not state.lost[HUBER]:
            weights[:, HUBER] = sums.huber(state.sums)
        return weights

    def _median(self, who: int) -> float:
        return errors.quantile(self.state.bins[who], int(self.state.origin[0]), 0.5)

    def _about_centre(self, theta: Numbers) -> Numbers:
        """Coefficients, the intercept last, as weights of the centred columns."""
        centre = self.state.centre
        with np.errstate(over="ignore", invalid="ignore"):
            constant = theta[-1] - centre[-1] + theta[:-1] @ centre[:-1]
        found: Numbers = np.nan_to_num(np.append(theta[:-1], constant), nan=0.0, posinf=MOST, neginf=-MOST)
        return found

    def _as_they_come(self, weights: Numbers) -> Numbers:
        """Weights as coefficients of the columns as they come, the intercept last."""
        centre = self.state.centre
        with np.errstate(over="ignore", invalid="ignore"):
            return np.append(weights[:-1], centre[-1] + weights[-1] - weights[:-1] @ centre[:-1])

    def merge(self, other: "Contest") -> None:
        """Take in what another contest, which has begun as this one has, knows: sums and counts add; descents are
        averaged, weighted by rows. Then a look is due."""
        a, b = self.state, other._about(self.state.centre)
        share = float(b.counts[0]) / float(a.counts[0] + b.counts[0])
        for name in ("weights", "unscaled", "scores", "second", "scale"):
            a[name][...] = a[name] * (1.0 - share) + b[name] * share
        a.sums[...] += b.sums
        a.bins[...] += errors.moved(b.bins, int(b.origin[0] - a.origin[0]))
        a.tails[...] = -np.sort(-np.concatenate([a.tails, b.tails], axis=1), axis=1)[:, :TAIL]
        later = a.counts[0]
        first = np.argsort(-np.append(a.lengths, b.lengths), kind="stable")[:ROWS]
        a.rows[...] = np.append(a.rows, np.where(b.rows > 0, b.rows + later, 0))[first]
        a.lengths[...] = np.append(a.lengths, b.lengths)[first]
        a.lost[...] = np.where((a.lost == 0) & (b.lost > 0), b.lost + later, a.lost)
        a.counts[...] += b.counts

    def _about(self, centre: Numbers) -> State:
        """The state as it were about another centre."""
        state = self.state.copy()
        with np.errstate(over="ignore", invalid="ignore"):
            by = np.clip(state.centre - centre, -MOST, MOST)
            constants = state.weights[-1] - by[:-1] @ state.weights[:-1] + by[-1]
            state.weights[-1] = np.nan_to_num(np.clip(constants, -MOST, MOST))
            if state.sums.size:
                state.sums[...] = np.nan_to_num(sums.moved(state.sums, np.insert(by, -1, 0.0)))
        state.centre[...] = centre
        return state

    def longest(self) -> list[tuple[int, float]]:
        """The rows with the longest steps, by their numbers among the rows used, and how long these are."""
        return [
            (int(row), float(length)) for row, length in zip(self.state.rows, self.state.lengths, strict=True) if row
        ]

    def noted(self) -> list[int]:
        """The rows whose places people may ask for: all of them as long as they are held back."""
        if not self.begun:
            return list(range(1, self.seen + 1))
        return [*(row for row, _ in self.longest()), *np.unique(self.state.lost[self.state.lost > 0]).tolist()]

    def methods(self, ours: Numbers) -> list[Method]:
        """Each method's errors and coefficients; those that were left out are not there."""
        if not self.begun:
            return []
        state, weights = self.state, self.fitted(ours)
        plain, clipped = (int(k) for k in state.chosen)
        places = {"ours": (OURS, OURS)}
        if state.sums.size:
            places |= {"least_squares": (LEAST_SQUARES, LEAST_SQUARES), "huber": (HUBER, HUBER)}
        places |= {"clipped_sgd": (CLIPPED, clipped), "sgd": (PLAIN, plain)}
        made = [self._method(name, counted, k, weights) for name, (counted, k) in places.items()]
        return [*made, self._unscaled(weights)]

    def _method(self, name: str, counted: int, k: int, weights: Numbers) -> Method:
        terms = len(weights)
        chosen = descents.settings(descents.candidates(terms)[k], terms) if k >= STILL else {}
        if name == "huber":
            chosen = {"threshold": float(self.state.scale[1])}
        shift = self._shift(weights[:, k] - weights[:, OURS])
        theta = self._as_they_come(weights[:, k])
        return Method(name, self._loss(counted), theta, shift, int(self.state.lost[k]), chosen)

    def _unscaled(self, weights: Numbers) -> Method:
        unscaled, lost = self.state.unscaled, int(self.state.lost[-1])
        shift = self._shift(self._about_centre(unscaled) - weights[:, OURS])
        return Method("sgd_as_written", self._loss(UNSCALED), unscaled.copy(), shift, lost, {"gain": WRITTEN_GAIN})

    def _shift(self, apart: Numbers) -> float:
        """How much such a difference of weights adds to the mean prediction; NaN where the sums are not kept."""
        if not self.state.sums.size:
            return float("nan")
        with np.errstate(over="ignore", invalid="ignore"):
            return float(apart @ sums.means(self.state.sums))

    def error_of_mean(self) -> float:
        """The standard error of the mean of least squares' errors; inf where the sums are not kept."""
        return sums.error_of_mean(self.state.sums) if self.state.sums.size else float("inf")

    def size(self) -> float:
        """How large targets are about their middle; 0 where the sums are not kept."""
        return sums.size(self.state.sums) if self.state.sums.size else 0.0

    def _loss(self, counted: int) -> dict[float, float]:
        """Quantiles of the errors, as far out as there are rows to say."""
        scored, origin = int(self.state.counts[2]), int(self.state.origin[0])
        told = [share for share in SHARES if scored * (1.0 - share) >= 1.0 - 1e-9]
        return {share: errors.quantile(self.state.bins[counted], origin, share) for share in told}
