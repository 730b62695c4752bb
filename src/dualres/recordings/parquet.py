"""Parquet: every column is a vector."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from dualres.recordings.listing import Array, Contents, Listed


def read_parquet(path: Path) -> Contents:
    """The columns by name; the format carries no sampling rate."""
    from pyarrow.parquet import ParquetFile

    file = ParquetFile(path)
    rows = file.metadata.num_rows
    contents: Contents = {}
    for field in file.schema_arrow:
        try:
            kind = np.dtype(field.type.to_pandas_dtype()).kind
        except (NotImplementedError, TypeError):
            kind = "O"
        contents[Listed(field.name, rows, kind)] = partial(_column, file, field.name)
    return contents


def _column(file: Any, name: str) -> Array:
    column: Array = file.read(columns=[name], use_threads=False).column(name).to_numpy()  # a null becomes NaN
    return column
