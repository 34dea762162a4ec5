"""One table in every format."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq

FORMATS = ["csv", "parquet", "jsonl", "arrow"]


def written(format: str, columns: dict[str, Any], name: str = "a") -> str:
    """Writes the columns to a file; None is a missing value."""
    table, path = pa.table(columns), f"{name}.{format}"
    if format == "csv":
        pa_csv.write_csv(table, path)
    elif format == "parquet":
        pq.write_table(table, path, row_group_size=7)
    elif format == "jsonl":
        Path(path).write_text("".join(json.dumps(row) + "\n" for row in table.to_pylist()))
    else:
        with pa.ipc.new_file(path, table.schema) as writer:
            writer.write_table(table, max_chunksize=6)
    return path
