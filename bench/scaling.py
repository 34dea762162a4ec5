"""`python bench/scaling.py [trials]`: how near three scalers come to the middle and the width of clean rows.

The truth is that of the law, without the rows that were put in to do harm. An error of the location is told in
standard deviations, one of the scale as a share of it; each is the root of the mean square over all trials.
"""

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.preprocessing import RobustScaler, StandardScaler

import tailproof

SEED = 1118
# Trials stand side by side as columns, which are strangers to each other.
WIDE = 200
ROWS = 10_000
SCALERS = {"StandardScaler": StandardScaler, "RobustScaler": RobustScaler, "StreamScaler": tailproof.StreamScaler}
SIGMA = 1.0
LOGNORMAL = (np.exp(SIGMA**2 / 2), np.sqrt((np.exp(SIGMA**2) - 1) * np.exp(SIGMA**2)))


def with_gross(cells: Any) -> Any:
    """Twenty rows a thousand standard deviations out."""
    cells[:20] += 1000.0
    return cells


Law = tuple[Callable[[np.random.Generator, tuple[int, int]], Any], float, float]
LAWS: dict[str, Law] = {
    "Gaussian": (lambda random, shape: random.standard_normal(shape), 0.0, 1.0),
    "Gaussian, 20 gross rows": (lambda random, shape: with_gross(random.standard_normal(shape)), 0.0, 1.0),
    "lognormal": (lambda random, shape: random.lognormal(0.0, SIGMA, shape), *LOGNORMAL),
    "lognormal, 20 gross rows": (lambda random, shape: with_gross(random.lognormal(0.0, SIGMA, shape)), *LOGNORMAL),
    "Student, 3 degrees": (lambda random, shape: random.standard_t(3.0, shape), 0.0, np.sqrt(3.0)),
}


def main() -> None:
    trials = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    print(f"{trials:,} trials of {ROWS:,} rows: error of the location, error of the scale")
    print(f"{'':26}" + "".join(f"{name:>20}" for name in SCALERS))
    for name in LAWS:
        found = errors(name, trials)
        told = (f"{location:.4f} {scale:8.4f}" for location, scale in found.values())
        print(f"{name:26}" + "".join(f"{words:>20}" for words in told), flush=True)


def errors(law: str, trials: int) -> dict[str, tuple[float, float]]:
    """Of each scaler: of the location in standard deviations, and of the scale as a share."""
    draw, middle, width = LAWS[law]
    random = np.random.default_rng([SEED, list(LAWS).index(law)])
    wide = min(WIDE, trials)
    found: dict[str, list[Any]] = {name: [] for name in SCALERS}
    for _ in range(trials // wide):
        cells = draw(random, (ROWS, wide))
        for name, kind in SCALERS.items():
            scaler = kind().fit(cells)
            # A scaler is judged by what it does: it takes the middle to 0 and a width to 1.
            zero, one = (
                scaler.inverse_transform(np.zeros((1, wide)))[0],
                scaler.inverse_transform(np.ones((1, wide)))[0],
            )
            found[name].append(np.stack([(zero - middle) / width, (one - zero) / width - 1.0]))
    roots = {name: np.sqrt((np.concatenate(parts, axis=1) ** 2).mean(axis=1)) for name, parts in found.items()}
    return {name: (float(root[0]), float(root[1])) for name, root in roots.items()}


if __name__ == "__main__":
    main()
