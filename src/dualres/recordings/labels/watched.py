"""The rows of a list that is looked at again and again: only lines that have changed are understood anew."""

from itertools import compress, count
from operator import is_not
from pathlib import Path

from dualres.recordings.labels.names import NamesBelow
from dualres.recordings.labels.read import LabelRow, RowReader
from dualres.recordings.labels.table import LABELS, RawTable, columns_of, line_of, raw_table

_WHICH = ("file", "channel", "channels", "start_s", "end_s")  # columns that say which recording a row is about


class WatchedRows:
    """As `listed` gives them, with problems; a row that says the same as before is the very same."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._path = folder, folder / LABELS
        self._raw: RawTable | None = None
        self.forget()

    def forget(self) -> None:
        """Where the list leads may be another by now."""
        self._raw, self._rows = None, list[LabelRow]()

    def rows(self, text: str) -> list[LabelRow]:
        """Those of a list with this text."""
        return self.rows_and_changes(text, None)[0]

    def rows_and_changes(self, text: str, known: list[LabelRow] | None) -> tuple[list[LabelRow], list[int] | None]:
        """Also the places of those that are others than in `known`, which the last call gave, or that are new; None
        where any may be another."""
        raw = raw_table(self._path, text)
        columns = columns_of(raw.header, self._path) if raw.header else []
        changed = self._changed_in_place(raw, columns)
        fitting = changed is not None and known is self._rows and len(raw.rows) >= len(self._rows)
        if changed is None:
            self._reader, self._rows, changed = RowReader(self._path, NamesBelow(self._folder)), [], []
        rows, last = [*self._rows], self._raw
        for at in range(len(raw.rows), len(rows)):
            self._reader.forget(rows[at], last.numbers[at] if last else 0)
        del rows[len(raw.rows) :]
        for at in changed:
            rows[at] = self._reader.again(rows[at], line_of(raw.numbers[at], columns, raw.rows[at]))
        new = range(len(rows), len(raw.rows))
        for at in new:
            rows.append(self._reader.row_or_problem(line_of(raw.numbers[at], columns, raw.rows[at])))
        self._raw, self._rows = raw, rows
        return rows, [*changed, *new] if fitting else None

    def _changed_in_place(self, raw: RawTable, columns: list[str]) -> list[int] | None:
        """The rows that say something else of the same recording, where these and rows at the end are all that has
        changed; None where the list must be read from its beginning."""
        last = self._raw
        if last is None or (last.header, last.delimiter) != (raw.header, raw.delimiter):
            return None
        common = min(len(last.rows), len(raw.rows))
        if last.numbers[:common] != raw.numbers[:common]:
            return None
        which = [columns.index(name) for name in _WHICH if name in columns]
        others = compress(count(), map(is_not, last.rows, raw.rows))
        changed = [at for at in others if last.rows[at] != raw.rows[at]]
        if any(self._rows[at].problem or _of(last.rows[at], which) != _of(raw.rows[at], which) for at in changed):
            return None
        return changed


def _of(row: list[str], which: list[int]) -> list[str]:
    return [row[at].strip() if at < len(row) else "" for at in which]
