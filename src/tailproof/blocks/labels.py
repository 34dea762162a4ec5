"""The target of a classification: each distinct value is a label, and each label has a number."""

import math
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from tailproof.blocks.block import Problem, Rows
from tailproof.blocks.columns import SHOWN, Field, cut, cut_list
from tailproof.blocks.indicators import as_text, spelled
from tailproof.blocks.rows import numbers, plain
from tailproof.blocks.words import NUMBER, TRUTHS
from tailproof.categories import LONGEST, MOST_GROUPS, MOST_LABELS, Label, class_count
from tailproof.errors import DataError

WHOLE = 2**53  # up to here a float that is whole is the integer it looks like
# More labels than this that are not whole numbers are measurements.
MOST_FRACTIONS = 20
REMEDY = "name all classes with --labels"


class Labels:
    """The labels, and the numbers of a column's values among them. There are as many as there were in the first rows;
    where this was one, the next that comes is the other."""

    def __init__(self, target: str, kind: str, known: Sequence[Label]) -> None:
        self.target, self.kind = target, kind
        self.known = list(known)  # never changed but replaced, as the positions of earlier blocks hold it
        self.places: dict[Label, int] = {label: place for place, label in enumerate(known)}

    @property
    def classes(self) -> int:
        return class_count(self.known)

    def codes(self, column: Any) -> tuple[Rows, list[Problem]]:
        """Each value's number, NaN where there is no label; and a problem for each that cannot be one."""
        values, places = distinct(column, self.kind)
        known, reasons = np.full(len(values) + 1, np.nan), [""] * (len(values) + 1)  # the last: missing
        for place, value in enumerate(values):
            known[place], reasons[place] = self._code(value)
        codes = known[places]
        return codes, [
            Problem(int(row), self.target, reasons[places[row]])
            for row in np.flatnonzero(np.isnan(codes))
            if reasons[places[row]]
        ]

    def _code(self, value: Any) -> tuple[float, str]:
        """The number of a value, or why it has none ('' for a missing one)."""
        label, reason = read_label(value, self.kind)
        if label is None:
            return np.nan, reason
        if label not in self.places:
            if len(self.known) == self.classes:
                return np.nan, self._unknown(label)
            self.known = [*self.known, label]
            self.places[label] = len(self.known) - 1
        return float(self.places[label]), ""

    def _unknown(self, label: Label) -> str:
        known = [cut(str(one)) for one in self.known]
        every = [*map(str, self.known), str(label)]
        is_short = len(every) <= SHOWN and not any("," in one or one != cut(one) for one in every)
        remedy = f"{REMEDY} {','.join(every)}" if is_short else REMEDY
        return f"label {cut(repr(label))} is none of {cut_list(known)}; {remedy}"

    def about(self, problem: Problem) -> Problem:
        """A value that is not of the labels' kind may be a label that the first rows did not hold."""
        if problem.column != self.target or self.kind == "text":
            return problem
        return problem._replace(reason=f"{problem.reason}; if it is a label, {REMEDY}")


def read_label(value: Any, kind: str) -> tuple[Label | None, str]:
    """A value as JSON can hold it, or why it is no label ('' for a missing one)."""
    if isinstance(value, str):
        return (value, "") if len(value) <= LONGEST else (None, f"more than {LONGEST:,} characters are no label")
    if isinstance(value, bool):
        return value, ""
    number = value if isinstance(value, int) else _plain_number(float(value))
    if isinstance(number, float) and not math.isfinite(number):
        return None, "" if math.isnan(number) else "infinite"
    if kind == "boolean":
        return (bool(number), "") if number in (0, 1) else (None, f"{number} is neither true nor false")
    return number, ""


def _plain_number(value: float) -> int | float:
    return int(value) if value.is_integer() and abs(value) < WHOLE else value


def distinct(column: Any, kind: str) -> tuple[list[Any], npt.NDArray[Any]]:
    """A column's different values as they appear, and which of them each row holds (-1: none)."""
    import pyarrow as pa

    column = as_text(column) if kind == "text" else plain(column)
    if pa.types.is_float16(column.type) or pa.types.is_null(column.type):
        column = column.cast(pa.float64())
    encoded = column.dictionary_encode()
    values = spelled(encoded.dictionary) if kind == "text" else encoded.dictionary.to_pylist()
    return values, numbers(encoded.indices.fill_null(-1))


def first_labels(target: str, kind: str, parts: list[Any], file: str) -> list[Label]:
    """The labels in the first rows of a column, in their natural order."""
    found = _found(kind, parts, MOST_LABELS)
    if len(found) > MOST_LABELS:
        hint = "is it a number? use regress" if kind == "number" else "choose a target of fewer"
        raise DataError(f"{file}: the target {target!r} holds more than {MOST_LABELS:,} different labels; {hint}")
    if not found:
        raise DataError(f"{file}: the target {target!r} holds no label in its first rows; {REMEDY}")
    if len(found) > MOST_FRACTIONS and any(isinstance(label, float) for label in found):
        holds = f"{file}: the target {target!r} holds {len(found):,} different numbers in its first rows"
        raise DataError(f"{holds}; if it is no label, use regress, else {REMEDY}")
    return sorted(found)


def first_groups(column: str, kind: str, parts: list[Any], file: str) -> list[Label]:
    """The groups in the first rows of a column, in their natural order."""
    found = sorted(_found(kind, parts, MOST_GROUPS))
    if len(found) > MOST_GROUPS:
        listed = ", ".join(cut(repr(label)) for label in found[:3])
        raise DataError(
            f"{file}: the column {column!r} holds more than {MOST_GROUPS} different values ({listed}, ...), too many "
            "for groups; name the column that says which group a row belongs to"
        )
    if not found:
        raise DataError(f"{file}: the column {column!r} names no group in its first rows; name another column")
    return found


def _found(kind: str, parts: list[Any], most: int) -> set[Any]:
    """The different labels in parts of a column; no more parts are looked at once there are too many."""
    found: set[Any] = set()
    for part in parts:
        found |= {read_label(value, kind)[0] for value in distinct(part, kind)[0]} - {None}
        if len(found) > most:
            break
    return found


def kind_for(labels: Sequence[Label], field: Field) -> str:
    """What a target is read as whose labels are given: as what its column holds, if all labels can be that."""
    held = field.kind if field.kind in ("boolean", "text") else "number"
    return "text" if as_kind(labels, held) is None else held


def as_kind(labels: Sequence[Label], kind: str) -> list[Label] | None:
    """Labels as they were given, which on a command line are all texts, as values of a kind; None if one is not."""
    if kind == "text":
        return [label if isinstance(label, str) else str(label).lower() for label in labels]
    values = [_as_number(label, kind) for label in labels]
    found = [None if value is None else read_label(value, kind)[0] for value in values]
    return None if None in found else [label for label in found if label is not None]


def _as_number(label: Label, kind: str) -> int | float | None:
    if not isinstance(label, str):
        return label
    if kind == "boolean" and label in TRUTHS:
        return TRUTHS[label]
    if not re.match(NUMBER, label):
        return None
    return int(label) if label.lstrip("+-").isdecimal() else float(label)
