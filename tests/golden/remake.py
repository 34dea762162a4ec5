"""Makes the golden files anew. From the root of the repository: `python -m tests.golden.remake`

Look at `git diff tests/golden` afterwards: each change is one that users will see. `format-1.tps` is not made anew
once a version that writes format 1 is released, since such files must be read for ever: only with `--checkpoint`.
"""

import contextlib
import io
import os
import sys
from pathlib import Path
from unittest import mock

from tailproof.doors.cli import main

HERE = Path(__file__).parent
REGRESS = ["regress", "trips.csv", "--target", "duration", "--features", "distance,hour,city", "--one-hot"]
CLASSIFY = ["classify", "trips.csv", "--target", "late", "--features", "distance,hour"]
# What a user types, and where the answer is kept. All of them run in this folder.
COMMANDS = {
    "help.txt": ["--help"],
    "help-mean.txt": ["mean", "--help"],
    "help-diff.txt": ["diff", "--help"],
    "help-regress.txt": ["regress", "--help"],
    "help-classify.txt": ["classify", "--help"],
    "help-predict.txt": ["predict", "--help"],
    "help-compare.txt": ["compare", "--help"],
    "help-inspect.txt": ["inspect", "--help"],
    "help-merge.txt": ["merge", "--help"],
    "help-warm.txt": ["warm", "--help"],
    "help-paper.txt": ["paper", "--help"],
    "help-paper-list.txt": ["paper", "list", "--help"],
    "help-paper-table1.txt": ["paper", "table1", "--help"],
    "help-paper-run.txt": ["paper", "run", "--help"],
    "help-paper-report.txt": ["paper", "report", "--help"],
    "table.txt": ["mean", "requests.csv"],
    "table-narrow.txt": ["mean", "requests.csv"],
    "table.json": ["mean", "requests.csv", "--json"],
    "regress.txt": REGRESS,
    "regress-narrow.txt": REGRESS,
    "regress.json": [*REGRESS, "--json"],
    "classify.txt": CLASSIFY,
    "classify-narrow.txt": CLASSIFY,
    "classify.json": [*CLASSIFY, "--json"],
    "inspect.txt": ["inspect", "format-1.tps"],
    "inspect.json": ["inspect", "format-1.tps", "--json"],
}
NARROW, WIDE = "80", "200"
WIDTHS = {
    "table.txt": WIDE,
    "inspect.txt": WIDE,
    "regress.txt": WIDE,
    "classify.txt": WIDE,
    "regress-narrow.txt": "60",
    "classify-narrow.txt": "60",
}
CHECKPOINT = ["mean", "requests.csv", "--checkpoint", "format-1.tps", "--quiet"]


def said(arguments: list[str], columns: str) -> str:
    """What the command prints on a terminal of that width."""
    out = io.StringIO()
    with (
        mock.patch.dict(os.environ, COLUMNS=columns, NO_COLOR="1"),
        contextlib.chdir(HERE),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(io.StringIO()),
        contextlib.suppress(SystemExit),
    ):
        main(arguments)
    return out.getvalue()


def width_of(name: str) -> str:
    return WIDTHS.get(name, NARROW)


def remake(checkpoint: bool) -> None:
    if checkpoint:
        (HERE / "format-1.tps").unlink(missing_ok=True)
        said(CHECKPOINT, WIDE)
    for name, arguments in COMMANDS.items():
        (HERE / name).write_text(said(arguments, width_of(name)), encoding="utf-8")


if __name__ == "__main__":
    remake("--checkpoint" in sys.argv[1:])
