"""What all verbs share that take a stream in: how they begin, how they end, and what they say on the way."""

import argparse
import csv
import glob
import os
import sys
from collections.abc import Iterable
from typing import Any

from ..errors import DataError
from . import pictures
from .exits import STOPPED, UsageError, say
from .show import said_by, show

OUTPUTS = ("checkpoint", "quarantine", "save", "plot", "plot_tails")
SHOWN = 8


def stream(options: argparse.Namespace, job: Any, watched: str, choice: str) -> int:
    """Take all rows in, show what the rule says of them, and save it. `watched` is what the progress shows, `choice`
    the option that chooses columns."""
    from ..checkpoint import Saved, ready, save
    from ..runner import Stopped, run

    if options.save:
        ready(options.save)
    try:
        outcome = run(job, watcher(options, watched))
    except Stopped:
        return stopped(options.checkpoint)
    settings = {**job.settings, **outcome.learned}
    said = said_by(outcome.rule, outcome.state, outcome.names, settings)
    refuse_nothing(said, outcome.first_refused, choice)
    if not options.quiet:
        notes(outcome, options)
    try:
        if options.save:
            save(options.save, Saved(outcome.rule, outcome.state, outcome.names, settings=settings))
    finally:
        # The answer of a long run is shown even where it cannot be saved.
        show(said, outcome.rule, outcome.state, options.json)
    pictures.draw(said, options)
    return 0


def begin(options: argparse.Namespace) -> None:
    """Before anything is read: what must not be written to, and that this process has nothing else to do."""
    refuse_overwriting(options.paths, {f"--{name.replace('_', '-')}": getattr(options, name, None) for name in OUTPUTS})
    pictures.ready(options)
    if options.alone:
        from ..compiled import alone, when_unkept

        alone()
        when_unkept(lambda sentence: print(f"tailproof: {sentence}", file=sys.stderr))


def reading(options: argparse.Namespace) -> dict[str, Any]:
    """The part of a job that says how rows are read and refused."""
    return {
        "paths": options.paths,
        "format": options.format,
        "na": missing_words(options.na),
        "quarantine": options.quarantine,
        "missing": options.missing,
        "jobs": getattr(options, "jobs", None),
    }


def keeping(options: argparse.Namespace) -> dict[str, Any]:
    """The part of a job that says what is kept on the way."""
    return {"checkpoint": options.checkpoint, "every": options.every}


def refuse_overwriting(paths: Iterable[str], outputs: dict[str, str | None]) -> None:
    """No file that is read may be written to, and no two things to the same file."""
    inputs = {name for path in paths for name in (path, *glob.glob(path, recursive=True))}
    taken = {os.path.realpath(name): f"the input {name}" for name in inputs if name != "-"}
    for option, path in outputs.items():
        if path is None:
            continue
        place = os.path.realpath(path)
        if place in taken:
            raise UsageError(f"{option} {path} would overwrite {taken[place]}; name another file")
        taken[place] = f"what {option} writes"


def stopped(checkpoint: str | None) -> int:
    return say(f"stopped by a signal; {_kept(checkpoint)}", STOPPED)


def _kept(path: str | None) -> str:
    if path is None:
        return "nothing was saved, since no --checkpoint was given"
    if not os.path.exists(path):
        return "no row had been taken in yet: start the same command again"
    return f"start the same command again to go on from {path}"


def refuse_nothing(said: Any, first_refused: str, choice: str) -> None:
    """An answer of no rows is none. `choice` is the option that chooses columns."""
    if said.rows == 0 and said.refused:
        raise DataError(
            f"no row could be used: all {said.refused:,} were refused, the first: {first_refused}; "
            f"mend the rows, or choose other columns with {choice}"
        )
    if said.rows == 0:
        raise DataError("there is no row to learn from")


def listed(text: str | None) -> list[str] | None:
    """Names between commas; one that holds a comma stands in quotes."""
    if text is None:
        return None
    names = next(csv.reader([text], skipinitialspace=True), [])
    return [name.strip() for name in names if name.strip()]


def missing_words(text: str | None) -> list[str] | None:
    if text is None:
        return None
    from ..blocks import DEFAULT_NA

    return [*DEFAULT_NA, *(word.strip() for word in text.split(","))]


def watcher(options: argparse.Namespace, watched: str) -> Any:
    """Who shows the progress, where a person watches."""
    if options.quiet or not sys.stderr.isatty():
        return None
    from ..compiled import before_compiling
    from .progress import Progress

    before_compiling(
        lambda: print("compiling for this machine: this happens once, for some 20 seconds", file=sys.stderr)
    )
    return Progress(watched)


def notes(outcome: Any, options: argparse.Namespace) -> None:
    """What people should know about what was not used."""
    if outcome.resumed_at:
        print(f"went on from {options.checkpoint} after {outcome.resumed_at:,} rows", file=sys.stderr)
    if outcome.skipped:
        print(_left_out(outcome.skipped, hasattr(options, "one_hot")), file=sys.stderr)
    refused = int(outcome.state.counts[1])
    if refused:
        held = "all" if outcome.quarantined == refused else f"{outcome.quarantined:,}"
        where = f"; {held} of them in {options.quarantine}" if options.quarantine else ""
        print(f"{rows(refused)} refused; the first: {outcome.first_refused}{where}", file=sys.stderr)


def rows(number: int) -> str:
    return "1 row" if number == 1 else f"{number:,} rows"


def _left_out(skipped: list[tuple[str, str]], explained: bool) -> str:
    """Columns that were not used; where they explain a target, text among them can be."""
    from .table import printable

    names = ", ".join(f"{printable(name)} ({kind})" for name, kind in skipped[:SHOWN])
    more = f" and {len(skipped) - SHOWN} more" if len(skipped) > SHOWN else ""
    words = explained and any(kind in ("text", "mostly text") for _, kind in skipped)
    return f"not numbers, left out: {names}{more}{'; --one-hot takes text in' if words else ''}"
