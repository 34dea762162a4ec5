"""What a regression is solved from, the sums of the core and the extreme rows one by one, and what comes out."""

from math import ceil, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .factor import Factor

Numbers = NDArray[np.float64]

# If more than this share of targets has one value, no row is called gross.
MASSED = 0.25


class Problem(NamedTuple):
    """The rows of the core as sums, all others one by one; the last column is the target."""

    rows: Numbers  # (k, P + 1)
    sums: Numbers  # (P + 1, P + 1) of the core
    weight: float  # of the core
    core: int  # rows in the core
    seen: int  # rows in all
    rejected: int = 0  # rows of the core that count less than whole
    over: float = 0.0  # what these still add to the squared residuals
    aside: Numbers | float = 0.0  # and the sums that they would add if they were whole
    equal: int = 0  # rows whose target is the middle one
    judge: bool = True  # whether rows may be called gross
    lean: int = 0  # 1: call rows gross if one more row might make them so; -1: only if none could undo it
    prior: Numbers | float = 0.0  # a little curvature, where a loss needs it to have a minimum

    @property
    def width(self) -> int:
        return len(self.sums) - 1

    @property
    def massed(self) -> bool:
        """Whether the target sits at one value so often that nothing can be called gross."""
        return self.equal > MASSED * self.seen

    @property
    def X(self) -> Numbers:
        return self.rows[:, :-1]

    @property
    def y(self) -> Numbers:
        return self.rows[:, -1]

    @property
    def squares(self) -> Numbers:
        return self.sums[:-1, :-1]

    @property
    def moments(self) -> Numbers:
        return self.sums[:-1, -1]


class Solution(NamedTuple):
    """The coefficients, and all that the next rows are judged by."""

    theta: Numbers
    matrix: Numbers  # the weighted sum of x x' that theta solves
    metric: Factor  # lengths of gradients are measured in this, in which the weights sum to `heft`
    heft: float
    noise: float  # mean square of the core's residuals
    limit: float  # squared length at which a gradient is clipped
    weights: Numbers  # of the rows
    left: Numbers  # residuals of the rows
    squares: Numbers  # squared lengths of the rows' gradients
    base: float  # the sum of those of the core
    most: float  # fewer rows than this are clipped
    scores: Numbers  # how extreme each row is
    gross: bool = False  # whether rows are called gross, and from which squared score on
    bound: float = 0.0


def most_clipped(seen: int, width: int) -> float:
    """Fewer rows than this are clipped."""
    return float(min(width / 2.0 + 7.0 + min(sqrt(seen), 60.0, 3.0 * width), seen / 4.0))


def threshold(squares: Numbers, base: float, most: float) -> float:
    """The limit with base + sum min(squares, limit) = most limit."""
    held = min(len(squares), ceil(most) - 1)
    if held <= 0:
        return float((base + squares.sum()) / most)
    # Only so many of the largest can lie beyond it.
    split = len(squares) - held
    parted = np.partition(squares, split) if split > 0 else squares
    largest = np.sort(parted[split:])[::-1]
    below = base + parted[:split].sum() + np.concatenate([np.cumsum(largest[::-1])[::-1], [0.0]])
    limits = below / (most - np.arange(held + 1))
    fits = np.append(largest, 0.0) <= limits
    return float(limits[np.argmax(fits)] if fits.any() else limits[-1])


def share_of(limit: float, squares: Numbers) -> Numbers:
    """What of each the limit leaves: all of those that are not beyond it."""
    return np.where(squares > limit, limit / np.maximum(squares, 1e-300), 1.0)


def traced(cholesky: Factor, weights: Numbers, lengths: Numbers) -> float:
    """tr(A^-1 C) of the core's part C of the factored A, from what all else takes of the width."""
    return max(len(cholesky.scale) - cholesky.ridged() - float(weights @ lengths), 0.0)


def first_weights(problem: Problem) -> Numbers:
    """Where to begin: from the core alone, or, where that is too small, from the half of the rows nearest to the
    middle, of which not many can be bad."""
    rows, width = len(problem.rows), problem.width
    if problem.weight >= 2 * width:
        return np.zeros(rows)
    if rows < 4 * width:
        return np.ones(rows)
    far = away(problem.X, typical_of(problem.X))
    near: Numbers = (far <= np.median(far)).astype(np.float64)
    return near


def typical_of(X: Numbers) -> Numbers:
    """How large the values of each column are."""
    distances = np.abs(X)
    typical = np.median(distances, axis=0)
    typical = np.where(typical > 0.0, typical, distances.max(axis=0))
    return np.where(typical > 0.0, typical, 1.0)


def away(X: Numbers, typical: Numbers) -> Numbers:
    """How far rows are from the middle, squared."""
    far: Numbers = ((X / typical) ** 2).sum(axis=1)
    return far
