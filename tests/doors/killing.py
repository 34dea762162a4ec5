"""Runs the command many times in child processes and ends them at moments that nobody chose.

Run by `test_killed.py` in a process of its own: it forks before any other thread is there, so that a child begins at
once instead of importing everything anew. Arguments: the signal's name, how many children to end, a seed, and those
of the command. Where a child comes to the end, its checkpoint is put aside and the next begins anew, and so does the
last one after all. Prints the exit codes of the children that were ended.
"""

import json
import os
import random
import signal
import sys
import time
from pathlib import Path

import numpy
import pyarrow.csv
import safetensors.numpy

import tailproof.checkpoint
import tailproof.doors.regression_table
import tailproof.runner
from tailproof.clipped import ClippedSGD
from tailproof.doors.cli import main
from tailproof.extremes import Extremes
from tailproof.gram import Gram
from tailproof.tuned import TunedSGD

IMPORTED = (pyarrow.csv, safetensors.numpy, tailproof.checkpoint, tailproof.doors.regression_table, tailproof.runner)
# A draw of so many saves to wait for, and of so much time after them (in seconds), before the signal is sent.
SAVES, LATER = 2, 0.004


def begin(arguments: list[str]) -> int:
    """A child that runs the command, silently."""
    child = os.fork()
    if child == 0:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        code = main(arguments)
        sys.stdout.flush()
        os._exit(code)
    return child


def written(path: str) -> int:
    try:
        return os.stat(path).st_ino
    except FileNotFoundError:
        return 0


def wait_for_saves(child: int, path: str, saves: int) -> int | None:
    """Until the child has saved so often: None; or its exit code, where it ends before."""
    last = written(path)
    while saves:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        now = written(path)
        if now != last:
            last, saves = now, saves - 1
        time.sleep(0.0003)  # to leave the child a processor
    return None


def end(child: int, number: signal.Signals, later: float) -> int:
    until = time.perf_counter() + later
    while time.perf_counter() < until:
        pass
    os.kill(child, number)
    return code_of(child)


def code_of(child: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def put_aside(path: Path, number: int) -> None:
    """The checkpoint and the quarantine of a run that came to its end."""
    for suffix in (".tps", ".bad"):
        path.with_suffix(suffix).rename(path.with_name(f"done-{number}{suffix}"))


def run_and_end(number: signal.Signals, times: int, draw: random.Random, arguments: list[str]) -> list[int]:
    path = arguments[arguments.index("--checkpoint") + 1]
    ended: list[int] = []
    finished = 0
    while len(ended) < times:
        child = begin(arguments)
        code = wait_for_saves(child, path, draw.randint(0, SAVES))
        if code is None:
            code = end(child, number, draw.uniform(0.0, LATER))
        if code == 0:
            finished += 1
            put_aside(Path(path), finished)
        else:
            ended.append(code)
    if code_of(begin([*arguments, "--every", "60"])) != 0:
        sys.exit("the last run did not come to its end")
    return ended


if __name__ == "__main__":
    name, times, seed, *arguments = sys.argv[1:]
    signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever began us may have had it ignored
    for rule in (ClippedSGD(bars=True), Extremes(), Gram(), TunedSGD()):
        rule.read(rule.step(rule.init(2), numpy.ones((9, 2)), numpy.ones(9)))  # wakes the compiler, for all children
    print(json.dumps(run_and_end(signal.Signals[name], int(times), random.Random(int(seed)), arguments)))
