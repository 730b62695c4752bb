"""Which numbers should be in bold print: as their table declares it, told anew from what the CSV file shows."""

from collections.abc import Iterable, Iterator, Mapping

from dualres.bench.report.tables.model import Value
from dualres.bench.verify.numbers import number, shown_number
from dualres.bench.verify.report_files import TablePlace, TableRecord, counted, place_of


def wrong_bold(records: Iterable[TableRecord], declared: Mapping[TablePlace, Value]) -> Iterator[str]:
    """A sentence where a table's bold print is not where its numbers, intervals or choice ask for it."""
    records = list(records)
    rivals: dict[str, list[TableRecord]] = {}
    expected: set[TablePlace] = set()
    for record in records:
        value = declared.get(place_of(record), Value(""))
        if value.emphasis in ("highest", "lowest"):
            rivals.setdefault(value.rivals, []).append(record)
        elif (value.emphasis == "yes" and record["text"] == "yes") or (
            value.emphasis == "interval" and _leaves_zero_out(record)
        ):
            expected.add(place_of(record))
    for group in rivals.values():
        expected |= set(map(place_of, _best(group, lowest=declared[place_of(group[0])].emphasis == "lowest")))
    wrong = [place_of(record) for record in records if record["best"] != str(int(place_of(record) in expected))]
    if wrong:
        yield f"{counted(wrong, 'cell')} in bold print and should not be, or the other way round"


def _leaves_zero_out(record: TableRecord) -> bool:
    low, high = number(record["low"]), number(record["high"])
    return low is not None and high is not None and (low > 0 or high < 0)


def _best(rivals: list[TableRecord], *, lowest: bool) -> list[TableRecord]:
    """Those of the complete numbers that look best, where there are at least two to compare."""
    whole = [record for record in rivals if record["mean"] and int(record["n"]) == len(record["seeds"].split())]
    if len(whole) < 2:
        return []
    shown = [shown_number(record["text"]) for record in whole]
    best = min(shown) if lowest else max(shown)
    return [record for record, seen in zip(whole, shown, strict=True) if seen == best]
