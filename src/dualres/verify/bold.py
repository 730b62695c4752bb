"""Which numbers should be in bold print, told anew from what a table shows, row by row of the CSV file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from dualres.verify.remade import Place, counted, place_of

Record = Mapping[str, str]
NUMBER = re.compile(r"[\d,]+(?:\.\d+)?")
MORE_IS_BETTER = ("macro_f1", "accuracy", "recall")


def wrong_bold(records: Iterable[Record]) -> Iterator[str]:
    """A sentence where a table's bold print is not where its numbers, intervals or choice ask for it."""
    groups: dict[str, list[Record]] = {}
    expected: set[Place] = set()
    records = list(records)
    for record in records:
        if record["minus"]:
            bold = bool(record["low"]) and (float(record["low"]) > 0 or float(record["high"]) < 0)
        else:
            bold = (record["column"], record["text"]) == ("Chosen", "yes")
        if bold:
            expected.add(place_of(record))
        if rivals := _rivals(record):
            groups.setdefault(rivals, []).append(record)
    expected |= {place_of(record) for rivals in groups.values() for record in _best(rivals)}
    wrong = [place_of(record) for record in records if record["best"] != str(int(place_of(record) in expected))]
    if wrong:
        yield f"{counted(wrong, 'cell')} in bold print and should not be, or the other way round"


def _rivals(record: Record) -> str:
    """The name of those that the number competes with in its table; empty where it does not."""
    table, row, column = record["table"], record["row"], record["column"]
    if not record["metric"] or record["minus"] or table.startswith(("duration_", "recipes_", "bearing_hust_")):
        return ""
    if table.endswith("_every_seed"):
        return row
    if table.startswith("published_"):
        return _published(record)
    if table == "bearing_by_fold":
        return record["dataset"] if column == "Mean" else ""
    if table.startswith(("costs_tails_", "costs_memory_", "costs_workloads_", "costs_record_")):
        return ""
    if table.startswith(("fit_costs_", "costs_")):
        return "" if record["method"] == "minirocket" else column
    if table.startswith("optimisation_"):
        return column if record["metric"] == "macro_f1" else ""
    return column if table.startswith(("gearbox_", "pilot_")) else row


def _published(record: Record) -> str:
    """Only methods that were run with the same seeds compete."""
    table, column = record["table"], record["column"]
    if table in ("published_cwru", "published_rig"):
        return column
    return record["budget"] if table == "published_phm2009_budgets" and column.startswith("Mean macro") else ""


def _best(rivals: list[Record]) -> list[Record]:
    """Those of the complete numbers that look best, where there are at least two to compare."""
    whole = [record for record in rivals if record["mean"] and int(record["n"]) == len(record["seeds"].split())]
    if len(whole) < 2:
        return []
    shown = [_shown(record["text"]) for record in whole]
    best = max(shown) if rivals[0]["metric"].partition(":")[0] in MORE_IS_BETTER else min(shown)
    return [record for record, number in zip(whole, shown, strict=True) if number == best]


def _shown(text: str) -> float:
    found = NUMBER.match(text)
    if found is None:
        raise ValueError(f"{text!r} is not a number")
    return float(found[0].replace(",", ""))
