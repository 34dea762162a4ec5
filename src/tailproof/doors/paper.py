"""`tailproof paper list`, `table1`, `run` and `report`."""

import argparse
import json
import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from .exits import STOPPED, UsageError, say
from .paper_progress import PaperProgress

TABLE1 = "table1: Table 1, the rows that each method needs"


def show_list(options: argparse.Namespace) -> int:
    """Every experiment with its setting and its time."""
    from ..paper.running import cores
    from ..paper.settings import EXPERIMENTS
    from .paper_table import listing, told
    from .table import INDENT

    threads = options.threads or cores()
    if options.json:
        print(json.dumps({"threads": threads, "experiments": [told(e, threads) for e in EXPERIMENTS.values()]}))
        return 0
    for experiment in EXPERIMENTS.values():
        print(listing(experiment, threads), end="\n\n")
    print(f"{TABLE1}\n{INDENT}tailproof paper table1\n")
    whole = [sum(e.seconds(n, threads) for e in EXPERIMENTS.values()) for n in (None, 50_000)]
    print(_all_told(whole, threads))
    return 0


def _all_told(seconds: list[float], threads: int) -> str:
    from ..paper.telling import duration

    few, many = map(duration, seconds)
    cores = "1 core" if threads == 1 else f"{threads} cores"
    return f"all: {few}; with --trials 50000: {many} (about, on {cores})"


def show_table1(options: argparse.Namespace) -> int:
    from ..errors import RuleError
    from ..theory import table1_text

    names = ("tau_l", "tau_u", "sigma2", "eps", "delta", "r0", "R")
    stated = {name: getattr(options, name) for name in names if getattr(options, name) is not None}
    missing = [f"--{name.replace('_', '-')}" for name in names[:-1] if name not in stated]
    if stated and missing:
        raise UsageError(f"numbers for Table 1 need {', '.join(missing)} as well")
    try:
        print(table1_text(**stated))
    except RuleError as error:
        raise UsageError(str(error)) from error
    return 0


# --------------------------------------------------------------------------------------------------------- run


def run_experiments(options: argparse.Namespace) -> int:
    """Run what is named, one after the other, and show each as it is done."""
    from ..paper.running import SEED

    chosen = [(experiment, seed) for name in options.names for experiment, seed in _named(name)]
    if len({experiment.name for experiment, _ in chosen}) < len(chosen):
        raise UsageError("an experiment is named twice")
    _prepare(options)
    progress = PaperProgress([experiment for experiment, _ in chosen], options)
    try:
        with _stoppable():
            for experiment, seed in chosen:
                _run(experiment, SEED if seed is None else seed, options, progress)
    except KeyboardInterrupt:
        progress.close()
        return say(
            f"stopped by a signal; start the same command again to go on from what is kept in {options.out}", STOPPED
        )
    finally:
        progress.close()
    return 0


def _named(name: str) -> list[tuple[Any, int | None]]:
    """The experiments that a word stands for, with the seed of a file."""
    from ..paper.settings import EXPERIMENTS, SettingError, find

    if name == "all":
        return [(experiment, None) for experiment in EXPERIMENTS.values()]
    if name.endswith(".toml") or os.sep in name:
        from ..paper.recipes import read_recipe

        recipe = read_recipe(name)
        return [(recipe.experiment, recipe.seed)]
    try:
        return [(find(name), None)]
    except SettingError as error:
        raise UsageError(str(error)) from error


def _prepare(options: argparse.Namespace) -> None:
    """What would stop a run at its end is said at its beginning."""
    if not options.no_pictures:
        from ..paper.figures import need_matplotlib

        need_matplotlib()
    Path(options.out).mkdir(parents=True, exist_ok=True)
    if options.alone:
        from ..compiled import alone

        alone()


def _run(experiment: Any, seed: int, options: argparse.Namespace, progress: PaperProgress) -> None:
    from ..paper.running import run
    from ..paper.story import chapter_of
    from .paper_table import as_json, outcome

    result = run(
        experiment,
        trials=options.trials,
        seed=seed if options.seed is None else options.seed,
        out=options.out,
        threads=options.threads,
        tell=progress.tell if progress.watched else None,
    )
    progress.finished(experiment)
    pictures = [] if options.no_pictures else _pictures(result, Path(options.out) / experiment.name)
    chapter = chapter_of(result, experiment.title)
    print(
        json.dumps(as_json(chapter, pictures), allow_nan=False) if options.json else outcome(chapter, pictures) + "\n"
    )
    sys.stdout.flush()


def _pictures(result: Any, folder: Path) -> list[str]:
    from ..paper.figures import write

    return [str(path) for path in write(result, folder)]


@contextmanager
def _stoppable() -> Iterator[None]:
    """Being told to end is like Ctrl-C: pieces of work that run are finished and kept."""

    def stop(*_: Any) -> None:
        raise KeyboardInterrupt

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, stop) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


# ------------------------------------------------------------------------------------------------------ report


def write_report(options: argparse.Namespace) -> int:
    """The page, the Markdown, or both."""
    from ..paper.markdown import document
    from ..paper.report import page
    from ..paper.story import story_of

    outputs = _outputs(options)
    if "html" in outputs and not options.no_pictures:
        from ..paper.figures import need_matplotlib

        need_matplotlib()
    story = story_of(options.folder)
    for kind, path in outputs.items():
        made = page(story, not options.no_pictures) if kind == "html" else document(story, options.folder, path)
        Path(path).write_text(made, encoding="utf-8")
        print(path)
    if not options.quiet:
        for sentence in story.missing:
            print(f"missing: {sentence}", file=sys.stderr)
    return 0


def _outputs(options: argparse.Namespace) -> dict[str, str]:
    found = {"html": options.output, "markdown": options.markdown}
    if not any(found.values()):
        return {"html": str(Path(options.folder) / "report.html")}
    return {kind: path for kind, path in found.items() if path}
