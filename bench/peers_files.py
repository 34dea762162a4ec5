"""Who takes the mean of every column of a file: the tools that people use for it."""

from collections.abc import Callable
from typing import Any

import numpy as np

from peer import OURS, Contender, Learned
from peers_data import File

Run = Callable[[], Learned]


def contenders(file: File, threads: int) -> list[Contender]:
    """Each on so many threads, as far as it can be told."""
    return [
        Contender(name, package, file.rows, lambda prepare=prepare: prepare(file, threads))
        for name, package, prepare in (
            ("tailproof mean (robust, with intervals)", OURS, ours),
            ("tailproof mean --jobs, a job a thread", OURS, in_jobs),
            ("DuckDB select avg(..)", "duckdb", duck),
            ("Polars scan, mean", "polars", bear),
            ("PyArrow, the file decoded and nothing else", "pyarrow", arrow),
        )
    ]


def ours(file: File, threads: int) -> Run:
    """As it comes: one thread decodes while another computes, on as many cores as there are."""
    return ours_by(file)


def in_jobs(file: File, threads: int) -> Run:
    return ours_by(file, jobs=threads)


def ours_by(file: File, **settings: int) -> Run:
    from tailproof.extremes import Extremes
    from tailproof.runner import Job, run

    def taken() -> Learned:
        outcome = run(Job(Extremes(), [str(file.path)], **settings))
        said = outcome.rule.read(outcome.state)
        return Learned(int(said.rows), np.asarray(said.plain_mean))

    return taken


def duck(file: File, threads: int) -> Run:
    import duckdb

    connection = duckdb.connect()
    connection.execute(f"set threads = {threads}")
    asked = ", ".join(f"avg(x{j})" for j in range(len(file.means)))

    def taken() -> Learned:
        answer = connection.execute(f"select count(*), {asked} from '{file.path}'").fetchone()
        return Learned(answer[0], np.array(answer[1:]))

    return taken


def bear(file: File, threads: int) -> Run:
    """Its threads are set by POLARS_MAX_THREADS before it is imported."""
    import polars

    if polars.thread_pool_size() != threads:
        raise RuntimeError(f"uses {polars.thread_pool_size()} threads, not {threads}")
    scan: Any = polars.scan_csv if file.path.suffix == ".csv" else polars.scan_parquet

    def taken() -> Learned:
        answer = scan(file.path).select(polars.len(), polars.col("^x.*$").mean()).collect().row(0)
        return Learned(answer[0], np.array(answer[1:]))

    return taken


def arrow(file: File, threads: int) -> Run:
    """In batches that are dropped at once. Its answer is not looked at: there is none."""
    import pyarrow as pa

    pa.set_cpu_count(threads)
    return lambda: Learned(sum(batch.num_rows for batch in batches(file, threads)), file.means)


def batches(file: File, threads: int) -> Any:
    import pyarrow.csv
    import pyarrow.parquet

    if file.path.suffix == ".csv":
        return pyarrow.csv.open_csv(file.path, pyarrow.csv.ReadOptions(use_threads=threads > 1))
    return pyarrow.parquet.ParquetFile(file.path).iter_batches(65536, use_threads=threads > 1)
