"""How far a run of experiments is, and the time that is left, on stderr where a person watches."""

import argparse
import sys
import time
from collections.abc import Sequence
from typing import Any

SECONDS = 0.25


class PaperProgress:
    """One line for all experiments of a command: which one, its share, and the time left for it and for all."""

    def __init__(self, experiments: Sequence[Any], options: argparse.Namespace) -> None:
        self.watched = not options.quiet and sys.stderr.isatty()
        self.waiting = {e.name: e.seconds(options.trials, options.threads or _cores()) for e in experiments}
        self.number, self.count = 1, len(experiments)
        self.next = 0.0
        self.shown = False
        if not options.quiet:
            _say_when_compiling()

    def tell(self, progress: Any) -> None:
        """Called by the engine after each piece of work."""
        now = time.monotonic()
        if now < self.next:
            return
        self.next = now + SECONDS
        self._write(
            f"{self._place()}{progress.experiment}: {100 * progress.done / progress.of:.0f} %{self._left(progress)}"
        )

    def _place(self) -> str:
        return f"[{self.number} of {self.count}] " if self.count > 1 else ""

    def _left(self, progress: Any) -> str:
        from ..paper.telling import duration

        if progress.left is None:
            return ""
        others = sum(seconds for name, seconds in self.waiting.items() if name != progress.experiment)
        whole = f", {duration(progress.left + others)} for all" if others else ""
        return f", {duration(progress.left)} left{whole}"

    def _write(self, line: str) -> None:
        self.shown = True
        print(f"\r\x1b[2K{line}", end="", file=sys.stderr, flush=True)

    def finished(self, experiment: Any) -> None:
        self.waiting.pop(experiment.name, None)
        self.number += 1
        self.close()

    def close(self) -> None:
        """Leave the line empty."""
        if self.shown:
            print("\r\x1b[2K", end="", file=sys.stderr, flush=True)
            self.shown = False


def _cores() -> int:
    from ..paper.running import cores

    return cores()


def _say_when_compiling() -> None:
    from ..compiled import before_compiling

    before_compiling(
        lambda: print("compiling for this machine: this happens once, for some 20 seconds", file=sys.stderr)
    )
