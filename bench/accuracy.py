"""The acceptance run: every figure that the library promises, on fresh random numbers.

    python bench/accuracy.py [--trials 2000] [--only SECTION] [--seed 1118] [--jobs 2] [--page docs/accuracy.md]

Prints a table for each section and writes bench/results/accuracy.json (not kept in git); with --page, a page of the
site too. Fewer than 2,000 trials are for a quick look only. Every task draws from a generator of its own, seeded by the
run's seed and the task's name, so a section alone gives the figures of the whole run. No seed here is one with which
the estimate was designed.
"""

import argparse
import json
import multiprocessing
import os
import time
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

# Each process does its own trials; threads of BLAS would only wait for one another. It reads this when it is loaded.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import experiment
import experiment_bars
import regression_bars
import regression_equivariance
import regression_losses
import sections
from sections import Row, Section, Task

SECTIONS: dict[str, Section] = {
    **sections.SECTIONS,
    **experiment.SECTIONS,
    **experiment_bars.SECTIONS,
    **regression_losses.SECTIONS,
    **regression_bars.SECTIONS,
    **regression_equivariance.SECTIONS,
}
RESULTS = Path(__file__).parent / "results" / "accuracy.json"
BINDING = 2000


def main() -> int:
    options = arguments()
    begin = time.perf_counter()
    chosen = [name for name in SECTIONS if options.only in (None, name, name.partition("-")[0])]
    tasks = [task for name in chosen for task in SECTIONS[name][1]()]
    found: dict[str, list[Row]] = {}
    for name, group in groupby(run(tasks, options), key=lambda pair: pair[0].section):
        found[name] = show(SECTIONS[name][0], group)
    seconds = time.perf_counter() - begin
    keep(found, options, seconds)
    if options.page:
        options.page.write_text(page({SECTIONS[name][0]: rows for name, rows in found.items()}, options))
    return conclude(found, options.trials, seconds)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--trials", type=int, default=BINDING, help="trials of each binding row (default 2000)")
    parser.add_argument("--only", choices=[*SECTIONS, "regression"], metavar="SECTION", help=", ".join(SECTIONS))
    parser.add_argument("--seed", type=int, default=1118, help="seed of the run (default 1118)")
    parser.add_argument("--jobs", type=int, default=2, help="processes (default 2)")
    parser.add_argument("--page", type=Path, metavar="OUT.md", help="also write the tables here, as a page of the site")
    options = parser.parse_args()
    if options.page and (options.only or options.trials < BINDING):
        parser.error(f"a page shows all sections with at least {BINDING:,} trials: leave --only and --trials out")
    return options


def run(tasks: list[Task], options: argparse.Namespace) -> Iterator[tuple[Task, list[Row]]]:
    """The tasks with their rows, in order, each as soon as it and those before it are done."""
    calls = [(task, options.seed, options.trials) for task in tasks]
    if options.jobs <= 1:
        yield from zip(tasks, map(work, calls), strict=True)
        return
    with multiprocessing.get_context("spawn").Pool(options.jobs) as pool:
        yield from zip(tasks, pool.imap(work, calls), strict=True)


def work(call: tuple[Task, int, int]) -> list[Row]:
    task, seed, trials = call
    return task.run(seed, trials)


def show(title: str, group: Iterator[tuple[Task, list[Row]]]) -> list[Row]:
    """Print a section's table while it grows."""
    print(f"\n{title}\n{line('trials', 'required', 'measured', '', 'what')}")
    out: list[Row] = []
    for _, rows in group:
        for row in rows:
            needed = f"{row.sense} {figures(row.required)}" if row.sense else ""
            print(line(f"{row.trials:,}", needed, figures(row.measured), row.verdict, row.what), flush=True)
        out += rows
    return out


def line(trials: str, needed: str, measured: str, verdict: str, what: str) -> str:
    return f"{trials:>9}  {needed:<25}  {measured:<25}  {verdict:<16}  {what}"


def figures(values: tuple[float, ...]) -> str:
    return " ".join(figure(value) for value in values)


def figure(value: float) -> str:
    """Four digits, as briefly as they can be read."""
    if value != 0.0 and abs(value) < 1e-4:
        return f"{value:.1e}"
    return f"{value:.4g}".replace("0.", ".", 1) if abs(value) < 1.0 and value != 0.0 else f"{value:.4g}"


def keep(found: dict[str, list[Row]], options: argparse.Namespace, seconds: float) -> None:
    RESULTS.parent.mkdir(exist_ok=True)
    tables: dict[str, Any] = {
        name: [{**row._asdict(), "verdict": row.verdict} for row in rows] for name, rows in found.items()
    }
    summary = {"trials": options.trials, "seed": options.seed, "seconds": round(seconds)}
    RESULTS.write_text(json.dumps({**summary, "sections": tables}, indent=1))


def page(found: dict[str, list[Row]], options: argparse.Namespace) -> str:
    """All tables as a page: each figure beside what it has to be."""
    required = [row.verdict for rows in found.values() for row in rows if row.sense]
    out = [
        "# Accuracy\n",
        f"Written by `make accuracy`: {options.trials:,} trials and more, fewer where they are long, as the last "
        f"column says; seed {options.seed}; no number on this page is typed by hand. "
        f"{len(required) - required.count('MISS')} of {len(required)} required figures hold. "
        "Rows without a requirement are for information; 'ok within 2 s.e.' may be chance on either side.\n",
    ]
    for title, rows in found.items():
        out += [f"## {title}\n", "| what | measured | required | | trials |", "|---|---:|---:|---|---:|"]
        for row in rows:
            needed = f"{row.sense} {figures(row.required)}" if row.sense else ""
            cells = (row.what.replace("|", "\\|"), figures(row.measured), needed, row.verdict, f"{row.trials:,}")
            out.append(f"| {' | '.join(cells)} |")
        out.append("")
    return "\n".join(out)


def conclude(found: dict[str, list[Row]], trials: int, seconds: float) -> int:
    """The last line, and 1 if a figure missed."""
    verdicts = [row.verdict for rows in found.values() for row in rows if row.sense]
    missed = verdicts.count("MISS")
    note = "" if trials >= BINDING else f"; fewer than {BINDING:,} trials bind nothing"
    print(
        f"\n{len(verdicts) - missed} of {len(verdicts)} required figures hold, {missed} missed, "
        f"{sum(map(len, found.values())) - len(verdicts)} for information; {seconds / 60:.1f} minutes{note}"
    )
    return 1 if missed else 0


if __name__ == "__main__":
    raise SystemExit(main())
