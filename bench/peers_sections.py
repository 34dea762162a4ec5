"""The sections of the comparison: what each runs, and how many threads everyone may use in it."""

import argparse
import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import peer
import peers_accuracy
import peers_batch
import peers_data
import peers_files
import peers_line
import peers_mean
import peers_odds
import peers_own

WIDTHS = (20, 256)
# Distances from a truth of length 1, or from means of values of variance 1, that nobody who learned exceeds. Labels say
# less than numbers do.
NEAR, NEAR_ODDS, NEAR_MEAN, SAME = 0.6, 0.95, 3.0, 1e-9
ONE_THREAD = {
    **dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "POLARS_MAX_THREADS"), "1"),
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1",
}
Tables = Iterator[peer.Table]


class Section(NamedTuple):
    run: Callable[[argparse.Namespace], Any]
    threads: dict[str, str]  # set before anything is imported
    joined: Callable[[Any, Any], Any] = lambda before, found: found


def memory(
    draw: Callable[[int, int], peers_data.Rows],
    contenders: Callable[[peers_data.Rows, Path], list[peer.Contender]],
    near: float,
) -> Callable[[argparse.Namespace], Any]:
    """Rows in memory, of each width."""

    def run(options: argparse.Namespace) -> Any:
        with tempfile.TemporaryDirectory() as folder:
            return [one(width, Path(folder), options) for width in WIDTHS]

    def one(width: int, folder: Path, options: argparse.Namespace) -> Any:
        rows = draw(width, options.megabytes)
        return compete(f"p={width}", contenders(rows, folder), rows.truth, near, options)

    return run


def on_one_core(run: Callable[[argparse.Namespace], Any]) -> Callable[[argparse.Namespace], Any]:
    """Hold the process to one core, where that can be done: threads that nobody can switch off gain nothing."""

    def held(options: argparse.Namespace) -> Any:
        if hasattr(os, "sched_setaffinity"):
            os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
        return run(options)

    return held


def one_core(options: argparse.Namespace) -> Any:
    return files(options, 1)


def all_cores(options: argparse.Namespace) -> Any:
    return files(options, os.cpu_count() or 1)


def files(options: argparse.Namespace, threads: int) -> Any:
    found = []
    for kind, rows in peers_data.FORMATS.items():
        with tempfile.TemporaryDirectory() as folder:
            file = peers_data.file(Path(folder), kind, rows * options.megabytes // peers_data.MEGABYTES)
            found.append(compete(kind, peers_files.contenders(file, threads), file.means, SAME, options))
    return found


def compete(
    title: str, contenders: list[peer.Contender], truth: Any, allowed: float, options: argparse.Namespace
) -> Any:
    print(f" {title}", flush=True)
    return peer.compete(title, contenders, truth, allowed, options.turns).as_json()


LINE = memory(peers_data.line, peers_line.contenders, NEAR)
ODDS = memory(peers_data.odds, lambda rows, _: peers_odds.contenders(rows), NEAR_ODDS)
MEAN = memory(peers_data.means, lambda rows, _: peers_mean.contenders(rows), NEAR_MEAN)
BATCH = memory(peers_data.line, lambda rows, _: peers_batch.contenders(rows), NEAR)

SECTIONS: dict[str, Section] = {
    "line": Section(on_one_core(LINE), ONE_THREAD),
    "odds": Section(on_one_core(ODDS), ONE_THREAD),
    "mean": Section(on_one_core(MEAN), ONE_THREAD),
    "batch": Section(BATCH, {}),
    "files on one core": Section(on_one_core(one_core), ONE_THREAD),
    "files on all cores": Section(all_cores, {}),
    "accuracy of means": Section(peers_accuracy.means, ONE_THREAD),
    "accuracy of lines": Section(peers_accuracy.lines, ONE_THREAD),
    "own": Section(peers_own.run, {}, peers_own.joined),
}
