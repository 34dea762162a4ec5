"""`make bench`: how fast, as ratios to named peers measured side by side in this run.

Contenders take turns on the same data; a ratio is the median over all turns of the contender's time over its peer's
in the same turn. Ratios below 1 are faster than the peer.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import tailproof
from contenders import line, turns
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
    options.add_argument("--only", choices=["memory", "file", "start", "regression", "race"], help="one section")
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


def starting(repeats: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        small = Path(folder) / "small.csv"
        small.write_text("latency_ms,bytes\n" + "\n".join(f"{k * k % 97},{k}" for k in range(1000)))
        command = [sys.executable, "-m", "tailproof", "mean", str(small), "--quiet"]
        took = turns(
            {
                "cli": lambda: ran(*command),
                "help": lambda: ran(sys.executable, "-m", "tailproof", "--help"),
                "numpy": lambda: ran(sys.executable, "-c", "import numpy"),
                "tailproof": lambda: ran(sys.executable, "-c", "import tailproof"),
            },
            repeats,
        )
    line("second start of `tailproof mean` on a small file", 0.7, took.seconds("cli"), "s")
    line("`tailproof --help`", None, took.seconds("help"), "s")
    line("import tailproof / import numpy", 1.3, took.ratio("tailproof", "numpy"))
    import_floats()


def import_floats() -> None:
    for extremes, bound in ((24, 60.0), (16, 36.0)):
        floats = tailproof.Extremes(extremes).init(20).nbytes / 8 / 20
        line(f"floats a column, extremes={extremes}, p=20", bound, floats, " ")


def ran(*command: str) -> None:
    subprocess.run(command, check=True, capture_output=True)


def from_file(rows: int, repeats: int) -> None:
    import pyarrow as pa
    import pyarrow.parquet as parquet

    random = np.random.default_rng(1)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "wide.parquet")
        schema = pa.schema([(f"x{j}", pa.float64()) for j in range(20)])
        with parquet.ParquetWriter(path, schema, compression="none", use_dictionary=False) as writer:
            for _ in range(rows // 500_000):
                columns = [random.lognormal(0.0, 1.0, 500_000) for _ in range(20)]
                writer.write_table(pa.table(columns, schema=schema))
        command = [sys.executable, "-m", "tailproof", "mean", path, "--quiet"]
        took = turns(
            {
                "table": lambda: ran(sys.executable, "-c", TABLE, path),
                "batches": lambda: ran(sys.executable, "-c", BATCHES, path),
                "cli": lambda: ran(*command),
            },
            repeats,
        )
        inside = turns({"table": lambda: parquet.read_table(path), "tailproof": lambda: in_process(path)}, repeats)
    line(f"tailproof mean / pyarrow read_table, {rows:,} rows, p=20", 1.3, took.ratio("cli", "table"))
    line("the same / pyarrow iter_batches, which holds as little", 1.3, took.ratio("cli", "batches"))
    line("the same without starting Python / read_table", None, inside.ratio("tailproof", "table"))


TABLE = "import sys, pyarrow.parquet as parquet; parquet.read_table(sys.argv[1])"
BATCHES = """
import sys, pyarrow.parquet as parquet
for batch in parquet.ParquetFile(sys.argv[1], pre_buffer=False, buffer_size=65536).iter_batches(65536):
    pass
"""


def in_process(path: str) -> None:
    from tailproof.extremes import Extremes
    from tailproof.runner import Job, run

    run(Job(Extremes(), [path]))


if __name__ == "__main__":
    main()
