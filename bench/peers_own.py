"""The lines of bench/speed.py, which compares with NumPy and PyArrow, for the page."""

import argparse
import sys
from typing import Any

import contenders
import speed


def run(options: argparse.Namespace) -> Any:
    """With fewer rows and repeats than it takes by itself, so that the whole page is done in ten minutes."""
    part = ["--only", options.part] if options.part else []
    sys.argv = ["speed.py", "--repeats", str(options.turns), "--rows", "2000000", *part]
    speed.main()
    return [said._asdict() for said in contenders.SAID]


def joined(before: Any, found: Any) -> Any:
    """Lines of one part take the place of those of the same name."""
    if not isinstance(before, list) or not isinstance(found, list):
        return found
    new = {said["what"]: said for said in found}
    kept = [new.pop(said["what"], said) for said in before]
    return [*kept, *new.values()]
