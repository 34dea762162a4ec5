"""Labels of any kind: which there are, and their numbers."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_consistent_length, column_or_1d

from ..errors import DataError, RuleError

Labels = NDArray[Any]

NUMBERS = "biuf"
TEXTS = "US"


def as_labels(y: Any, rows: int | None = None) -> Labels:
    """One label a row."""
    labels: Labels = column_or_1d(y, warn=True)
    if rows is not None:
        check_consistent_length(np.empty(rows), labels)
    if labels.dtype.kind == "c":
        raise DataError("labels may not be complex numbers")
    return labels if labels.dtype.kind in NUMBERS + TEXTS else labels.astype(object)


def distinct(labels: Labels) -> Labels:
    """The labels there are, in order, without what is missing."""
    if labels.dtype.kind in NUMBERS + TEXTS:
        found: Labels = np.unique(labels[np.isfinite(labels)] if labels.dtype.kind == "f" else labels)
        return found
    return in_order([label for label in dict.fromkeys(labels.tolist()) if not is_missing(label)])


def in_order(labels: Sequence[Any]) -> Labels:
    """Labels that are Python objects, sorted."""
    try:
        ordered = sorted(labels)
    except TypeError as error:
        kinds = ", ".join(sorted({type(label).__name__ for label in labels}))
        raise DataError(f"labels of several kinds ({kinds}) have no order; give all of them one kind") from error
    found = np.empty(len(ordered), dtype=object)
    found[:] = ordered
    return found


def refuse_measurements(labels: Labels) -> None:
    """Numbers with fractions are no labels, unless somebody says so."""
    if labels.dtype.kind == "f" and not np.array_equal(labels, np.floor(labels)):
        example = labels[labels != np.floor(labels)][0]
        raise DataError(
            f"Unknown label type: continuous. The target holds numbers such as {example}: use LinearRegression, or "
            "name all labels with partial_fit(X, y, classes=[...])"
        )


def together(a: Labels, b: Labels) -> Labels:
    """The labels of both, in order, of a kind that can hold both."""
    kinds = {"numbers" if labels.dtype.kind in NUMBERS else labels.dtype.kind for labels in (a, b)}
    if len(kinds) == 1 and kinds != {"O"}:
        return np.unique(np.concatenate([a, b]))
    return in_order(list(dict.fromkeys([*a.tolist(), *b.tolist()])))


def numbers_of(labels: Labels, classes: Labels) -> NDArray[np.float64]:
    """The number of each row's class, NaN where the label is missing, -1 where it is no class."""
    if labels.dtype.kind in NUMBERS and classes.dtype.kind in NUMBERS:
        return _places(labels, classes)
    known = {label: float(number) for number, label in enumerate(classes.tolist())}
    return np.array([known.get(label, -1.0) if not is_missing(label) else np.nan for label in labels.tolist()])


def _places(labels: Labels, classes: Labels) -> NDArray[np.float64]:
    if len(classes) == 0:
        return np.where(np.isfinite(labels), -1.0, np.nan)
    order = np.argsort(classes, kind="stable")
    ranks = np.searchsorted(classes, labels, sorter=order)
    places = order[np.minimum(ranks, len(classes) - 1)]
    found = np.where(classes[places] == labels, places.astype(np.float64), -1.0)
    return np.where(np.isfinite(labels), found, np.nan)


def is_missing(label: Any) -> bool:
    """None, NaN, an infinite number, and what pandas puts where there is nothing."""
    if isinstance(label, float):
        return not np.isfinite(label)
    return label is None or type(label).__name__ in ("NAType", "NaTType")


def chosen(classes: Labels, numbers: NDArray[np.int64], missing: Any) -> Labels:
    """The label of each number; NaN, or None among texts and truths, where it is missing."""
    found: Labels = classes[numbers]
    if missing.any():
        found = found.astype(np.float64 if classes.dtype.kind in "iuf" else object)
        found[missing] = np.nan if found.dtype.kind == "f" else None
    return found


def same_labels(a: Labels, b: Labels) -> bool:
    return len(a) == len(b) and a.tolist() == b.tolist()


def shown(labels: Labels | Sequence[Any]) -> str:
    """Labels in a sentence."""
    first = labels[:8].tolist() if isinstance(labels, np.ndarray) else labels[:8]
    return ", ".join(map(repr, first)) + (f" and {len(labels) - 8} more" if len(labels) > 8 else "")


def for_a_file(classes: Labels) -> list[Any]:
    """Labels as JSON can hold them."""
    plain = [label.item() if isinstance(label, np.generic) else label for label in classes.tolist()]
    for label in plain:
        if not isinstance(label, str | bool | int | float):
            kind = type(label).__name__
            raise RuleError(
                f"labels that are {kind} cannot be written to a file: use texts or numbers, or pickle the model"
            )
    return plain


def from_a_file(labels: Sequence[Any]) -> Labels:
    if len({type(label) for label in labels}) == 1:
        return np.array(labels)
    found = np.empty(len(labels), dtype=object)
    found[:] = labels
    return found
