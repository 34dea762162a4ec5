"""About what trials take, from measured costs, and so how work is cut into pieces.

Nothing here may depend on the machine: sums are made piece by piece, so pieces decide the last digits.
"""

from typing import Any

# Seconds of machine code that a piece of work should take: often enough for progress, seldom enough for the disk.
PIECE = 0.25
# Values that are held at once where our own rules run.
HELD = 4 << 20


def seconds_a_trial(setting: Any) -> float:
    """In machine code, on one core."""
    columns, candidates = setting.columns, len(setting.candidates)
    drawing = 1.0 if setting.law.kind == "pareto" else 7.0
    more = {"mean": 4.0, "linear": 0.0, "logistic": 20.0}[setting.task]
    descent = _paths(setting) * (8.0 + more + 0.05 * columns)
    medians = (8.0 + 0.15 * columns) * len(setting.medians)
    looks = len(setting.looks) * candidates * (15.0 + 0.1 * columns)
    robin = 3e-5 if setting.asks("round-robin-mom") else 2e-6
    return float(1e-9 * (setting.rows * (drawing * columns + 10.0 + descent + medians) + looks) + robin)


def _paths(setting: Any) -> float:
    """Candidates that have a path of their own, on average over a trial.

    Levels leave the common path one by one; where steps are long, nearly all do, and soon.
    """
    levels = len(setting.grid("clipped-sgd", setting.levels))
    paths = 0.0
    for gamma in setting.gammas:
        long = 0.0 < gamma < setting.columns or setting.task == "logistic"
        paths += 1.0 + (0.9 if long else 0.25) * levels
    if setting.task == "linear":
        paths += 0.5 * len(setting.grid("huber", setting.penalties))
    return paths + len(setting.grid("ridge", setting.penalties)) + 1.7 * len(setting.grid("lasso", setting.penalties))


def our_seconds_a_trial(setting: Any) -> float:
    if setting.task == "mean":
        return float(8e-4 + 2.5e-8 * setting.rows * setting.columns)
    return float(4e-3 + 1.6e-9 * setting.rows * setting.columns**2)


def chunk(setting: Any) -> int:
    return _power_of_two(PIECE / setting.seconds_a_trial, 4096)


def our_chunk(setting: Any) -> int:
    most = HELD / (setting.rows * setting.columns) if setting.task == "mean" else 64.0
    return _power_of_two(min(2.0 * PIECE / setting.our_seconds_a_trial, most), 256)


def _power_of_two(wanted: float, most: int) -> int:
    size = 1
    while size < most and 2 * size <= wanted:
        size *= 2
    return size
