"""The core: all rows that are not kept one by one, as sums of outer products.

Powers of two between units cost no digits, so a column may be measured in larger ones at any time.
"""

from functools import cache, cached_property
from types import ModuleType

import numpy as np
from numpy.typing import NDArray

from .batch import Numbers
from .state import State, aligned
from .units import ROOM, Measure, Units, in_units, measure, moderate, refer

# Where the counts and the numbers of a state stand.
USED, REFUSED, CORE, REJECTED, EQUAL, KEPT, WAITING, DUE, BLOCKS, GROSS, PARTS, WRONG, COUNTS = range(13)
WEIGHT, OVER, MIDDLE, HEFT, NOISE, BOUND, LEAST, NUMBERS = range(8)


class Core:
    """A state at work. `family` knows the loss: how to solve, what is left over of a row, what it adds to the core."""

    def __init__(self, state: State, family: ModuleType, intercept: bool) -> None:
        self.state, self.family, self.intercept = state, family, intercept
        self.counts, self.numbers, self.width = state.counts, state.numbers, len(state.theta)
        self._halved = False  # whether sums have grown above the diagonal only

    @property
    def units(self) -> Units:
        return Units(self.state.shift, self.state.exponent)

    @cached_property
    def measured(self) -> Measure:
        return self.measure_of(self.units)

    def measure_of(self, units: Units) -> Measure:
        return measure(units, self.family.FARTHEST_VALUE)

    @cached_property
    def judges(self) -> Numbers:
        """What rows are multiplied by to be judged: by reference, coefficients and metric at once."""
        return np.column_stack([self.state.reference, self.state.theta, self.state.metric])

    def judge_anew(self) -> None:
        """After units, coefficients or metric have changed."""
        self.__dict__.pop("measured", None)
        self.__dict__.pop("judges", None)

    def seen_of(self, rows: Numbers, targets: Numbers) -> Numbers:
        """Rows in units, the columns' exponents raised first where they are too small for them."""
        seen = aligned((len(rows), self.width + 1))
        if not (in_units(rows, targets, self.measured, seen) or moderate(seen)):
            self.make_room(rows, targets)
            in_units(rows, targets, self.measured, seen)
        return refer(seen, self.state.reference)

    # -------------------------------------------------------------------------------------------- taking rows in

    def join(self, seen: Numbers, left: Numbers, count: int, share: float = 1.0) -> None:
        """Rows, or zeros in their place, join the core with weight one."""
        self.counts[CORE] += count
        self.counts[WRONG] += self.family.wrong(left)
        self._halved = True
        self.numbers[WEIGHT] += count
        if share and self.state.meat.size:
            add_outer(self.state.meat, seen[:, :-1] * left[:, None], share)
        add_outer(self.state.sums, self.family.working(seen, self.state.theta, left))

    def join_in_part(self, seen: Numbers, left: Numbers, weights: Numbers) -> None:
        """Gross rows join the core with what weight they have."""
        self.counts[CORE] += len(seen)
        self.counts[WRONG] += self.family.wrong(left)
        self._halved = True
        self.counts[REJECTED] += int((weights < 1.0).sum())
        self.numbers[WEIGHT] += weights.sum()
        self.numbers[OVER] += float((weights * (1.0 - weights) * left**2).sum())
        self.state.removed[...] += ((1.0 - weights) * left) @ seen[:, :-1]
        if self.state.meat.size:
            add_outer(self.state.meat, seen[:, :-1] * (weights * left)[:, None])
        working = self.family.working(seen, self.state.theta, left)
        add_outer(self.state.sums, working * np.sqrt(weights)[:, None])
        if self.state.aside.size:
            add_outer(self.state.aside, working * np.sqrt(1.0 - weights)[:, None])

    def complete(self) -> None:
        """Make the sums symmetric again."""
        if self._halved:
            mirror(self.state.sums)
            mirror(self.state.aside)
            mirror(self.state.meat)
            self._halved = False

    # ---------------------------------------------------------------------------------------- changing the units

    def make_room(self, rows: Numbers, targets: Numbers) -> None:
        """Raise the exponents of the columns that hold values too large for them; powers of two cost no digits."""
        whole = np.column_stack([rows, targets])
        half = np.abs(whole * 0.5 - self.state.shift * 0.5).max(axis=0)
        needed = np.where(half > 0.0, np.clip(np.frexp(half)[1] + 1, -1000, 1000), -1000)
        self.raise_to(np.where(needed > self.state.exponent + ROOM - 2, needed, self.state.exponent))

    def raise_to(self, exponent: NDArray[np.int32]) -> None:
        """Measure columns in larger units."""
        if not self.family.OF_TARGETS:
            exponent[-1] = 0
        if (exponent <= self.state.exponent).all():
            return
        self.complete()
        self._forget_reference()
        shrink = np.ldexp(1.0, self.state.exponent - exponent)
        target, features = float(shrink[-1]), shrink[:-1]
        if self.intercept:
            features = np.append(features, 1.0)
        every = np.append(features, target)
        state = self.state
        for sums in self._whole_sums():
            sums[...] *= every * every[:, None]
        if state.meat.size:
            state.meat[...] *= features * features[:, None] * target**2
        state.removed[...] *= features * target
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            state.theta[...] = np.nan_to_num(np.clip(state.theta * (target / features), -1e30, 1e30))
            state.metric[...] = np.nan_to_num(np.clip(state.metric / features[:, None], -1e60, 1e60))
        state.prior[...] *= features**2
        state.scores[...] *= target
        self.numbers[[OVER, NOISE, BOUND]] *= target**2
        self.numbers[LEAST] *= target
        state.exponent[...] = np.maximum(exponent, state.exponent)
        self.judge_anew()

    def _whole_sums(self) -> list[Numbers]:
        """The sums that the target is part of."""
        return [sums for sums in (self.state.sums, self.state.aside) if sums.size]

    def _forget_reference(self) -> None:
        back = np.eye(self.width + 1)
        back[:-1, -1] = self.state.reference
        for sums in self._whole_sums():
            sums[...] = back.T @ sums @ back
        self.state.theta[...] += self.state.reference
        self.state.reference[...] = 0.0


def add_outer(total: Numbers, rows: Numbers, share: float = 1.0) -> None:
    """total += share rows' rows, in place, on the diagonal and above: half of the work."""
    from scipy.linalg import blas

    if len(rows):
        # What BLAS reads as columns are our rows.
        blas.dsyrk(share, rows.T, beta=1.0, c=total.T, lower=1, overwrite_c=1)


def mirror(total: Numbers) -> None:
    """What stands above the diagonal below it, too."""
    np.copyto(total, total.T, where=_under(len(total)))


@cache
def _under(width: int) -> NDArray[np.bool_]:
    return np.tri(width, k=-1, dtype=np.bool_)
