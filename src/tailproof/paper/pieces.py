"""Pieces of work: ranges of trials, each kept in a file of its own, so that a stopped run goes on where it was.

A file holds plain arrays and says which trials of what they are. Pieces are the same whoever makes them and are put
together in order, so nothing depends on threads, on stops, or on how many trials are asked for later.
"""

import dataclasses
import hashlib
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import TailproofError
from .settings import Setting

# Trials of another version are not mixed with ours.
VERSION = 1

Arrays = dict[str, NDArray[np.generic]]


class ResultsError(TailproofError, ValueError):
    """Stored results cannot be used: the message names the file and what to do."""


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Say in a sentence why something cannot be written."""
    from safetensors import SafetensorError

    try:
        yield
    except (OSError, SafetensorError) as error:
        raise ResultsError(f"{path} cannot be written: {getattr(error, 'strerror', None) or error}") from error


class Piece(NamedTuple):
    """Trials first, first + 1, ... of a setting, by machine code or by our own rules."""

    setting: Setting
    ours: bool
    first: int
    trials: int

    @property
    def seconds(self) -> float:
        """About what it takes."""
        each = self.setting.our_seconds_a_trial if self.ours else self.setting.seconds_a_trial
        return self.trials * each

    @property
    def file_name(self) -> str:
        slug = re.sub(r"[^A-Za-z0-9.-]+", "-", self.setting.name.replace("=", "-")).strip("-")
        return f"{slug}-{'ours' if self.ours else 'all'}-{self.first}-{self.trials}.safetensors"


def pieces_of(setting: Setting, asked: int) -> Iterator[Piece]:
    """All the work of a setting, in order."""
    for ours, trials, size in (
        (False, setting.trials_of(asked), setting.chunk),
        (True, setting.our_trials_of(asked), setting.our_chunk),
    ):
        for first in range(0, trials, size):
            yield Piece(setting, ours, first, min(size, trials - first))


class Shelf:
    """Where the pieces of one experiment are kept."""

    def __init__(self, folder: Path, experiment: str, seed: int) -> None:
        self.folder = folder / "trials"
        self.marks = {"version": str(VERSION), "experiment": experiment, "seed": str(seed)}
        with writing(self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)

    def _mark(self, piece: Piece) -> dict[str, str]:
        return {**self.marks, "setting": digest_of(piece.setting)}

    def find(self, piece: Piece) -> tuple[Arrays, float] | None:
        """A piece made before and the seconds it took; None if there is none, or if its file is damaged."""
        from safetensors import SafetensorError, safe_open

        path = self.folder / piece.file_name
        if not path.exists():
            return None
        try:
            with safe_open(path, "np") as file:
                marks = file.metadata() or {}
                self._check(path, marks, self._mark(piece))
                return {name: file.get_tensor(name) for name in file.keys()}, float(marks.get("seconds", "0"))  # noqa: SIM118
        except (SafetensorError, OSError):
            return None

    def _check(self, path: Path, marks: dict[str, str], wanted: dict[str, str]) -> None:
        for name, value in wanted.items():
            if marks.get(name) != value:
                found = f"{name} {marks.get(name, 'unknown')}, not {value}" if name != "setting" else "other settings"
                raise ResultsError(f"{path} holds trials of {found}; choose another --out, or remove that folder")

    def keep(self, piece: Piece, arrays: Arrays, seconds: float) -> None:
        from safetensors.numpy import save_file

        path = self.folder / piece.file_name
        beside = path.with_suffix(f".{os.getpid()}.new")
        with writing(path):
            save_file(arrays, beside, {**self._mark(piece), "seconds": repr(seconds)})
            os.replace(beside, path)


def digest_of(setting: Setting) -> str:
    """Of all that decides what a trial is; not of how many there are."""
    fields = dataclasses.asdict(setting)
    for name in ("name", "panel", "value", "share", "ours"):
        del fields[name]
    return hashlib.sha256(repr(sorted(fields.items())).encode()).hexdigest()[:32]
