"""Error bars: the tail-extended bar, of one mean and of the difference of two.

A bar from the central limit theorem on clipped second moments, plus a share of the farthest row over N on its own
side (the observed maximum stands for the unknown range), plus what clipping removed from the mean on its side. It is
calibrated on many laws, not a theorem: nothing covers a tail that the rows never showed.
"""

from math import log
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .errors import RuleError

Numbers = NDArray[np.float64]

# Share of half-log times farthest row: calibrated at 1/2 for one look, 2/3 for any number of looks.
ONE_LOOK = 0.5
ANY_TIME = 2.0 / 3.0
CONTAMINATED = 1.0
# The number of rows at which the any-time bar is tightest, of a mean and of a difference.
TIGHTEST = 1000.0
TIGHTEST_DIFFERENCE = 10_000.0
# With fewer rows in a group a difference is not shown, at any look and at one look.
FEWEST_ANY_TIME, FEWEST_ONE_LOOK = 100, 20


class Spread(NamedTuple):
    """What a mean's error bar is made of, a value a column."""

    centre: Numbers
    error: Numbers  # standard error of the clipped mean
    removed: Numbers  # the plain mean less the centre: what clipping took away
    above: Numbers  # the farthest row above the centre, and below it
    below: Numbers
    kept_above: Numbers  # the same, of rows not set aside and no farther than the clipping level
    kept_below: Numbers


def tail_extended(
    spread: Spread, rows: int, confidence: float, anytime: bool = False, contaminated: bool = False
) -> tuple[Numbers, Numbers]:
    """The low and the high end, a value a column.

    `anytime` holds at every look at once, from about 100 rows on. `contaminated` trusts that what was set aside or
    clipped does not belong to the law: the bar then stays bounded under wild values.
    """
    miss = missed(confidence)
    if rows < 2:
        nothing = np.full_like(spread.centre, np.inf)
        return -nothing, nothing
    width, share = boundary(miss, rows, anytime)
    above, below, removed = _far(spread, contaminated)
    share *= CONTAMINATED / ONE_LOOK if contaminated else 1.0
    with np.errstate(over="ignore", invalid="ignore"):
        low = spread.centre - width * spread.error - share * (below / rows) + np.minimum(removed, 0.0)
        high = spread.centre + width * spread.error + share * (above / rows) + np.maximum(removed, 0.0)
    return low, high


def difference(
    one: Spread, rows: int, other: Spread, others: int, confidence: float, anytime: bool, contaminated: bool = False
) -> tuple[Numbers, Numbers]:
    """The low and the high end of the other mean less the one, a value a column.

    Standard errors add up in quadrature, and so do the farthest rows: the upper tail of the one with the lower of the
    other. What was removed of both for the most part cancels; what does not is reached out to, on its side.
    """
    miss = missed(confidence)
    if min(rows, others) < fewest(anytime):
        nothing = np.full_like(one.centre, np.inf)
        return -nothing, nothing
    # Two groups of a size tell as much as all their rows; a small group beside a large one hardly more than alone.
    even = round(4 * rows * others / (rows + others))
    width, share = boundary(miss, even, anytime, TIGHTEST_DIFFERENCE)
    share *= CONTAMINATED / ONE_LOOK if contaminated else 1.0
    above, below, removed = _far(one, contaminated)
    above_other, below_other, removed_other = _far(other, contaminated)
    with np.errstate(over="ignore", invalid="ignore"):
        apart = other.centre - one.centre
        error = width * np.hypot(one.error, other.error)
        moved = removed_other - removed
        low = apart - error - share * np.hypot(below_other / others, above / rows) + np.minimum(moved, 0.0)
        high = apart + error + share * np.hypot(above_other / others, below / rows) + np.maximum(moved, 0.0)
    # What is too large for a number tells nothing.
    return np.where(np.isnan(low), -np.inf, low), np.where(np.isnan(high), np.inf, high)


def fewest(anytime: bool) -> int:
    """Rows that a group must have before a difference from it can be shown."""
    return FEWEST_ANY_TIME if anytime else FEWEST_ONE_LOOK


def _far(spread: Spread, contaminated: bool) -> tuple[Numbers, Numbers, Numbers]:
    """The farthest rows above and below, and what was removed; trusting what was set aside, only of the others."""
    if contaminated:
        return spread.kept_above, spread.kept_below, np.zeros_like(spread.removed)
    return spread.above, spread.below, spread.removed


def missed(confidence: float) -> float:
    if not 0.0 < confidence < 1.0:
        raise RuleError(f"a confidence lies between 0 and 1, for example 0.95; not {confidence}")
    return 1.0 - confidence


def boundary(miss: float, rows: int, anytime: bool, tightest: float = TIGHTEST) -> tuple[float, float]:
    """How many standard errors, and how many farthest rows over N."""
    if not anytime:
        return NormalDist().inv_cdf(1.0 - miss / 2.0), ONE_LOOK * log(2.0 / miss)
    rate = (-2.0 * log(miss) + log(1.0 - 2.0 * log(miss))) / tightest
    squared = (1.0 + 1.0 / (rows * rate)) * log((rows * rate + 1.0) / miss**2)
    return squared**0.5, ANY_TIME * squared / 2.0


def radius(
    groups: Numbers, members: NDArray[np.int64], spread: Spread, farthest: float, rows: int, confidence: float
) -> float:
    """How far the whole vector may be from the truth, in Euclidean distance.

    The columns' standard errors make its mean square; round-robin group means show in how many dimensions.
    """
    miss = missed(confidence)
    if rows < 2 * len(members) or members.min() < 1:
        return float("inf")
    # Groups see the core only; what single columns carry bounds the dimension from above.
    dimension = min(effective_dimension(groups / members[:, None]), dimension_of(spread.error))
    from scipy.stats import chi2  # scikit-learn brings SciPy; only this needs it

    quantile: Any = chi2.ppf(1.0 - miss, dimension)
    shared = float(np.linalg.norm(spread.error)) * float(np.sqrt(quantile / dimension))
    return shared + float(np.linalg.norm(spread.removed)) + log(1.0 / miss) / 3.0 * farthest / rows


def dimension_of(errors: Numbers) -> float:
    """tr(C)^2 / tr(C^2) if the columns were independent, which is the most it can be."""
    largest = float(errors.max())
    if not largest > 0.0:
        return 1.0
    squares = (errors / largest) ** 2
    return float(squares.sum() ** 2 / (squares**2).sum())


def effective_dimension(means: Numbers) -> float:
    """tr(C)^2 / tr(C^2) of the covariance C of the group means, its squares' bias removed."""
    count, columns = means.shape
    apart = means - means.mean(axis=0)
    scale = float(np.abs(apart).max())
    if not scale > 0.0:
        return 1.0
    gram = (apart / scale) @ (apart / scale).T / (count - 1)
    trace, square = float(np.trace(gram)), float((gram**2).sum())
    honest = (count - 1) ** 2 / ((count - 2) * (count + 1)) * (square - trace**2 / (count - 1))
    return float(np.clip(trace**2 / max(honest, 1e-300), 1.0, columns))
