"""`make bench`: how fast, as ratios to named peers measured side by side in this run.

Contenders take turns on the same data; a ratio is the median over all turns of the contender's time over its peer's
in the same turn. Ratios below 1 are faster than the peer.
"""

import argparse
import timeit
from collections.abc import Callable

import numpy as np

import tailproof
from contenders import line, turns
from file_speed import from_file, in_parts, starting
from race_speed import race_speed
from regression_speed import regression_speed
from tailproof.state import aligned

MEGABYTES = 64


@tailproof.loss
class Mine:
    """The squared loss again, as a user would write it."""

    def value(self, z, y):
        return 0.5 * (z - y) * (z - y)

    def slope(self, z, y):
        return z - y


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument(
        "--only", choices=["memory", "file", "jobs", "start", "regression", "race"], help="one section"
    )
    options.add_argument("--rows", type=int, default=5_000_000, help="rows of the Parquet file")
    options.add_argument("--repeats", type=int, default=9)
    given = options.parse_args()
    print(f"{'what':58} {'required':>9} {'measured':>9}")
    if given.only in (None, "memory"):
        in_memory(given.repeats)
    if given.only in (None, "regression"):
        regression_speed(given.repeats)
    if given.only in (None, "race"):
        race_speed()
    if given.only in (None, "start"):
        starting(given.repeats)
    if given.only in (None, "file"):
        from_file(given.rows, max(3, given.repeats // 2))
    if given.only in (None, "jobs"):
        in_parts(given.rows, max(3, given.repeats // 2))


def rows_of(columns: int) -> np.ndarray:
    rows = (MEGABYTES << 20) // 8 // columns
    X = aligned((rows, columns))
    X[...] = np.random.default_rng(0).standard_normal((rows, columns))
    return X


# Required, by columns, as multiples of X.mean(axis=0): the sketch, and descents for a mean, a line and log-odds.
TARGETS = {20: (0.7, 0.45, 0.75, 1.8), 256: (1.5, 0.85, 0.95, 1.05)}
WIDTHS = (1, 4, 20, 64, 256, 1024, 8192)
NAMES = ("Mean.partial_fit", "ClippedSGD(Location)", "ClippedSGD(Squared)", "ClippedSGD(Logistic)")


def in_memory(repeats: int) -> None:
    for columns, bounds in TARGETS.items():
        X = rows_of(columns)
        contenders = {**with_peers(X), "mine": mine(X)}
        took = turns(contenders, repeats)
        for name, bound in zip(NAMES, bounds, strict=True):
            line(f"{name} / X.mean(axis=0), p={columns}", bound, took.ratio(name, "numpy"))
        line(f"a user's own loss / the built-in one, p={columns}", 1.05, took.ratio("mine", NAMES[2]))
        line(f"reading the rows alone, X.sum() / X.mean(axis=0), p={columns}", None, took.ratio("read", "numpy"))
        early(X[:10_000], columns, repeats)
    one_row(20)
    by_width(min(repeats, 5))


def with_peers(X: np.ndarray, rows: np.ndarray | None = None) -> dict:
    """Each contender on the same rows, settled: new extremes are rare once a million rows are in. `rows` are what ours
    take instead of X."""
    columns, rows = X.shape[1], X if rows is None else rows
    y = X @ np.ones(columns)
    model = tailproof.Mean()
    while not hasattr(model, "state_") or model.n_samples_seen_ < 1_000_000:
        model.partial_fit(rows)
    odds = (y > 0.0).astype(np.float64)
    return {
        "numpy": lambda: X.mean(axis=0),
        "read": lambda: X.sum(),
        NAMES[0]: lambda: model.partial_fit(rows),
        NAMES[1]: stepping(tailproof.ClippedSGD(level=tailproof.Fixed(100.0)), rows, None),
        NAMES[2]: stepping(line_rule(tailproof.Squared()), rows, y),
        NAMES[3]: stepping(line_rule(tailproof.Logistic()), rows, odds),
    }


def mine(X: np.ndarray) -> Callable[[], object]:
    return stepping(line_rule(Mine()), X, X @ np.ones(X.shape[1]))


def stepping(rule, X: np.ndarray, y: np.ndarray | None) -> Callable[[], object]:
    state = rule.step(rule.init(X.shape[1]), X, y)
    return lambda: rule.step(state, X, y)


def one_row(columns: int) -> None:
    """Microseconds for a row that comes by itself."""
    X = np.random.default_rng(0).standard_normal((10_000, columns))
    row, targets = X[:1].copy(), X[:, 0].copy()
    rules = {
        "ClippedSGD(Location).step": (tailproof.ClippedSGD(), None, None),
        "ClippedSGD(Squared).step": (tailproof.ClippedSGD(tailproof.Squared()), targets, 1.0),
        "Extremes.step": (tailproof.Extremes(), None, None),
    }
    for name, (rule, y, target) in rules.items():
        state = rule.step(rule.init(columns), X, y)
        took = min(timeit.repeat(lambda: rule.step(state, row, target), number=5000, repeat=7)) / 5000  # noqa: B023
        line(f"{name} of one row, p={columns}", 3.0 if "SGD" in name else None, took * 1e6, "us")
    model = tailproof.Mean().partial_fit(X)
    took = min(timeit.repeat(lambda: model.partial_fit(row), number=200, repeat=5)) / 200
    line(f"Mean.partial_fit of one row, p={columns}", None, took * 1e6, "us")


def by_width(repeats: int) -> None:
    """The same for narrow rows and wide ones, and for rows of single precision beside the same as doubles."""
    print(f"\nmultiples of X.mean(axis=0)\n{'p':>5} {'ns/row':>8} " + " ".join(f"{name:>20}" for name in NAMES))
    for columns in WIDTHS:
        X = rows_of(columns)
        took = turns(with_peers(X), repeats)
        ratios = " ".join(f"{took.ratio(name, 'numpy'):20.2f}" for name in NAMES)
        print(f"{columns:5} {took.seconds('numpy') / len(X) * 1e9:8.2f} {ratios}", flush=True)
    print(
        f"\nrows of float32 / the same rows of float64\n{'p':>5} {'':>8} " + " ".join(f"{name:>20}" for name in NAMES)
    )
    for columns in WIDTHS:
        X = rows_of(columns)
        single = {f"{name}, single": run for name, run in with_peers(X, X.astype(np.float32)).items()}
        took = turns({**with_peers(X), **single}, max(3, repeats // 2))
        ratios = " ".join(f"{took.ratio(f'{name}, single', name):20.2f}" for name in NAMES)
        print(f"{columns:5} {'':8} {ratios}", flush=True)


def early(X: np.ndarray, columns: int, repeats: int) -> None:
    """The first rows cost more: most extremes are met there."""
    rule = tailproof.Extremes()
    took = turns({"numpy": lambda: X.mean(axis=0), "mean": lambda: rule.step(rule.init(columns), X)}, repeats)
    line(f"Mean, its first 10,000 rows / X.mean(axis=0), p={columns}", None, took.ratio("mean", "numpy"))


def line_rule(loss: object) -> tailproof.ClippedSGD:
    return tailproof.ClippedSGD(
        loss=loss, level=tailproof.Fixed(1000.0), steps=tailproof.Harmonic(0.01, 1000.0), domain=tailproof.Everywhere()
    )


if __name__ == "__main__":
    main()
