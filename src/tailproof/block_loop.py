"""Rows into units, value by value: as machine code in one pass through memory, where NumPy takes several."""

from typing import Any


def place(rows: Any, targets: Any, factor: Any, moved: Any, seen: Any) -> None:
    """Fill `seen` with features, 1 and target; the target takes the place of the 1 where there is no intercept."""
    features, last = rows.shape[1], seen.shape[1] - 1
    for i in range(rows.shape[0]):
        for j in range(features):
            seen[i, j] = in_unit(rows[i, j], factor[j], moved[j])
        seen[i, features] = 1.0
        seen[i, last] = in_unit(targets[i], factor[features], moved[features])


def in_unit(value: Any, factor: Any, moved: Any) -> Any:
    """Of one value, or of many."""
    return value * factor - moved
