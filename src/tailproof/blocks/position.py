"""The place in a run's files: written beside each block, checked when a run goes on."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from tailproof.blocks.block import Mark
from tailproof.blocks.choice import Choice, Wish, labels_asked
from tailproof.blocks.files import Input
from tailproof.blocks.labels import as_kind
from tailproof.categories import FEWEST_CLASSES, Levels, are_labels, are_levels, feature_names
from tailproof.errors import DataError

MARKS = ("byte", "skip", "group", "batch", "offset")
KINDS = ("number", "boolean", "text")
# What stands in a position beside numbers of rows and bytes.
TEXTS = ("files", "names", "kinds", "skipped", "file", "size", "target", "labels", "levels")
REMEDY = "start again without the checkpoint"


class Place(NamedTuple):
    """The file by number, its rows that are done, and the format's own mark there."""

    file: int
    row: int
    mark: Mark


def header_of(inputs: list[Input], choice: Choice, wish: Wish, levels: Levels) -> dict[str, Any]:
    """What all positions of a run share; the labels so far are added where there are any."""
    header = {
        "files": [[found.name, found.size] for found in inputs],
        "names": choice.names,
        "kinds": choice.kinds,
        "skipped": [list(pair) for pair in choice.skipped],
    }
    if wish.has_levels:
        header["levels"] = levels
    if choice.target is not None:
        header |= {"target": choice.target, "labelled": choice.labelled, "fixed": wish.labels is not None}
    return header


def place_of(position: dict[str, Any]) -> Place:
    mark = {name: int(position[name]) for name in MARKS if name in position}
    return Place(int(position["index"]), int(position["row"]), mark)


def saved_choice(position: dict[str, Any], wish: Wish) -> Choice:
    """The columns of the run that is gone on with; other things cannot be asked for now."""
    names, target = list(position["names"]), position.get("target")
    skipped = [(str(name), str(why)) for name, why in position["skipped"]]
    choice = Choice(names, list(position["kinds"]), skipped, target, bool(position.get("labelled")))
    if target != wish.target:
        made = "without a target" if target is None else f"for the target {target!r}"
        raise DataError(f"the checkpoint was made {made}; ask for the same, or {REMEDY}")
    if wish.columns is not None and list(wish.columns) != choice.features:
        raise DataError(f"the checkpoint was made with other columns ({', '.join(choice.features[:12])}); {REMEDY}")
    _refuse_other_labels(position, choice, wish)
    _refuse_other_levels(position.get("levels"), wish)
    return choice


def _refuse_other_labels(position: dict[str, Any], choice: Choice, wish: Wish) -> None:
    if choice.labelled != wish.labelled:
        took = "labels" if choice.labelled else "numbers"
        raise DataError(f"the checkpoint was made by a run that took {choice.target!r} for {took}; {REMEDY}")
    known = position.get("labels") if position.get("fixed") else None
    if (wish.labels is None) != (known is None) or known != labels_asked(wish, choice.kinds[-1]):
        raise DataError(f"the checkpoint was made with other labels asked for; name the same labels, or {REMEDY}")


def _refuse_other_levels(saved: Mapping[str, Any] | None, wish: Wish) -> None:
    if (saved is not None) != wish.has_levels:
        made = "without" if saved is None else "with"
        raise DataError(f"the checkpoint was made {made} --one-hot; ask for the same, or {REMEDY}")
    known = saved or {}
    if any(known.get(column, levels) != list(levels) for column, levels in (wish.levels or {}).items()):
        raise DataError(f"the checkpoint was made with other levels; name the same levels, or {REMEDY}")


def is_sound(place: dict[str, Any], names: list[str] | None) -> bool:
    """Whether this is a place such as a source writes, for features of these names."""
    files, columns, kinds, skipped = (place.get(name) for name in ("files", "names", "kinds", "skipped"))
    if not (isinstance(files, list) and isinstance(columns, list) and isinstance(kinds, list)):
        return False
    return (
        isinstance(skipped, list)
        and all(isinstance(pair, list) and len(pair) == 2 for pair in [*files, *skipped])
        and all(isinstance(name, str) for name in columns)
        and len(kinds) == len(columns)
        and all(kind in KINDS for kind in kinds)
        and _is_counted(place, len(files))
        and _is_explained(place, columns, kinds, names)
    )


def _is_counted(place: dict[str, Any], files: int) -> bool:
    numbers = {name: place[name] for name in place.keys() - set(TEXTS)}
    return (
        all(isinstance(number, int) and 0 <= number < 2**62 for number in numbers.values())
        and "row" in numbers
        and numbers.get("index", files) < files
    )


def _is_explained(place: dict[str, Any], columns: list[str], kinds: list[str], names: list[str] | None) -> bool:
    """Whether target, labels and levels are as they must be, and the features follow from them."""
    target, levels = place.get("target"), place.get("levels", {})
    if not are_levels(levels) or (target is not None and columns[-1:] != [target]):
        return False
    features = columns if target is None else columns[:-1]
    texts = {name for name, kind in zip(features, kinds, strict=False) if kind == "text"}
    return (
        len(set(columns)) == len(columns)
        and texts == set(levels)
        and feature_names(features, levels) == names
        and _is_labelled(place, kinds)
    )


def _is_labelled(place: dict[str, Any], kinds: list[str]) -> bool:
    """Whether the labels are there if and only if they are needed, and are values of the target's kind."""
    if not place.get("labelled"):
        return "labels" not in place and not place.get("fixed")
    labels = place.get("labels")
    return (
        place.get("target") is not None
        and are_labels(labels)
        and as_kind(labels or [], kinds[-1]) == labels
        and len(labels or []) >= (FEWEST_CLASSES if place.get("fixed") else 1)
    )


def check_unchanged(position: dict[str, Any], inputs: list[Input]) -> None:
    """The files up to the position must be those of the run; the one being read may have grown."""
    try:
        index, saved = int(position["index"]), position["files"]
        done = [(str(name), size) for name, size in saved[: index + 1]]
    except (KeyError, TypeError, ValueError):
        raise DataError(f"the saved position cannot be read; {REMEDY}") from None
    for (name, _), found in zip(done, inputs, strict=False):
        if name != found.name:
            raise DataError(f"{found.name} stands where {name} stood; name the same files, or {REMEDY}")
    if len(inputs) < len(done):
        raise DataError(f"{done[len(inputs)][0]} is no longer among the files; name it again, or {REMEDY}")
    for number, ((name, size), found) in enumerate(zip(done, inputs, strict=False)):
        _check_size(name, size, found, may_grow=number == index and found.format != "parquet")


def _check_size(name: str, size: int | None, found: Input, may_grow: bool) -> None:
    same = size == found.size or (may_grow and None not in (size, found.size) and (found.size or 0) > (size or 0))
    if not same:
        raise DataError(f"{name} has changed: it had {size} bytes and now has {found.size}; {REMEDY}")
