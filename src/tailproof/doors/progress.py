"""Progress on stderr, where a person watches; nothing in pipes."""

import sys
import time
from collections.abc import Callable
from typing import Any

from .table import number, printable

SECONDS = 0.25
LONGEST_NAME = 24


class Progress:
    """Rows, rows a second, share of the input read, and an estimate so far, where there is one."""

    def __init__(self, name: str) -> None:
        self.name = printable(name)[:LONGEST_NAME]
        self.next = 0.0
        self.bar: Any = None

    def update(self, rows: int, share: float | None, running: Callable[[], float] | None) -> None:
        now = time.monotonic()
        if now < self.next:
            return
        if self.bar is None:
            self.bar = _bar(rows)
        said = [] if share is None else [f"{100 * share:.0f} % read"]
        if running is not None:
            said.append(f"{self.name} {number(running())}")
        self.bar.n = rows
        self.bar.set_postfix_str(", ".join(said))
        # A look at very many columns takes its time: never spend more than a tenth of the run on looking.
        self.next = time.monotonic() + max(SECONDS, 10.0 * (time.monotonic() - now))

    def close(self) -> None:
        if self.bar is not None:
            self.bar.close()


def _bar(rows: int) -> Any:
    """The bar is drawn once there are rows: what goes wrong before is said on a line of its own."""
    from tqdm import tqdm

    return tqdm(
        initial=rows,  # rows of an earlier run do not count for the speed
        unit=" rows",
        unit_scale=True,
        file=sys.stderr,
        leave=False,
        dynamic_ncols=True,
        bar_format="{n_fmt} rows, {rate_fmt}, {elapsed}{postfix}",
    )
