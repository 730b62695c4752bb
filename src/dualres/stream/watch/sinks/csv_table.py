"""A CSV table with a row per verdict."""

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from dualres.stream.watch.records import VerdictRecord
from dualres.stream.watch.sinks.sink import Sink, append
from dualres.utils.printable import table_cell

COLUMNS = (
    *("time", "stream", "kind", "number", "seconds", "label", "probability", "windows", "missing"),
    *("answer", "alarm", "condition", "id"),
)


class CsvTable(Sink):
    def send(self, records: Sequence[VerdictRecord]) -> None:
        rows = (_row([_cell(record.data, column) for column in COLUMNS]) for record in records)
        append(Path(self.name), "".join(rows), header=_row(COLUMNS))


def _cell(data: Mapping[str, Any], column: str) -> object:
    value = data.get(column, "")
    if column == "answer":
        value = " ".join([value, *data.get("set", [])])
    elif column == "condition":
        value = ",".join(f"{name}={known}" for name, known in value.items())
    elif column == "alarm":
        value = "" if not value else "raised" if value.get("raised") else "clear"
    return table_cell(value) if isinstance(value, str) else value


def _row(cells: Sequence[object]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow(cells)
    return text.getvalue()
