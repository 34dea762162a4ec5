"""`tailproof warm`: compile ahead what the other verbs need, by running them on made-up rows."""

import argparse
import contextlib
import io
import os
import sys
import tempfile
import time
from collections.abc import Sequence

from .exits import UNUSABLE, say

ROWS, FEATURES = 6000, 3
# What is run, in the words of a user. Wider and longer files need no other machine code.
MEANS = (["mean"], ["mean", "--radius"], ["mean", "--method", "clipped-sgd"], ["mean", "--method", "race"])
NUMBERS, LABELS = ["regress", "--target", "y"], ["classify", "--target", "label"]
SOLVERS: tuple[list[str], ...] = ([], ["--solver", "sgd"], ["--solver", "sgd", "--radius", "9"])
MODELS = tuple([*verb, *solver] for verb in (NUMBERS, LABELS) for solver in SOLVERS)
COMPARED = (["compare"], ["compare", "--target", "y"])
COMMANDS = (*MEANS, *MODELS, *COMPARED)
LONGEST = max(len(" ".join(command)) for command in COMMANDS)


def warm(options: argparse.Namespace) -> int:
    from .. import compiled

    compiled.alone()
    compiled.eager()
    unkept: list[str] = []
    compiled.when_unkept(unkept.append)
    begin = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="tailproof-") as folder:
        path = os.path.join(folder, "rows.parquet")
        _made_up(path)
        for command in COMMANDS:
            if code := _one([*command, path, "--quiet"], " ".join(command), options.quiet):
                return code
        # What adds states up, for --jobs as well.
        parts = [os.path.join(folder, f"{name}.tps") for name in "ab"]
        for part in parts:
            _one(["mean", path, "--save", part, "--quiet"], "mean", options.quiet)
        if code := _one(["merge", *parts, "-o", os.path.join(folder, "all.tps")], "merge", options.quiet):
            return code
    if unkept:
        return say(unkept[0], UNUSABLE)
    _told(compiled.compiled_anew(), compiled.kept_in(), time.monotonic() - begin)
    return 0


def _one(arguments: Sequence[str], name: str, quiet: bool) -> int:
    """One command, whose answer nobody wants; it is told of if it had to wait for the compiler. Returns its code."""
    from ..compiled import compiled_anew
    from .cli import main

    before, begin = compiled_anew(), time.monotonic()
    if sys.stderr.isatty() and not quiet:
        print(f"compiling for {name} ...", end="\r", file=sys.stderr, flush=True)
    with contextlib.redirect_stdout(io.StringIO()):
        code = main(arguments)
    if sys.stderr.isatty() and not quiet:
        print(" " * len(f"compiling for {name} ..."), end="\r", file=sys.stderr)
    if compiled_anew() > before and not quiet:
        print(f"{name:{LONGEST}} compiled in {time.monotonic() - begin:4.1f} s", file=sys.stderr, flush=True)
    return code


def _told(compiled: int, folders: Sequence[str], seconds: float) -> None:
    where = " and ".join(folders)
    if compiled:
        print(f"all is compiled: it took {seconds:.0f} s and is kept in {where}", file=sys.stderr)
    else:
        print(f"there was nothing to do: all is compiled already, and kept in {where}", file=sys.stderr)


def _made_up(path: str) -> None:
    """Rows with a heavy tail, a target that they explain, and two labels."""
    import numpy as np
    import pyarrow as pa
    from pyarrow import parquet

    draw = np.random.default_rng(1)
    features = draw.standard_t(3.0, (ROWS, FEATURES))
    table = {f"x{j}": features[:, j] for j in range(FEATURES)}
    table["y"] = features.sum(axis=1) + draw.standard_t(3.0, ROWS)
    table["label"] = (table["y"] > 0.0).astype(np.int64)
    parquet.write_table(pa.table(table), path)
