"""The columns of a data frame, matched by name to what a model was fitted on."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..blocks.indicators import Indicators
from ..categories import Levels, feature_columns
from ..errors import DataError


def matched(X: Any, names: Sequence[str] | None, levels: Levels) -> Any:
    """A frame with the model's columns in the model's order, whatever others it has. What has no names stays."""
    listed = _listed(X)
    if names is None or listed is None or listed == list(names):
        return X
    if set(names) <= set(listed):
        return X[list(names)]
    columns = feature_columns(names, levels)
    missing = [name for name in columns if name not in listed]
    if missing:
        raise _missing(missing, listed)
    return _one_hot(X, columns, levels)


def _listed(X: Any) -> list[str] | None:
    columns = getattr(X, "columns", None)
    if columns is None or not all(isinstance(name, str) for name in columns):
        return None
    return list(columns)


def _one_hot(X: Any, columns: Sequence[str], levels: Levels) -> Any:
    """The same kind of frame, with texts turned into indicators."""
    import pyarrow as pa

    made: dict[str, Any] = {}
    for column in columns:
        if column in levels:
            indicators = Indicators(column, levels[column])
            rows = np.empty((len(X), len(indicators.names)))
            indicators.fill(pa.array(X[column]), rows)
            made |= dict(zip(indicators.names, rows.T, strict=True))
        else:
            made[column] = np.asarray(X[column])
    return type(X)(made)


def not_numbers(X: Any) -> DataError | None:
    """What to say of a frame's columns that hold texts or times, if there are any."""
    names = _listed(X) or []
    if len(set(names)) < len(names):
        return DataError(f"X has several columns of one name: {_shown(_repeated(names))}; give each its own")
    others = [name for name in names if not _holds_numbers(X[name])]
    if not others:
        return None
    times = [name for name in others if _holds_times(X[name])]
    if times:
        return DataError(
            f"{_shown(times)}: times, not numbers; leave such columns out, or turn them into numbers first, "
            "for example into days since the first"
        )
    return DataError(
        f"{_shown(others)}: text, not numbers; leave such columns out, or turn them into columns of numbers first, "
        "for example with scikit-learn's OneHotEncoder"
    )


def _repeated(names: Sequence[str]) -> list[str]:
    return [name for name in dict.fromkeys(names) if names.count(name) > 1]


def _holds_times(column: Any) -> bool:
    return np.asarray(column).dtype.kind in "mM"


def _holds_numbers(column: Any) -> bool:
    if _holds_times(column):
        return False
    try:
        np.asarray(column).astype(np.float64)
    except (TypeError, ValueError):
        return False
    return True


def _missing(missing: Sequence[str], listed: Sequence[str]) -> DataError:
    return DataError(
        f"X lacks {_shown(missing)}, which this model was fitted on; it has {_shown(listed)}: "
        "name its columns as they were then"
    )


def _shown(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names[:8])) + (f" and {len(names) - 8} more" if len(names) > 8 else "")
