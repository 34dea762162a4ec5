"""Which reader of CSV is faster, on one thread and on two: PyArrow, which we use, or Polars.

Both read the same bytes in pieces, as we do; each reader and number of threads has a process of its own, since Polars
takes threads only so.

    python bench/csv_readers.py
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

ROWS, COLUMNS, TURNS, PIECE = 250_000, 20, 5, 8 << 20
READ = """
import io, os, statistics, sys, time
path, reader, threads, turns, piece = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), int(sys.argv[5])
os.environ["POLARS_MAX_THREADS"] = str(threads)
import pyarrow as pa, pyarrow.csv as csv
names = open(path).readline().strip().split(",")
body = open(path, "rb").read()
body = body[body.index(b"\\n") + 1 :]
cuts = [0]
while cuts[-1] < len(body):
    end = min(len(body), cuts[-1] + piece)
    cuts.append(len(body) if end == len(body) else body.rindex(b"\\n", 0, end) + 1)
pieces = [body[a:b] for a, b in zip(cuts, cuts[1:])]
if reader == "polars":
    import polars
    read = lambda text: polars.read_csv(io.BytesIO(text), has_header=False, new_columns=names).height
else:
    pa.set_cpu_count(threads)
    options = csv.ReadOptions(column_names=names, use_threads=threads > 1)
    read = lambda text: csv.read_csv(pa.BufferReader(text), options).num_rows
took = []
for _ in range(turns + 1):
    begin = time.perf_counter()
    rows = sum(map(read, pieces))
    took.append(time.perf_counter() - begin)
print(rows, statistics.median(took[1:]))
"""


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "wide.csv"
        written(path)
        print(f"{path.stat().st_size / 1e6:.0f} MB of CSV, {ROWS:,} rows of {COLUMNS} columns, median of {TURNS} turns")
        for threads in (1, 2):
            took = {reader: seconds(path, reader, threads) for reader in ("pyarrow", "polars")}
            times = ", ".join(f"{reader} {time:.3f} s" for reader, time in took.items())
            print(f"threads: {threads}; {times}; ratio {took['pyarrow'] / took['polars']:.2f}")


def written(path: Path) -> None:
    random = np.random.default_rng(0)
    names = ",".join(f"x{j}" for j in range(COLUMNS))
    np.savetxt(path, random.pareto(2.1, (ROWS, COLUMNS)), delimiter=",", header=names, comments="", fmt="%.17g")


def seconds(path: Path, reader: str, threads: int) -> float:
    command = [sys.executable, "-c", READ, str(path), reader, str(threads), str(TURNS), str(PIECE)]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=os.environ)
    rows, took = done.stdout.split()
    if int(rows) != ROWS:
        raise SystemExit(f"{reader} read {rows} rows of {ROWS:,}")
    return float(took)


if __name__ == "__main__":
    main()
