"""Makes examples/requests.parquet: 60,000 made-up web requests. The file in the repository came from this script.

python examples/make_requests.py
"""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet

ROWS = 60_000


def main() -> None:
    random = np.random.default_rng(20261118)
    latency = random.lognormal(3.2, 0.9, ROWS)
    # A retry storm: a few requests wait for minutes.
    slow = random.choice(ROWS, 12, replace=False)
    latency[slow] = random.uniform(60_000, 240_000, 12)
    table = pa.table(
        {
            "when": pa.array(1_793_577_600 + np.sort(random.integers(0, 86_400, ROWS)), pa.timestamp("s")),
            "path": pa.array(random.choice(["/", "/search", "/cart", "/pay"], ROWS)).dictionary_encode(),
            "latency_ms": np.round(latency, 2),
            "bytes": (900 * (1 + random.pareto(1.05, ROWS))).astype(np.int64),
            "cpu_ms": pa.array(np.round(random.gamma(6.0, 0.7, ROWS), 3), mask=random.random(ROWS) < 0.0004),
            "revenue": np.round(np.where(random.random(ROWS) < 0.04, 20 * random.pareto(1.9, ROWS), 0.0), 2),
            "temperature": temperature(random),
        }
    )
    parquet.write_table(table, Path(__file__).with_name("requests.parquet"), compression="zstd")


def temperature(random: np.random.Generator) -> np.ndarray:
    """A sensor that now and then reports its error code, 65,535."""
    degrees = np.round(41.0 + 1.5 * random.standard_normal(ROWS), 2)
    degrees[random.choice(ROWS, 7, replace=False)] = 65_535.0
    return degrees


if __name__ == "__main__":
    main()
