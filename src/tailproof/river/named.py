"""Rows by name: features may appear at any time, and one that is missing counts as 0."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from math import inf, nan
from typing import Any

import numpy as np
from numpy.typing import NDArray
from river.utils import dataframe

from ..errors import DataError

Numbers = NDArray[np.float64]
Features = Mapping[Hashable, Any]


class Names:
    """The features known so far, in the order in which they came."""

    def __init__(self) -> None:
        self.known: list[Hashable] = []
        self.places: dict[Hashable, int] = {}

    def new(self, names: Iterable[Hashable]) -> list[Hashable]:
        """Those of the names that are not known."""
        return [name for name in names if name not in self.places]

    def learn(self, names: Sequence[Hashable]) -> None:
        self.places |= {name: len(self.known) + k for k, name in enumerate(names)}
        self.known += names

    def fill(self, row: Numbers, x: Features) -> None:
        """Write the features of `x` that are known into the row."""
        try:
            if list(x) == self.known:
                row[:] = list(x.values())
                return
        except (TypeError, ValueError, OverflowError):
            pass  # what is wrong is found below, feature by feature
        row[:] = 0.0
        for name, value in x.items():
            if name in self.places:
                row[self.places[name]] = as_number(name, value)

    def matrix(self, columns: Sequence[Hashable], values: Numbers) -> Numbers:
        """The columns that are known, each in its place."""
        rows = np.zeros((len(values), len(self.known)))
        used = [k for k, name in enumerate(columns) if name in self.places]
        rows[:, [self.places[columns[k]] for k in used]] = values[:, used]
        return rows


def as_number(name: Hashable, value: Any) -> float:
    """A feature's value; NaN where it is missing."""
    if is_missing(value):
        return nan
    try:
        return float(value)
    except OverflowError:
        return inf
    except (TypeError, ValueError) as error:
        raise DataError(
            f"feature {name!r} holds {value!r:.60}, not a number; turn it into numbers first, for example with "
            "River's OneHotEncoder, or leave it out"
        ) from error


def is_missing(value: Any) -> bool:
    """None, NaN, and what pandas puts where there is nothing."""
    if isinstance(value, float):
        return value != value
    return value is None or type(value).__name__ in ("NAType", "NaTType")


def matrix_of(frame: Any) -> Numbers:
    """A frame's numbers, NaN where one is missing."""
    try:
        return dataframe.to_numpy(frame)
    except (TypeError, ValueError):
        columns = [[as_number(name, value) for value in frame[name].to_list()] for name in frame.columns]
        return np.array(columns, np.float64).T
