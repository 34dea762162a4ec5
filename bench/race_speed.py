"""Candidates side by side against as many separate passes.

Turns are short and time is the process's own, so that what else runs on the machine weighs little.
"""

import time
from collections.abc import Callable

import numpy as np

import tailproof
from contenders import line
from tailproof.state import aligned

CANDIDATES, TURNS = 21, 15
MEGABYTES = 64
# What the paper's grids were made for.
ROWS = 1000
BOUNDS = {4: None, 20: 0.35, 256: 0.55}


def race_speed() -> None:
    for columns, bound in BOUNDS.items():
        X, y = stream(columns)
        steps = tailproof.Harmonic(1.0, float(columns))
        lines, means = tailproof.ClippedSGD(tailproof.Squared(), steps=steps), tailproof.ClippedSGD()
        line(f"Race, {CANDIDATES} lines / as many passes, p={columns}", bound, ratio(grid(lines, columns), X, y))
        line(f"Race, {CANDIDATES} means / as many passes, p={columns}", None, ratio(grid(means, columns), X, None))


def stream(columns: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows, some of them with gross targets; more than fit into near memory, as in any stream worth a race."""
    rows = (MEGABYTES << 20) // 8 // columns
    random = np.random.default_rng(0)
    X = aligned((rows, columns))
    X[...] = random.standard_normal((rows, columns))
    return X, X @ np.full(columns, columns**-0.5) + random.pareto(2.1, rows)


def grid(rule: tailproof.ClippedSGD, columns: int) -> tailproof.Race:
    """The levels of the paper."""
    shares = np.linspace(0.01, 1.01, CANDIDATES)
    return tailproof.Race.over(rule, levels=(shares * np.sqrt(ROWS * columns)).tolist())


def ratio(rule: tailproof.Race, X: np.ndarray, y: np.ndarray | None) -> float:
    """The median over all turns of the race's time over that of the separate passes."""
    columns = X.shape[1]
    race, alone = rule.init(columns), [candidate.init(columns) for candidate in rule.candidates]

    def apart() -> None:
        for candidate, state in zip(rule.candidates, alone, strict=True):
            candidate.step(state, X, y)

    def together() -> None:
        rule.step(race, X, y)

    apart()
    together()
    return float(np.median([seconds(together) / seconds(apart) for _ in range(TURNS)]))


def seconds(contender: Callable[[], None]) -> float:
    begin = time.process_time()
    contender()
    return time.process_time() - begin
