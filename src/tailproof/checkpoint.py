"""Checkpoints: a rule's spelling, its state's arrays and the source's position in one safetensors file.

Written beside the old file, forced to disk, then renamed over it: at every moment there is one whole checkpoint.
What is read is not trusted: nothing is evaluated or imported, every array must have the shape that the rule says,
and a checksum covers all of it.
"""

import contextlib
import hashlib
import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from .categories import FEWEST_CLASSES, Label, Levels, are_features, are_labels, are_levels, class_count, is_label
from .errors import CheckpointError, RuleError
from .piece import parse
from .state import State

FORMAT = 1
TEXTS = ("format", "rule", "names", "position", "settings")


def _is(kind: type) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, kind)


# What is read back from the settings, and whether a value can be that.
SETTINGS: dict[str, Callable[[Any], bool]] = {
    "confidence": _is(float),
    "anytime": _is(bool),
    "contaminated": _is(bool),
    "first_refused": _is(str),
    "quarantine_bytes": _is(int),
    "quarantined": _is(int),
    "na": _is(str),
    "in_parts": _is(bool),
    "target": _is(str),
    "targets": lambda value: isinstance(value, list) and all(isinstance(name, str) for name in value),
    "labels": are_labels,
    "baseline": is_label,
    "one_hot": are_levels,
    "centering": _is(bool),
    "scaling": _is(bool),
}


class Saved(NamedTuple):
    """What a checkpoint holds."""

    rule: Any
    state: State
    names: list[str] | None = None
    position: dict[str, Any] | None = None  # None: there is no source to go on reading
    settings: Mapping[str, Any] = MappingProxyType({})


def ready(path: str | os.PathLike[str]) -> None:
    """Better to hear at the start than after an hour that a checkpoint cannot be written."""
    place = Path(os.path.realpath(path))
    if place.is_dir():
        raise CheckpointError(f"{path} is a folder; name a file in it")
    if not place.parent.is_dir():
        raise CheckpointError(f"there is no folder {place.parent} to write {place.name} to; make it first")
    if not os.access(place.parent, os.W_OK):
        raise CheckpointError(f"{place.parent} may not be written to by you; choose another place for {place.name}")
    _sweep(place)


def _sweep(path: Path) -> None:
    """Drafts of runs that were killed while they wrote."""
    with contextlib.suppress(OSError):
        for draft in path.parent.iterdir():
            begin, end = draft.name.startswith(f".{path.name}."), draft.name.endswith(".part")
            number = draft.name[len(path.name) + 2 : -len(".part")]
            if begin and end and number.isdecimal() and not _runs(int(number)):
                draft.unlink()


def _runs(process: int) -> bool:
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        return True
    return True


def save(path: str | os.PathLike[str], saved: Saved) -> None:
    """Write a checkpoint; if that fails the one that was there before is untouched."""
    from safetensors.numpy import save as pack

    texts = {
        "format": str(FORMAT),
        "rule": repr(saved.rule),
        "names": json.dumps(saved.names),
        "position": json.dumps(saved.position),
        "settings": json.dumps(dict(saved.settings)),
    }
    arrays = dict(saved.state)
    texts["checksum"] = _checksum(texts, arrays)
    # A link goes on to lead to the file that is written.
    _replace(Path(os.path.realpath(path)), pack(arrays, metadata=texts))


def _replace(path: Path, content: bytes) -> None:
    draft = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        try:
            with open(draft, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            os.replace(draft, path)
        finally:
            with contextlib.suppress(OSError):
                draft.unlink()
        _settle(path.parent)
    except OSError as error:
        kept = "; the one that was there is untouched" if path.is_file() else ""
        raise CheckpointError(
            f"{path} cannot be written: {error.strerror or error}; make room or choose another place{kept}"
        ) from error


def _settle(folder: Path) -> None:
    """Force the rename itself to disk, where the system lets a folder be opened."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def load(path: str | os.PathLike[str]) -> Saved:
    """Read a checkpoint, or say in a sentence why it cannot be used."""
    texts, arrays = _unpack(Path(path))
    if any(name not in texts for name in TEXTS) or texts.get("checksum") != _checksum(texts, arrays):
        raise CheckpointError(f"{path} is damaged: its checksum does not match; restore it from a copy, or start again")
    rule = _rule(path, texts["rule"])
    state = _fitted(path, rule, arrays)
    return _sound(path, Saved(rule, state, *_parsed(path, texts)))


def _unpack(path: Path) -> tuple[dict[str, str], dict[str, Any]]:
    """The texts and the arrays. Arrays are read only when the texts are those of a checkpoint."""
    from safetensors import SafetensorError, safe_open

    try:
        _refuse_other_than_files(path)
        with safe_open(path, framework="numpy") as file:
            texts = dict(file.metadata() or {})
            _refuse_other_formats(path, texts)
            return texts, {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except CheckpointError:
        raise
    except (SafetensorError, OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise CheckpointError(
            f"{path} is not a tailproof checkpoint, or it is cut short; restore it from a copy, or start again"
        ) from error


def _refuse_other_than_files(path: Path) -> None:
    if not path.exists():
        raise CheckpointError(f"{path} does not exist; check its name and folder")
    if path.is_dir():
        raise CheckpointError(f"{path} is a folder, not a checkpoint; name a file in it")
    if not path.is_file():
        raise CheckpointError(f"{path} is not a file; a checkpoint cannot be read from a pipe")


def _refuse_other_formats(path: Path, texts: dict[str, str]) -> None:
    if "format" not in texts or "rule" not in texts:
        raise CheckpointError(f"{path} is not a tailproof checkpoint, though it is a safetensors file; name another")
    if texts["format"] != str(FORMAT):
        raise CheckpointError(
            f"{path} has format {texts['format'][:20]!r}; this version of tailproof reads format {FORMAT}: "
            "use the version that wrote it, or start again from the data"
        )


def _rule(path: str | os.PathLike[str], text: str) -> Any:
    try:
        return parse(text)
    except RuleError as error:
        raise CheckpointError(f"{path}: {error}; restore it from a copy, or start again") from error


def _fitted(path: str | os.PathLike[str], rule: Any, arrays: dict[str, Any]) -> State:
    """The arrays must be what this rule remembers. Only shapes are compared: nothing is made on the file's word."""
    found = State(**arrays)
    try:
        columns = rule.columns(found)
        expected = rule.layout(columns) if columns > 0 else {}
    except (AttributeError, TypeError):
        expected = {}
    counts = (array for array in arrays.values() if array.dtype == np.int64)
    if not expected or found.layout != expected or any((array < 0).any() for array in counts):
        raise _forged(path)
    return State.like({name: arrays[name] for name in expected})


def _parsed(path: str | os.PathLike[str], texts: dict[str, str]) -> list[Any]:
    try:
        return [json.loads(texts[name]) for name in ("names", "position", "settings")]
    except (ValueError, RecursionError) as error:
        raise _forged(path) from error


def _sound(path: str | os.PathLike[str], saved: Saved) -> Saved:
    """The texts must be of the kinds that `save` writes."""
    names, settings = saved.names, saved.settings
    columns = saved.rule.columns(saved.state)
    named = names is None or (
        isinstance(names, list) and len(names) == columns and all(isinstance(name, str) for name in names)
    )
    placed = saved.position is None or isinstance(saved.position, dict)
    if not (named and placed and isinstance(settings, dict)):
        raise _forged(path)
    if not all(SETTINGS[name](value) for name, value in settings.items() if name in SETTINGS):
        raise _forged(path)
    if len(settings.get("targets") or ()) not in (0, getattr(saved.rule, "targets", 0)):
        raise _forged(path)
    if not (_fits_levels(names, settings.get("one_hot", {})) and _fits_labels(saved.rule, settings.get("labels"))):
        raise _forged(path)
    return saved


def _fits_levels(names: list[str] | None, levels: Levels) -> bool:
    return not levels or are_features(names or [], levels)


def _fits_labels(rule: Any, labels: list[Label] | None) -> bool:
    """Whether the rule tells as many classes apart; one that does not say tells two."""
    return labels is None or class_count(labels) <= getattr(rule, "classes", FEWEST_CLASSES)


def _forged(path: str | os.PathLike[str]) -> CheckpointError:
    return CheckpointError(
        f"{path} does not hold what its rule remembers: it is damaged or forged; restore it from a copy, or start again"
    )


def _checksum(texts: dict[str, str], arrays: dict[str, Any]) -> str:
    total = hashlib.sha256()
    for name in TEXTS:
        total.update(f"{name}={texts.get(name)}\n".encode())
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        total.update(f"{name} {array.dtype} {array.shape}\n".encode())
        total.update(array.data if array.size else b"")
    return total.hexdigest()
