"""Speed and accuracy beside the tools that people use, as ratios measured side by side in one run.

    python bench/peers_speed.py [--only SECTION] [--turns 5]    # into bench/results/peers.json
    python bench/peers_speed.py --quick                         # two minutes, in the ordinary environment

Every section runs in a process of its own below this one, so that a peer that crashes takes nobody along. A peer that
is not installed, fails, or did not do the work is named with the reason. `python bench/peers_page.py` makes the page.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import peers_machine
from peers_sections import SECTIONS

RESULTS = Path(__file__).parent / "results" / "peers.json"
# Long enough for the slowest section on a slow machine; a peer that hangs must not hang the whole run.
PATIENCE = 900


def main() -> int:
    options = arguments()
    if options.into:
        options.into.write_text(json.dumps(SECTIONS[options.only].run(options)))
        return 0
    if options.quick:
        return quick(options)
    RESULTS.parent.mkdir(exist_ok=True)
    held = json.loads(RESULTS.read_text()) if RESULTS.exists() and options.only else {"sections": {}}
    held |= {"machine": peers_machine.described(), "versions": peers_machine.versions()}
    for name in [options.only] if options.only else SECTIONS:
        print(f"\n{name}", flush=True)
        before = held["sections"].get(name)
        held["sections"][name] = SECTIONS[name].joined(before, in_a_process(name, sys.argv[1:], SECTIONS[name].threads))
        RESULTS.write_text(json.dumps(held, indent=1))
    return 0


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--only", choices=list(SECTIONS), metavar="SECTION", help=", ".join(SECTIONS))
    parser.add_argument("--part", help="of the section `own`: a section of bench/speed.py")
    parser.add_argument("--turns", type=int, default=5, help="turns of each pair (default 5)")
    parser.add_argument("--megabytes", type=int, default=64, help="rows in memory (default 64)")
    parser.add_argument("--trials", type=int, default=2000, help="trials of the quick ones (default 2000)")
    parser.add_argument("--quick", action="store_true", help="a few figures, without writing anything")
    parser.add_argument("--into", type=Path, help=argparse.SUPPRESS)
    return parser.parse_args()


def quick(options: argparse.Namespace) -> int:
    for name in ("line", "mean", "accuracy of lines"):
        print(f"\n{name}", flush=True)
        smaller = ["--turns", "3", "--megabytes", "32", "--trials", "300"]
        in_a_process(name, smaller, SECTIONS[name].threads)
    return 0


def in_a_process(name: str, settings: list[str], threads: dict[str, str]) -> Any:
    """What a section found, or why there is nothing."""
    with tempfile.TemporaryDirectory() as folder:
        into = Path(folder) / "found.json"
        command = [sys.executable, __file__, *settings, "--only", name, "--into", str(into)]
        try:
            subprocess.run(command, check=True, env={**os.environ, **threads}, timeout=PATIENCE)
            return json.loads(into.read_text())
        except (subprocess.SubprocessError, OSError) as error:
            return {"failed": str(error).replace(str(into), "FILE").replace(__file__, "bench/peers_speed.py")}


if __name__ == "__main__":
    raise SystemExit(main())
