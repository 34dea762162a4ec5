"""Labels and levels: what the classes of a target and the values of a text column may be, and the columns of these."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

Label = str | bool | int | float
Levels = dict[str, list[str]]  # by column, the most frequent value first

FEWEST_CLASSES = 2
MOST_LABELS = 1000
MOST_GROUPS = 100
MOST_LEVELS = 100
LONGEST = 1000  # characters; what is longer is prose
OTHER = "(other)"


def are_labels(value: Any) -> bool:
    """Whether these are labels: different, not too many, and such as JSON can hold."""
    return (
        isinstance(value, list)
        and 0 < len(value) <= MOST_LABELS
        and all(is_label(label) for label in value)
        and len(set(value)) == len(value)
    )


def is_label(value: Any) -> bool:
    if isinstance(value, str):
        return len(value) <= LONGEST
    return isinstance(value, bool | int) or (isinstance(value, float) and math.isfinite(value))


def class_count(labels: Sequence[Label]) -> int:
    """How many classes these labels stand for: where one has been seen, there is room for another."""
    return max(FEWEST_CLASSES, len(labels))


def are_levels(value: Any) -> bool:
    """Whether these are a text column's levels, for each of several columns."""
    return isinstance(value, dict) and all(
        isinstance(column, str)
        and isinstance(levels, list)
        and 0 < len(levels) <= MOST_LEVELS
        and all(isinstance(level, str) and len(level) <= LONGEST for level in levels)
        and len(set(levels)) == len(levels)
        for column, levels in value.items()
    )


def indicator_names(column: str, levels: Sequence[str]) -> list[str]:
    """The columns that stand for one of text. The most frequent level has none: it is the baseline."""
    return [f"{column}={level}" for level in [*levels[1:], OTHER]]


def feature_names(columns: Sequence[str], levels: Mapping[str, Sequence[str]]) -> list[str]:
    """The features that these columns become."""
    groups = (indicator_names(column, levels[column]) if column in levels else [column] for column in columns)
    return [name for group in groups for name in group]


def feature_columns(names: Sequence[str], levels: Mapping[str, Sequence[str]]) -> list[str]:
    """The columns that these features were made of; the inverse of `feature_names`."""
    owners = {name: column for column in levels for name in indicator_names(column, levels[column])}
    return list(dict.fromkeys(owners.get(name, name) for name in names))


def are_features(names: Sequence[str], levels: Mapping[str, Sequence[str]]) -> bool:
    """Whether columns with these levels, each of them used, become features of these names."""
    columns = feature_columns(names, levels)
    return set(levels) <= set(columns) and feature_names(columns, levels) == list(names)
