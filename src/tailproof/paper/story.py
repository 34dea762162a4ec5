"""All that is told of a folder of results, before it becomes a page: a chapter an experiment, and what is missing."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from .asides import asides
from .claims import Verdict, verdicts
from .recipes import UNTITLED
from .results import FILE, read_all
from .settings import EXPERIMENTS
from .telling import Line, duration, in_words, lines, panels_told, remarks, setting_of

Plain = Mapping[str, Any]


class Chapter(NamedTuple):
    """One experiment."""

    name: str
    title: str
    setting: str
    panels: list[str]  # what further settings vary
    run: str  # trials, seed, seconds
    lines: list[Line]
    notes: list[str]
    verdicts: list[Verdict]
    asides: list[str]
    result: Plain


class Story(NamedTuple):
    chapters: list[Chapter]
    missing: list[str]  # sentences

    @property
    def tally(self) -> dict[str, int]:
        """How many claims came out how."""
        words = [verdict.word for chapter in self.chapters for verdict in chapter.verdicts]
        return {word: words.count(word) for word in ("held", "not held", "cannot say") if word in words}


def story_of(folder: str | Path) -> Story:
    """The chapters of a folder; experiments of the paper that are not there are named."""
    found = read_all(folder)
    missing = [_missing(name, Path(folder)) for name in EXPERIMENTS if name not in found]
    return Story([chapter_of(result) for result in found.values()], missing)


def chapter_of(result: Plain, title: str = "") -> Chapter:
    name = result["experiment"]
    known = EXPERIMENTS.get(name)
    seconds = result["seconds"] + sum(panel["seconds"] for panel in result["panels"])
    run = f"{result['trials']:,} trials, seed {result['seed']}, {duration(seconds)} of one core"
    return Chapter(
        name=name,
        title=title or (known.title if known else UNTITLED),
        setting=in_words(setting_of(result["setting"])),
        panels=panels_told(result),
        run=run,
        lines=lines(result),
        notes=remarks(result),
        verdicts=verdicts(result),
        asides=asides(result),
        result=result,
    )


def _missing(name: str, folder: Path) -> str:
    begun = (folder / name).is_dir() and not (folder / name / FILE).exists()
    how = "was begun but not finished; go on with" if begun else "has not been run:"
    return f"{name} {how} tailproof paper run {name} --out {folder}"
