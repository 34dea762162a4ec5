"""Which columns are used and for what: the features, and the target if there is one."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from tailproof.blocks.columns import (
    AS_NUMBERS,
    Field,
    cut_list,
    fits,
    locate,
    refuse_missing,
    refuse_repeats,
    unusable,
)
from tailproof.blocks.labels import as_kind, kind_for
from tailproof.categories import FEWEST_CLASSES, Label, are_labels, are_levels, feature_columns
from tailproof.errors import DataError

AS_INDICATORS = "turn it into indicator columns with --one-hot, or leave it out"
TEXT_HELPS = "text can be turned into indicator columns with --one-hot"


class Wish(NamedTuple):
    """What is asked for: None stands for all columns, no target, and labels and levels that are not known yet."""

    columns: Sequence[str] | None = None
    target: str | None = None
    labelled: bool = False
    labels: Sequence[Label] | None = None
    one_hot: bool = False
    levels: Mapping[str, Sequence[str]] | None = None
    grouped: bool = False  # the labels are those of groups, of which there are few

    @property
    def has_levels(self) -> bool:
        return self.one_hot or self.levels is not None

    @property
    def remedy(self) -> str:
        """What helps against text; indicator columns are for those who explain a target."""
        return AS_INDICATORS if self.explains else AS_NUMBERS

    @property
    def explains(self) -> bool:
        """Whether columns explain a target, rather than being summed up in groups."""
        return self.target is not None and not self.grouped


class Choice(NamedTuple):
    """The columns of a run: fixed by the first file that has rows, kept in every position. The target stands last."""

    names: list[str]
    kinds: list[str]
    skipped: list[tuple[str, str]]
    target: str | None = None
    labelled: bool = False

    @property
    def features(self) -> list[str]:
        return self.names if self.target is None else self.names[:-1]

    @property
    def texts(self) -> list[str]:
        """The features that become indicator columns."""
        return [name for name, kind in zip(self.features, self.kinds, strict=False) if kind == "text"]


def sound(wish: Wish) -> Wish:
    """The wish with the features as columns of the files, or what is wrong with it."""
    _refuse_unsound_labels(wish)
    levels = {column: list(texts) for column, texts in (wish.levels or {}).items()}
    if not are_levels(levels):
        raise DataError("the levels asked for are too many, too long, or not all different; name each level once")
    if wish.columns is None:
        return wish
    refuse_repeats(wish.columns, "the columns asked for")
    if not wish.columns:
        raise DataError("no column was asked for: name at least one, or leave the choice out to use all numbers")
    columns = feature_columns(wish.columns, levels)
    if wish.target in columns:
        raise DataError(f"the target {wish.target!r} is also among the features; take it out of them")
    return wish._replace(columns=columns)


def _refuse_unsound_labels(wish: Wish) -> None:
    if wish.labels is None:
        return
    if not wish.labelled:
        raise DataError("labels were named, but the target is read as a number; leave the labels out, or use classify")
    if len(wish.labels) < FEWEST_CLASSES:
        raise DataError(f"{len(wish.labels)} label was named; name all classes, at least two")
    if not are_labels(list(wish.labels)):
        raise DataError("the labels asked for are too many, too long, or not all different; name each class once")


def labels_asked(wish: Wish, kind: str) -> list[Label] | None:
    """The labels asked for as values of the target's kind; None where none were, or where they cannot be that."""
    labels = None if wish.labels is None else as_kind(wish.labels, kind)
    return None if labels is None or not are_labels(labels) else labels


def choose(fields: list[Field], wish: Wish, file: str) -> Choice:
    """The columns asked for, or all that can be used."""
    if wish.target is not None:
        refuse_missing([] if wish.target in [field.name for field in fields] else [wish.target], _names(fields), file)
    choice = _every_usable(fields, wish, file) if wish.columns is None else _as_asked(fields, wish, file)
    if wish.target is None:
        return choice
    kind = _target_kind(fields, wish, file)
    return Choice([*choice.names, wish.target], [*choice.kinds, kind], choice.skipped, wish.target, wish.labelled)


def _names(fields: list[Field]) -> list[str]:
    return [field.name for field in fields]


def _as_asked(fields: list[Field], wish: Wish, file: str) -> Choice:
    names = list(wish.columns or [])
    found = [fields[place] for place in locate(fields, names, ["text"] * len(names), file)]
    kinds = [_kind(field, wish) for field in found]
    for field, kind in zip(found, kinds, strict=True):
        if not fits(field, kind):
            raise unusable(field, file, wish.remedy)
    return Choice(names, kinds, [])


def _every_usable(fields: list[Field], wish: Wish, file: str) -> Choice:
    refuse_repeats(_names(fields), file)
    others = [field for field in fields if field.name != wish.target or wish.target is None]
    used = [field for field in others if _is_used(field, wish)]
    skipped = [(field.name, field.why or "no name") for field in others if not _is_used(field, wish)]
    if not used:
        besides = "" if wish.target is None else f" besides the target {wish.target!r}"
        hint = f"; {TEXT_HELPS}" if wish.explains and any(field.kind == "text" for field in others) else ""
        raise DataError(f"{file} has no column of numbers{besides}; its columns are {_listed(skipped)}{hint}")
    return Choice(_names(used), [_kind(field, wish) for field in used], skipped)


def _is_used(field: Field, wish: Wish) -> bool:
    """A column without a name is most often the row numbers that a data frame wrote."""
    return bool(field.name) and (field.kind in ("number", "boolean") or _kind(field, wish) == "text")


def _kind(field: Field, wish: Wish) -> str:
    """What a feature is read as."""
    is_text = field.kind in ("text", "partly") or field.is_category
    if field.name in (wish.levels or {}) or (wish.one_hot and is_text):
        return "text"
    return "boolean" if field.kind == "boolean" else "number"


def _target_kind(fields: list[Field], wish: Wish, file: str) -> str:
    found = [field for field in fields if field.name == wish.target]
    refuse_repeats(_names(found), file)
    field = found[0]
    if not field.kind or (field.kind in ("text", "partly") and not wish.labelled):
        raise _unusable_target(field, file)
    if wish.labels is not None:
        return _kind_of_labels(field, wish, wish.labels)
    is_text = wish.labelled and (field.kind in ("text", "partly") or bool(field.why))
    return "text" if is_text else _kind(field, Wish())


def _kind_of_labels(field: Field, wish: Wish, labels: Sequence[Label]) -> str:
    """What a target is read as whose labels are given."""
    kind = kind_for(labels, field)
    if labels_asked(wish, kind) is None:
        raise DataError(f"the labels asked for {field.name!r} are not all different as {kind}s; name each class once")
    return kind


def _unusable_target(field: Field, file: str) -> DataError:
    remedy = "if these are labels, use classify" if field.kind else "name another column"
    return DataError(f"{file}: the target {field.name!r} holds {field.why}, not numbers; {remedy}")


def _listed(skipped: list[tuple[str, str]]) -> str:
    return cut_list([f"{name!r} ({why})" for name, why in skipped]) or "none at all"
