"""Quantiles of the sizes of errors, from how often each bin occurred."""

from typing import Any

import numpy as np

from ..racing import BINS, FINENESS

# A pilot's errors are of a size; they are told apart down to this power of two below it, and far above it.
BELOW = 24


def origin_of(size: float) -> int:
    """The power of two of the first bin, where errors are about of this size."""
    return int(np.frexp(size if size > 0.0 else 1.0)[1]) - BELOW


def quantile(counts: Any, origin: int, share: float) -> float:
    """The size that this share of the errors does not exceed: within .8 %; inf beyond the last bin."""
    reached = np.searchsorted(np.cumsum(counts), share * counts.sum(), side="left")
    if reached >= BINS - 1:
        return float("inf")
    power, part = divmod(int(reached) + 0.5, FINENESS)
    return 0.0 if reached == 0 else float(np.ldexp(0.5 + 0.5 * part / FINENESS, int(power) + origin))


def moved(counts: Any, by: int) -> Any:
    """The counts as bins whose first lies so many powers of two lower."""
    places = np.clip(np.arange(BINS) + by * FINENESS, 0, BINS - 1)
    there = np.zeros_like(counts)
    for k in range(len(counts)):
        np.add.at(there[k], places, counts[k])
    return there
