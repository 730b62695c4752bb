"""Lines of JSON to a Parquet file, a few thousand at a time."""

import os
from itertools import islice
from pathlib import Path
from typing import Any

from dualres.judge.training_profile import Difference
from dualres.utils.json_text import json_value

AT_ONCE = 10_000  # rows


def write_parquet(lines: Path, path: Path) -> None:
    """A row for each line; the file appears when it is complete."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = _schema(pa)
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with lines.open(encoding="utf-8") as file, pq.ParquetWriter(unfinished, schema) as writer:
            rows = map(_row, file)
            while some := list(islice(rows, AT_ONCE)):
                writer.write_table(pa.Table.from_pylist(some, schema=schema))
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


def _schema(pa: Any) -> Any:
    text, number = pa.string(), pa.float64()
    columns = {
        "file": text,
        "channel": text,
        "start_s": number,
        "end_s": number,
        "verdict": text,
        "probability": number,
        "runner_up": text,
        "probabilities": pa.map_(text, number),
        "windows": pa.int64(),
        "error": text,
        "differences": pa.list_(text),
        "answer": text,
        "set": pa.list_(text),
        "reason": text,
        "calibrated": number,
        "speed_rpm": number,
        "run": text,
    }
    return pa.schema(list(columns.items()))


def _row(line: str) -> dict[str, Any]:
    said: dict[str, Any] = json_value(line)
    speed = said.get("speed")
    return said | {
        "probabilities": list(said.get("probabilities", {}).items()),
        "differences": [str(Difference(**one)) for one in said.get("differences", ())],
        "speed_rpm": speed["rpm"] if speed else None,
    }
