"""`tailproof inspect` and `tailproof merge`: what saved models say, one by one and together."""

import argparse
import os
from collections.abc import Callable, Sequence
from typing import Any

from ..errors import CheckpointError
from .exits import UsageError
from .show import OF_INTERVALS, OF_MODELS, said_by, show

SHOWN = 12


def inspect(options: argparse.Namespace) -> int:
    from ..checkpoint import load

    saved = load(options.path)
    wanted = {} if options.confidence is None else {"confidence": options.confidence}
    said = said_by(saved.rule, saved.state, saved.names, {**saved.settings, **wanted})
    if not options.json:
        print(f"rule       {saved.rule!r}")
        print(f"memory     {saved.state.nbytes:,} bytes")
        print(f"next row   {_place(saved.position)}")
    show(said, saved.rule, saved.state, options.json)
    return 0


def _place(position: dict[str, Any] | None) -> str:
    if position is None:
        return "no source to go on reading"
    return f"row {int(position.get('row', 0)) + 1:,} of {position.get('file', '?')}"


def merge(options: argparse.Namespace) -> int:
    from ..checkpoint import Saved, load, ready, save

    _refuse_twice(options.paths, options.output)
    ready(options.output)
    first = load(options.paths[0])
    state = first.state
    for path in options.paths[1:]:
        part = load(path)
        _refuse_unequal(path, part, options.paths[0], first)
        state = first.rule.merge(state, part.state)
    kept = {name: first.settings[name] for name in (*OF_INTERVALS, *OF_MODELS) if name in first.settings}
    said = said_by(first.rule, state, first.names, kept)
    save(options.output, Saved(first.rule, state, first.names, settings=kept))
    show(said, first.rule, state, options.json)
    return 0


def _refuse_twice(paths: Sequence[str], output: str) -> None:
    """A part that is added twice counts its rows twice."""
    seen: set[str] = set()
    for path in paths:
        place = os.path.realpath(path)
        if place in seen:
            raise UsageError(f"{path} is named twice: its rows would count twice")
        seen.add(place)
    if os.path.realpath(output) in seen:
        raise UsageError(f"{output} is one of the parts: merged again, its rows would count twice; name another output")


def _refuse_unequal(path: str, part: Any, first_path: str, first: Any) -> None:
    """Parts can be merged that have all of this in common."""
    for what, said, of, remedy in SHARED:
        mine, theirs = of(part), of(first)
        if mine != theirs:
            raise CheckpointError(
                f"{path} {said} {_spoken(mine)}, {first_path} {said.removeprefix('is ').removeprefix('was made ')} "
                f"{_spoken(theirs)}: only equal {what} can be merged{remedy}"
            )


# What two parts must have in common: what it is, how it is told, where it stands, and what helps. The labels stand
# before the rule, which says how many they are, and the texts of text columns before the columns made of them.
SHARED: list[tuple[str, str, Callable[[Any], Any], str]] = [
    ("targets", "is about the target", lambda saved: saved.settings.get("target"), ""),
    (
        "labels",
        "is about the labels",
        lambda saved: saved.settings.get("labels"),
        "; name them all with --labels when the parts are made",
    ),
    ("rules", "was made by", lambda saved: saved.rule, ""),
    (
        "texts",
        "is about the texts",
        lambda saved: saved.settings.get("one_hot"),
        ": make the parts in one run, whose first rows say which texts there are",
    ),
    ("columns", "is about the columns", lambda saved: saved.names, ""),
]


def _spoken(value: Any) -> str:
    if value is None:
        return "(none)"
    if isinstance(value, dict):
        return "; ".join(f"{column}: {_spoken(texts)}" for column, texts in value.items())
    if not isinstance(value, list):
        return str(value)
    return ", ".join(str(one) for one in value[:SHOWN]) + (
        f" and {len(value) - SHOWN} more" if len(value) > SHOWN else ""
    )
