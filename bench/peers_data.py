"""The data of the comparisons with peers: the paper's streams, in memory and in files, the same for everyone."""

from pathlib import Path
from typing import NamedTuple

import numpy as np

import streams
from laws import Cells, lognormal, pareto
from tailproof.state import aligned

MEGABYTES = 64  # more than a processor keeps close by, so that memory is read
QUICK = 8


class Rows(NamedTuple):
    X: Cells
    y: Cells
    truth: Cells

    def first(self, rows: int) -> "Rows":
        return Rows(self.X[:rows], self.y[:rows], self.truth)

    @property
    def width(self) -> int:
        return int(self.X.shape[1])

    def __len__(self) -> int:
        return len(self.X)


def line(width: int, megabytes: int = MEGABYTES) -> Rows:
    """Features Pareto 4.1, noise Pareto 2.1, slopes of length 1: the paper's regression."""
    return kept(streams.STREAMS["paper"](np.random.default_rng(41), height(width, megabytes), width))


def odds(width: int, megabytes: int = MEGABYTES) -> Rows:
    """Zeros and ones with the logistic chance of a line."""
    return kept(streams.CHANCES["Pareto x"](np.random.default_rng(42), height(width, megabytes), width))


def means(width: int, megabytes: int = MEGABYTES) -> Rows:
    """Pareto 2.1 in every column, centred."""
    X = pareto(2.1)(np.random.default_rng(43), height(width, megabytes), width)
    return kept(streams.Sample(X, np.zeros(len(X)), np.zeros(width)))


def height(width: int, megabytes: int) -> int:
    return (megabytes << 20) // 8 // width


def kept(sample: streams.Sample) -> Rows:
    """In memory that starts on a cache line, which helps everyone alike."""
    X, y = aligned(sample.X.shape), aligned(len(sample.y))
    X[...], y[...] = sample.X, sample.y
    return Rows(X, y, sample.slopes)


# ---------------------------------------------------------------------------------------------------------- files


class File(NamedTuple):
    path: Path
    rows: int
    means: Cells


FORMATS = {"uncompressed Parquet": 1_000_000, "zstd Parquet": 1_000_000, "CSV": 200_000}


def file(folder: Path, kind: str, rows: int, width: int = 20) -> File:
    """Columns of lognormal values, all different, as measurements are."""
    import pyarrow as pa
    import pyarrow.csv
    import pyarrow.parquet

    cells = lognormal(1.0)(np.random.default_rng(44), rows, width)
    table = pa.table({f"x{j}": cells[:, j] for j in range(width)})
    path = folder / ("rows.csv" if kind == "CSV" else f"{kind.split()[0]}.parquet")
    if kind == "CSV":
        pyarrow.csv.write_csv(table, path)
    else:
        compression = "zstd" if kind.startswith("zstd") else "none"
        pyarrow.parquet.write_table(table, path, compression=compression, use_dictionary=False)
    return File(path, rows, cells.mean(axis=0))
