"""Error bars: the tail-extended bar.

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
# The number of rows at which the any-time bar is tightest.
TIGHTEST = 1000.0


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
    if contaminated:
        share *= CONTAMINATED / ONE_LOOK
        above, below, removed = spread.kept_above, spread.kept_below, np.zeros_like(spread.removed)
    else:
        above, below, removed = spread.above, spread.below, spread.removed
    with np.errstate(over="ignore", invalid="ignore"):
        low = spread.centre - width * spread.error - share * (below / rows) + np.minimum(removed, 0.0)
        high = spread.centre + width * spread.error + share * (above / rows) + np.maximum(removed, 0.0)
    return low, high


def missed(confidence: float) -> float:
    if not 0.0 < confidence < 1.0:
        raise RuleError(f"a confidence lies between 0 and 1, for example 0.95; not {confidence}")
    return 1.0 - confidence


def boundary(miss: float, rows: int, anytime: bool) -> tuple[float, float]:
    """How many standard errors, and how many farthest rows over N."""
    if not anytime:
        return NormalDist().inv_cdf(1.0 - miss / 2.0), ONE_LOOK * log(2.0 / miss)
    rate = (-2.0 * log(miss) + log(1.0 - 2.0 * log(miss))) / TIGHTEST
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
