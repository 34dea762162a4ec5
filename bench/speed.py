"""`make bench`: how fast, as ratios to named peers measured side by side in this run.

Contenders take turns on the same data; a ratio is the median over all turns of the contender's time over its peer's
in the same turn. Ratios below 1 are faster than the peer.
"""

import argparse

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


def in_memory(repeats: int) -> None:
    for columns, mean_bound, sgd_bound in ((20, 1.0, 0.45), (256, 1.8, 0.95)):
        X = rows_of(columns)
        y = X @ np.ones(columns)
        # The figures are those of a long stream: new extremes are rare once a million rows are in.
        model = tailproof.Mean()
        while not hasattr(model, "state_") or model.n_samples_seen_ < 1_000_000:
            model.partial_fit(X)
        descent, theta = settled(tailproof.ClippedSGD(level=tailproof.Fixed(100.0)), X, y)
        squared, start = settled(line_rule(tailproof.Squared()), X, y)
        mine, begin = settled(line_rule(Mine()), X, y)
        took = turns(
            {
                "numpy": lambda X=X: X.mean(axis=0),
                "read": lambda X=X: X.sum(),
                "mean": lambda X=X, model=model: model.partial_fit(X),
                "sgd": lambda X=X, rule=descent, state=theta: rule.step(state, X),
                "squared": lambda X=X, y=y, rule=squared, state=start: rule.step(state, X, y),
                "mine": lambda X=X, y=y, rule=mine, state=begin: rule.step(state, X, y),
            },
            repeats,
        )
        line(f"Mean.partial_fit / X.mean(axis=0), p={columns}", mean_bound, took.ratio("mean", "numpy"))
        line(f"ClippedSGD(Location) / X.mean(axis=0), p={columns}", sgd_bound, took.ratio("sgd", "numpy"))
        line(f"reading the rows alone, X.sum() / X.mean(axis=0), p={columns}", None, took.ratio("read", "numpy"))
        line(f"ClippedSGD(Squared) / X.mean(axis=0), p={columns}", None, took.ratio("squared", "numpy"))
        line(f"a user's own loss / the built-in one, p={columns}", 1.1, took.ratio("mine", "squared"))
        early(X[:10_000], columns, repeats)


def early(X: np.ndarray, columns: int, repeats: int) -> None:
    """The first rows cost more: most extremes are met there."""
    rule = tailproof.Extremes()
    took = turns({"numpy": lambda: X.mean(axis=0), "mean": lambda: rule.step(rule.init(columns), X)}, repeats)
    line(f"Mean, its first 10,000 rows / X.mean(axis=0), p={columns}", None, took.ratio("mean", "numpy"))


def line_rule(loss: object) -> tailproof.ClippedSGD:
    return tailproof.ClippedSGD(
        loss=loss, level=tailproof.Fixed(1000.0), steps=tailproof.Harmonic(0.01, 1000.0), domain=tailproof.Everywhere()
    )


def settled(rule, X: np.ndarray, y: np.ndarray):
    return rule, rule.step(rule.init(X.shape[1]), X, y)


if __name__ == "__main__":
    main()
