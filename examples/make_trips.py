"""Makes examples/trips.parquet: 20,000 made-up taxi trips. The file in the repository came from this script.

python examples/make_trips.py

A minute of every trip is fixed, a kilometre takes 140 seconds and 60 more in the rush hour. Most trips are late by a
little and some by a lot; in 40 the meter was left running over night.
"""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet

ROWS = 20_000


def main() -> None:
    random = np.random.default_rng(20261119)
    distance = np.round(random.lognormal(1.0, 0.7, ROWS), 2)
    rush = random.random(ROWS) < 0.3
    late = 45.0 * (random.pareto(2.3, ROWS) - 1 / 1.3) * np.sqrt(distance)
    duration = 60.0 + 140.0 * distance + 60.0 * distance * rush + late
    left_running = random.choice(ROWS, 40, replace=False)
    duration[left_running] += random.uniform(30_000, 60_000, 40)
    table = pa.table(
        {
            "distance": distance,
            "rush_distance": np.where(rush, distance, 0.0),
            "passengers": random.integers(1, 5, ROWS),
            "paid": pa.array(random.choice(["card", "cash", "app"], ROWS, p=[0.6, 0.3, 0.1])).dictionary_encode(),
            "duration": np.round(np.maximum(duration, 20.0), 1),
            "tip": (random.random(ROWS) < 1.0 / (1.0 + np.exp(0.6 - 0.15 * distance))).astype(np.int8),
        }
    )
    parquet.write_table(table, Path(__file__).with_name("trips.parquet"), compression="zstd")


if __name__ == "__main__":
    main()
