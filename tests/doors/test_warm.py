"""`tailproof warm`: what the other verbs need is compiled ahead."""

import subprocess
import sys

OTHERS = """
import contextlib, io
from tailproof import compiled
from tailproof.doors.cli import main
compiled.eager()
for command in (
    ["mean"], ["mean", "--columns", "hour"], ["regress", "--target", "duration"], ["compare", "--target", "duration"],
    ["classify", "--target", "kind", "--one-hot"], ["regress", "--target", "hour", "--solver", "sgd"],
):
    with contextlib.redirect_stdout(io.StringIO()):
        assert main([*command, "trips.csv", "--quiet"]) == 0
print(compiled.compiled_anew())
"""


def process(*arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=True)


def test_nothing_is_left_to_compile(trips: str) -> None:
    first = process("-m", "tailproof", "warm")
    assert first.stdout == ""
    assert " kept in /" in first.stderr.splitlines()[-1]
    again = process("-m", "tailproof", "warm")
    assert again.stderr.startswith("there was nothing to do: all is compiled already, and kept in ")
    assert len(again.stderr.splitlines()) == 1
    assert process("-c", OTHERS).stdout.strip() == "0"


def test_nowhere_to_keep_it_is_said_with_the_remedy(trips: str) -> None:
    program = (
        "import sys; from tailproof import compiled; from tailproof.doors import cli, warm\n"
        "warm._one = lambda *command: compiled._say_unkept_once() or 0\n"
        "sys.exit(cli.main(['warm']))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("tailproof: no folder to keep compiled code in: ")
    assert "NUMBA_CACHE_DIR" in done.stderr
