"""Experiments as text: the list of them, and what a run found."""

import textwrap
from collections.abc import Mapping
from typing import Any

from ..paper.claims import Verdict
from ..paper.settings import Experiment
from ..paper.story import Chapter
from ..paper.telling import HEAD, below, duration, in_words, methods_in_words, panel_table, panels_in_words
from .table import INDENT, fitted, screen

# Longer lines are hard to read, however wide the screen.
WIDEST = 110


def listing(experiment: Experiment, threads: int, width: int | None = None) -> str:
    """One experiment with its setting, its methods and the time that it takes."""
    main = experiment.settings[0]
    times = [
        f"{trials:,} trials{words}: {duration(experiment.seconds(trials, threads))}"
        for trials, words in ((experiment.trials, ""), (experiment.paper_trials, ", as in the paper"))
    ]
    told = [in_words(main), *panels_in_words(experiment), f"methods: {methods_in_words(main)}", "; ".join(times)]
    head = _wrapped(f"{experiment.name}: {experiment.title}", width, "")
    return "\n".join([head, *(_wrapped(text, width) for text in told)])


def told(experiment: Experiment, threads: int) -> dict[str, Any]:
    """The same for machines."""
    main = experiment.settings[0]
    return {
        "name": experiment.name,
        "title": experiment.title,
        "setting": in_words(main),
        "panels": [setting.name for setting in experiment.settings[1:]],
        "rows": main.rows,
        "columns": main.columns,
        "methods": list(main.methods),
        "trials": experiment.trials,
        "seconds": round(experiment.seconds(None, threads), 1),
        "paper_trials": experiment.paper_trials,
        "paper_seconds": round(experiment.seconds(experiment.paper_trials, threads), 1),
    }


def outcome(chapter: Chapter, pictures: list[str], width: int | None = None) -> str:
    """What a run found: the table, the verdicts, the pictures."""
    wide = screen(width)
    parts = [
        _wrapped(f"{chapter.name}: {chapter.title}", width, ""),
        _wrapped(f"{chapter.setting}; {chapter.run}", width),
        "",
    ]
    parts += fitted(list(HEAD), [[below(line.method), *line.cells[1:]] for line in chapter.lines], wide)
    if chapter.panels:
        head, rows = panel_table(chapter.result)
        parts += ["", *_panels(list(head), [list(row) for row in rows], wide)]
    if chapter.verdicts:
        parts += ["", "what the paper claims:", *(_verdict(verdict, width) for verdict in chapter.verdicts)]
    if chapter.asides:
        parts += ["", *(_wrapped(sentence, width, "") for sentence in chapter.asides)]
    if chapter.notes:
        parts += ["", *(_wrapped(f"note: {note}", width, "") for note in chapter.notes)]
    parts += ["", *(f"picture: {path}" for path in pictures)] if pictures else []
    return "\n".join(parts)


def _panels(head: list[str], rows: list[list[str]], wide: int) -> list[str]:
    """As many methods beside each other as there is room for; the others below."""
    lines: list[str] = []
    begin = 1
    while begin < len(head):
        end = len(head)
        while end > begin + 1 and max(map(len, _slice(head, rows, begin, end))) > wide:
            end -= 1
        lines += ([""] if lines else []) + _slice(head, rows, begin, end)
        begin = end
    return lines


def _slice(head: list[str], rows: list[list[str]], begin: int, end: int) -> list[str]:
    return fitted([head[0], *head[begin:end]], [[row[0], *row[begin:end]] for row in rows], 10**6)


def _verdict(verdict: Verdict, width: int | None) -> str:
    reason = f" ({verdict.reason})" if verdict.reason else ""
    text = f"{verdict.word.upper():<10}  {verdict.place}: {verdict.says}. Ours: {verdict.figure}{reason}."
    return textwrap.fill(text, _room(width), subsequent_indent=" " * 12, break_on_hyphens=False)


def _wrapped(text: str, width: int | None, indent: str = INDENT) -> str:
    later = indent or "  "
    return textwrap.fill(text, _room(width), initial_indent=indent, subsequent_indent=later, break_on_hyphens=False)


def _room(width: int | None) -> int:
    return max(40, min(screen(width), WIDEST))


def as_json(chapter: Chapter, pictures: list[str]) -> Mapping[str, Any]:
    """Results with the verdicts and the pictures."""
    claims = [{**verdict._asdict(), "verdict": verdict.word} for verdict in chapter.verdicts]
    return {**chapter.result, "claims": claims, "asides": chapter.asides, "pictures": pictures}
