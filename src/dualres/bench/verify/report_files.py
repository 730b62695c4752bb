"""Are the files of a report those that its ledger gives now? All tables are made again and compared."""

import csv
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from dualres.bench.campaign.ledger import Ledger
from dualres.bench.report.tables import all_tables
from dualres.bench.report.tables.fill import Table, Value
from dualres.bench.report.tables.write import CSV_NAME, cells, contents, read_settings
from dualres.bench.verify.numbers import TablePlace, TableRecord, close, counted, place_of
from dualres.utils.checksums import listed

NUMBERS = ("mean", "sd", "low", "high", "labelled_s")


@dataclass(frozen=True)
class FreshReport:
    """A report as the ledger gives it now."""

    tables: Mapping[str, Table]
    files: Mapping[str, str]  # by name

    def values(self, table: str) -> dict[TablePlace, Value]:
        """The cells of a table; none where the ledger gives no such table."""
        found = self.tables.get(table)
        return {(table, row, column): value for row, column, value in cells(found)} if found else {}


def regenerate(ledger: Ledger, directory: Path) -> FreshReport:
    """Make all tables again, by the settings that lie beside those in the directory."""
    settings = read_settings(directory)
    tables = all_tables(ledger, settings)
    return FreshReport({table.name: table for table in tables}, contents(tables, settings))


def differing(now: FreshReport, directory: Path, records: Sequence[TableRecord]) -> Iterator[str]:
    """What is not as the ledger gives it now, one sentence per file, or per table of the CSV file's `records`."""
    expected = dict(now.files)
    rows = list(csv.DictReader(expected.pop(CSV_NAME).splitlines()))
    yield from (f"{directory / CSV_NAME}: {sentence}" for sentence in _other_rows(records, rows))
    for name, content in expected.items():
        path = directory / name
        if not path.is_file():
            yield f"{path}: is missing, though the ledger gives it"
        elif path.read_bytes() != content.encode():
            yield f"{path}: is not what the ledger gives now; `dualres bench report` writes it again"
    for name in sorted(listed(directory).keys() - expected.keys() - {CSV_NAME}):
        yield f"{directory / name}: is listed as part of the report, but the ledger gives no such table"


def _other_rows(records: Sequence[TableRecord], rows: Sequence[TableRecord]) -> Iterator[str]:
    found, expected = ({place_of(record): record for record in each} for each in (records, rows))
    repeated = [place for place, count in Counter(map(place_of, records)).items() if count > 1]
    for places, words in (
        ([place for place in expected if place not in found], "missing"),
        ([place for place in found if place not in expected], "of no table that the ledger gives"),
        (repeated, "there more than once"),
    ):
        if places:
            yield f"{counted(places, 'row')} {words}"
    other: dict[str, dict[TablePlace, list[str]]] = {}  # by table
    for place in (place for place in expected if place in found):
        fields = [name for name in expected[place] if not _same(name, found[place][name], expected[place][name])]
        if fields:
            other.setdefault(place[0], {})[place] = fields
    for differing_cells in other.values():
        names = ", ".join(dict.fromkeys(name for fields in differing_cells.values() for name in fields))
        yield f"{counted(differing_cells, 'cell')} not what the ledger gives now ({names})"


def _same(name: str, one: str, other: str) -> bool:
    if name not in NUMBERS or not one or not other:
        return one == other
    try:
        return close(float(one), float(other))
    except ValueError:
        return False
