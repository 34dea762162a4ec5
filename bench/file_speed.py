"""The sections "start", "file" and "jobs" of `make bench`: from a command or a file to an answer."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

import tailproof
from contenders import Times, line, turns
from tailproof.extremes import Extremes
from tailproof.gram import Gram
from tailproof.runner import Job, run

COLUMNS = 20
GROUP = 500_000
NAMES = [f"x{j}" for j in range(COLUMNS)]


def starting(repeats: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        small, large = Path(folder) / "small.csv", Path(folder) / "large.csv"
        write_numbers(small, 20_000)
        write_numbers(large, 60_000)
        took = turns(
            {
                "small": lambda: tailproof_command("mean", str(small), "--quiet"),
                "large": lambda: tailproof_command("mean", str(large), "--quiet"),
                "help": lambda: tailproof_command("--help"),
                "numpy": lambda: ran(sys.executable, "-c", "import numpy"),
                "tailproof": lambda: ran(sys.executable, "-c", "import tailproof"),
            },
            repeats,
        )
    line("`tailproof --help`", 0.15, took.seconds("help"), "s")
    line("second `tailproof mean`, 20,000 rows of 5 columns", 0.5, took.seconds("small"), "s")
    line("the same, 60,000 rows: enough to wake the compiler", None, took.seconds("large"), "s")
    line("import tailproof / import numpy", 1.3, took.ratio("tailproof", "numpy"))
    for extremes, bound in ((24, 60.0), (16, 36.0)):
        floats = tailproof.Extremes(extremes).init(20).nbytes / 8 / 20
        line(f"floats a column, extremes={extremes}, p=20", bound, floats, " ")


def write_numbers(path: Path, rows: int) -> None:
    numbers = np.random.default_rng(0).pareto(2.1, (rows, 5))
    np.savetxt(path, numbers, delimiter=",", header="a,b,c,d,e", comments="", fmt="%.6g")


def tailproof_command(*arguments: str) -> None:
    ran(sys.executable, "-m", "tailproof", *arguments)


def ran(*command: str) -> None:
    subprocess.run(command, check=True, capture_output=True)


def from_file(rows: int, repeats: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for packing in ("none", "zstd"):
            path = write_parquet(folder, rows, packing)
            beside_decoding(path, f"{packing}, {rows:,} rows", repeats)
            beside_duckdb(path, f"Parquet ({packing})", repeats)
            os.remove(path)
        beside_duckdb(write_csv(folder, rows // 10), "CSV", repeats)


def beside_decoding(path: str, what: str, repeats: int) -> None:
    """Within one process: starting has its own figures. The leanest way to read that we know is shown, too."""
    import pyarrow.parquet as parquet

    def lean(threads: bool) -> None:
        opened = parquet.ParquetFile(path, pre_buffer=False, buffer_size=65536)
        for _ in opened.iter_batches(65536, use_threads=threads):
            pass

    def batches() -> None:
        for _ in parquet.ParquetFile(path).iter_batches():
            pass

    took = turns(
        {
            "ours": lambda: means(path),
            "one": lambda: means(path, 1),
            "table": lambda: parquet.read_table(path),
            "batches": batches,
            "lean": lambda: lean(True),
            "lean one": lambda: lean(False),
        },
        repeats,
    )
    line(f"mean of {what} / read_table", 1.1, took.ratio("ours", "table"))
    line("the same / iter_batches", 1.1, took.ratio("ours", "batches"))
    line("the same / iter_batches read ahead by 64 kB, on all cores", 1.1, took.ratio("ours", "lean"))
    line("--jobs 1 / the same on one core", None, took.ratio("one", "lean one"))


def beside_duckdb(path: str, what: str, repeats: int) -> None:
    """The plain average by DuckDB on one thread; ours on one core, and as it comes."""
    try:
        import duckdb
    except ImportError:
        print(f"{'DuckDB is not installed: no figure beside it':58}")
        return
    connection = duckdb.connect()
    connection.execute("SET threads=1")
    reader = "read_parquet" if path.endswith("parquet") else "read_csv"
    query = f"select {', '.join(f'avg({name})' for name in NAMES)} from {reader}('{path}')"
    found = connection.execute(query).fetchall()[0]
    np.testing.assert_allclose(means(path).plain_mean, found, rtol=1e-9)
    took = turns(
        {
            "ours": lambda: means(path),
            "one": lambda: means(path, 1),
            "duckdb": lambda: connection.execute(query).fetchall(),
        },
        repeats,
    )
    line(f"{what}: --jobs 1 / DuckDB avg on one thread", 1.0, took.ratio("one", "duckdb"))
    line(f"{what}: mean as it comes / DuckDB avg on one thread", None, took.ratio("ours", "duckdb"))


def in_parts(rows: int, repeats: int) -> None:
    """One job's time over that of two."""
    if len(os.sched_getaffinity(0)) < 2:
        print(f"{'one core only: no figure for two jobs':58}")
        return
    with tempfile.TemporaryDirectory() as folder:
        path = write_parquet(folder, rows, "zstd")
        twice(f"mean of Parquet (zstd), {rows:,} rows", 1.8, lambda jobs: means(path, jobs), repeats)
        twice("regress, the same", None, lambda jobs: line_through(path, jobs), repeats)
        os.remove(path)
        path = write_csv(folder, rows // 4)
        twice(f"mean of CSV, {os.path.getsize(path) >> 20} MB", 1.8, lambda jobs: means(path, jobs), repeats)


def twice(what: str, required: float | None, work: Callable[[int], object], repeats: int) -> None:
    took: Times = turns({"one": lambda: work(1), "two": lambda: work(2)}, repeats)
    line(f"{what}: --jobs 1 / --jobs 2", required, took.ratio("one", "two"), more=True)


def means(path: str, jobs: int | None = None) -> object:
    done = run(Job(Extremes(), [path], jobs=jobs))
    return done.rule.read(done.state)


def line_through(path: str, jobs: int) -> object:
    return run(Job(Gram(), [path], jobs=jobs, target=NAMES[0])).state


def tables(rows: int):
    import pyarrow as pa

    random = np.random.default_rng(1)
    for begin in range(0, rows, GROUP):
        yield pa.table({name: random.lognormal(0.0, 1.0, min(GROUP, rows - begin)) for name in NAMES})


def write_parquet(folder: str, rows: int, packing: str) -> str:
    import pyarrow as pa
    from pyarrow import parquet

    path = os.path.join(folder, f"{packing}.parquet")
    schema = pa.schema([(name, pa.float64()) for name in NAMES])
    with parquet.ParquetWriter(path, schema, compression=packing, use_dictionary=False) as writer:
        for table in tables(rows):
            writer.write_table(table)
    return path


def write_csv(folder: str, rows: int) -> str:
    from pyarrow import csv

    path = os.path.join(folder, "wide.csv")
    first, *others = tables(rows)
    with csv.CSVWriter(path, first.schema) as writer:
        for table in (first, *others):
            writer.write_table(table)
    return path
