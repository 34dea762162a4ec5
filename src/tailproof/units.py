"""In what units rows are added up: each column less its middle and by a power of two, and targets less what a
reference says of them. Powers of two cost no digits."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import compiled
from .batch import Numbers
from .block_loop import in_unit

# In units; targets beyond, less what the reference says, are held back in arithmetic.
FARTHEST_TARGET = 1e100
# A value of the core beyond this power of two raises its column's exponent.
ROOM = 100
# Numbers that stay in the nearest memory.
NEAREST = 1 << 14


class Units(NamedTuple):
    """Where a column's zero is and what power of two it is measured in; the target's last."""

    shift: Numbers
    exponent: NDArray[np.int32]


class Measure(NamedTuple):
    """What values are multiplied by and what is then taken from them, and how far they may be; targets' last."""

    factor: Numbers
    moved: Numbers
    far: float


def units_of(rows: Numbers, centred: bool, of_targets: bool) -> Units:
    """The middle and the power of two of the spread of each column."""
    shift = middle(rows) if centred else np.zeros(rows.shape[1])
    half = np.abs(rows * 0.5 - shift * 0.5)
    spread = np.median(half, axis=0)
    spread = np.where(spread > 0.0, spread, half.max(axis=0))
    exponent = np.where(spread > 0.0, np.frexp(spread)[1] + 1, 0)
    # The shift must be a moderate number in these units, too.
    exponent = np.maximum(exponent, np.where(shift != 0.0, np.frexp(shift)[1] - ROOM // 2, -1000))
    if not of_targets:
        shift[-1], exponent[-1] = 0.0, 0
    return Units(shift, np.clip(exponent, -1000, 1000).astype(np.int32))


def middle(rows: Numbers) -> Numbers:
    """The upper median of each column, which is always one of its values."""
    found: Numbers = np.partition(rows, len(rows) // 2, axis=0)[len(rows) // 2].copy()
    return found


def measure(units: Units, far: float) -> Measure:
    factor = np.ldexp(1.0, -units.exponent)
    return Measure(factor, units.shift * factor, far)


def in_units(rows: Numbers, targets: Numbers, measured: Measure, seen: Numbers) -> bool:
    """Fill `seen` with the rows as the sums know them: features, 1 where there is an intercept, target. Returns whether
    one look was enough to see that all are moderate numbers, and none NaN."""
    if compiled.worth_waking(seen.size):
        compiled.kernel("place", work=compiled.SMALL)(rows, targets, measured.factor, measured.moved, seen)
    else:
        _place(rows, targets, measured, seen)
    # One sum of squares mostly tells.
    flat, far = seen.ravel(), measured.far
    even = bool(flat @ flat < min(far, 2.0**ROOM) ** 2)
    if not (even or _below(seen, far)):
        np.clip(seen, -far, far, out=seen)
    return even


def _place(rows: Numbers, targets: Numbers, measured: Measure, seen: Numbers) -> None:
    """What `block_loop.place` does, by NumPy, for as long as the compiler sleeps."""
    # By parts, each of which stays in the nearest memory until it is done.
    step, features = max(32, NEAREST // seen.shape[1]), rows.shape[1]
    for begin in range(0, len(rows), step):
        part = slice(begin, begin + step)
        seen[part, :features] = in_unit(rows[part], measured.factor[:-1], measured.moved[:-1])
    seen[:, features] = 1.0
    seen[:, -1] = in_unit(targets, measured.factor[-1], measured.moved[-1])


def moderate(seen: Numbers) -> bool:
    """Whether the squares of all values can be added up without loss."""
    return _below(seen, 2.0**ROOM)


def _below(seen: Numbers, bound: float) -> bool:
    return not len(seen) or bool(seen.max() < bound and seen.min() > -bound)


def refer(seen: Numbers, reference: Numbers) -> Numbers:
    """Targets less what the reference says of them: large coefficients then cost no digits."""
    seen[:, -1] = held_back(seen[:, -1] - seen[:, :-1] @ reference)
    return seen


def held_back(left: Numbers) -> Numbers:
    """No farther than can be added up."""
    if len(left) and not (left.max() < FARTHEST_TARGET and left.min() > -FARTHEST_TARGET):
        np.clip(left, -FARTHEST_TARGET, FARTHEST_TARGET, out=left)
    return left
