"""Weights: how often each row occurs. A row of weight 3 is the same row three times, one of weight 0 is not there."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_array, check_consistent_length

from ..errors import DataError
from ..estimator import spans

Counts = NDArray[np.int64]

# A row that occurs more often takes hours.
MOST = 10**9


def counts_of(weights: Any, rows: int, first: int) -> Counts | None:
    """How often each of so many rows occurs, or what is wrong with a weight. The first row has this number."""
    if weights is None:
        return None
    if np.isscalar(weights):
        weights = np.full(rows, weights)
    found = check_array(
        weights, ensure_2d=False, ensure_all_finite=False, ensure_min_samples=0, dtype=np.float64,
        input_name="sample_weight",
    )  # fmt: skip
    if found.ndim != 1:
        raise DataError(f"Sample weights must be 1D array or scalar, one number a row, not an array of {found.ndim}D")
    check_consistent_length(np.empty(rows), found)
    bad = ~((found >= 0.0) & (found <= MOST) & (found == np.floor(found)))
    if bad.any():
        row = int(np.flatnonzero(bad)[0])
        raise _unfit(float(found[row]), row + first)
    return np.asarray(found, np.int64)


def _unfit(weight: float, row: int) -> DataError:
    said = f"sample_weight of row {row:,} is {weight:g}"
    if 0.0 < weight < MOST:
        return DataError(
            f"{said}: a weight says how often a row occurs, and must be a whole number; where weights say how likely "
            "rows are wanted, keep each with that probability instead, X[random < weight / weight.max()], so that "
            "error bars stay right"
        )
    if weight > MOST:
        return DataError(f"{said}: a weight says how often a row occurs, at most {MOST:,} times")
    remedy = "give 0 to leave a row out"
    return DataError(f"{said}: Negative values in data passed to `sample_weight`, or NaN, make no sense; {remedy}")


def repeated(counts: Counts | None, rows: Any, *beside: Any) -> Iterator[tuple[Any, ...]]:
    """Rows, and what stands beside them, as often as each occurs, in pieces of bounded size; at least one piece."""
    if counts is None:
        yield rows, *beside
        return
    ends = np.cumsum(counts)
    whole = int(ends[-1]) if len(ends) else 0
    for some in spans(whole, rows.shape[1]):
        chosen = np.searchsorted(ends, np.arange(some.start, some.stop), side="right")
        yield rows[chosen], *(values[chosen] for values in beside)
