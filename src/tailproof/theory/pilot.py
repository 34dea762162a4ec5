"""A pilot: the first rows, put into a geometric median of means, stand in for knowing r0."""

from math import ceil, isfinite, log, sqrt

from ..errors import RuleError
from .constants import SHARP
from .settings import logarithm, theorem


def pilot_size(delta: float = 0.01, kappa: float = 1.0) -> int:
    """Rows of a pilot that is as long as the delay of the descent that it starts: 67 for the mean at delta = 0.01.

    The pilot's bound and the descent's may each fail: give half of delta to each.
    """
    theorem(tau_l=1.0, tau_u=kappa, beta=0.0, r0=0.0, N=1, delta=delta)  # checks both
    return ceil(SHARP[0].per_kappa * kappa * logarithm(delta))


def buckets(delta: float) -> int:
    """Buckets of the geometric median of means."""
    if not 0.0 < delta < 1.0:
        raise RuleError(f"delta must be between 0 and 1, not {delta}")
    return int(3.5 * log(1.0 / delta)) + 1


def median_of_means_bound(trace: float, rows: int, delta: float = 0.01) -> float:
    """How far the geometric median of `buckets(delta)` bucket means may be from the mean, with probability 1 - delta.

    For a pilot this is r0, and the bound after all rows is inflated by at most sqrt(1 + 121 m/rows), m the pilot's.
    """
    if not (trace >= 0.0 and isfinite(trace)):
        raise RuleError(f"trace must be a finite number of at least 0, not {trace}")
    if not rows >= 2 * buckets(delta):
        raise RuleError(f"{buckets(delta)} buckets need at least {2 * buckets(delta)} rows, not {rows}")
    return 11.0 * sqrt(trace * log(1.4 / delta) / rows)
