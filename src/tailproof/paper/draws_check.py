"""Whether the far tail of the generator is right: python -m tailproof.paper.draws_check --draws 1e10

Counts Pareto(2.1) values above the quantiles at 1e-3, 1e-4, ..., 1e-9 and says how many standard errors each count is
from what it should be; and the quantile that was found beside the one that should be. 1e10 draws take a quarter of a
minute.
"""

import argparse
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import compiled
from ..state import aligned
from .arena import seed_of
from .running import cores

INDEX = 2.1
SHARES = tuple(10.0**-k for k in range(3, 10))
# Values drawn at a time, and how many such panels are counted at a time.
PANEL = 512
RUN = 20_000
# A count this many standard errors off is a failure: it happens once in ten thousand checks of a good generator.
FAR = 4.5


class Line(NamedTuple):
    share: float
    quantile: float
    beyond: int
    expected: float

    @property
    def errors(self) -> float:
        """Standard errors from what is expected."""
        return (self.beyond - self.expected) / float(np.sqrt(self.expected * (1.0 - self.share)))


def check(draws: float, seed: int = 1, threads: int | None = None) -> list[Line]:
    """Counts beyond each quantile among at least so many draws."""
    limits = np.array([share ** (-1.0 / INDEX) for share in SHARES])
    runs = max(1, -(-int(draws) // (RUN * PANEL)))
    _counts(limits, seed, 0, 0)
    with ThreadPoolExecutor(threads or cores()) as pool:
        counted = sum(pool.map(lambda n: _counts(limits, seed, n, RUN), range(runs)))
    total = float(runs * RUN * PANEL)
    lines = zip(SHARES, limits.tolist(), np.asarray(counted).tolist(), strict=True)
    return [Line(share, limit, int(count), total * share) for share, limit, count in lines]


def _counts(limits: NDArray[np.float64], seed: int, run: int, panels: int) -> NDArray[np.int64]:
    counts = np.zeros(len(limits), np.int64)
    # Runs are different keys, as trials are.
    key = seed_of(seed, f"draws {run}")
    out = aligned(PANEL)
    compiled.kernel("count_beyond")(INDEX, limits, key, 0, panels, counts, out)
    return counts


def command(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tailproof.paper.draws_check", description=__doc__)
    parser.add_argument("--draws", type=float, default=1e9)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args(arguments)
    lines = check(given.draws, given.seed)
    print(f"Pareto({INDEX}), {lines[0].expected / SHARES[0]:.3g} draws")
    print(f"{'share':>7} {'quantile':>12} {'beyond it':>12} {'expected':>14} {'standard errors':>16}")
    for line in lines:
        print(f"{line.share:7.0e} {line.quantile:12.4f} {line.beyond:12d} {line.expected:14.1f} {line.errors:16.2f}")
    return 0 if all(abs(line.errors) < FAR or line.expected < 20.0 for line in lines) else 1


if __name__ == "__main__":
    sys.exit(command())
