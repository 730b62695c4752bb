"""Numbers and bold print of a report, computed again from its cells and from the scores of each job."""

import math
import re
import statistics
from collections.abc import Callable, Iterable, Iterator, Mapping

from dualres.bench.report.tables.fill import Value
from dualres.bench.verify.ledger import TOLERANCE, StoredJob

TableRecord = Mapping[str, str]
TablePlace = tuple[str, str, str]  # table, row and column

_SHOWN = re.compile(r"[+-]?[\d,]+(?:\.(\d+))?")


def number(text: str) -> float | None:
    """None where nothing is stated."""
    return float(text) if text else None


def said(value: float | None) -> str:
    return "none" if value is None else repr(value)


def close(one: float | None, other: float | None) -> bool:
    if one is None or other is None:
        return one is other
    return math.isclose(one, other, rel_tol=TOLERANCE, abs_tol=TOLERANCE)


def check_text(record: Mapping[str, str], mean: float | None) -> Iterator[str]:
    """The number that is shown must be the mean, rounded."""
    text = record["text"]
    shown = _SHOWN.match(text)
    if mean is None:
        if text not in ("not run", "n/a", "shared") and not text.endswith(("jobs", "datasets")):
            yield f"shows {text!r}, but there is no such number"
    elif not shown or abs(_seen(shown) - mean) > 0.5 * 10.0 ** -len(shown[1] or "") + TOLERANCE:
        yield f"shows {text!r} for {mean!r}"


def _seen(shown: re.Match[str]) -> float:
    return float(shown[0].replace(",", ""))


def counted(places: Iterable[TablePlace], thing: str) -> str:
    """ "2 cells (the first: bearing_macro_f1, CWRU, DualRes) are", and "is" for one."""
    places = list(places)
    where = ", ".join(places[0])
    return f"1 {thing} ({where}) is" if len(places) == 1 else f"{len(places)} {thing}s (the first: {where}) are"


def place_of(record: TableRecord) -> TablePlace:
    return record["table"], record["row"], record["column"]


def wrong_bold(records: Iterable[TableRecord], declared: Mapping[TablePlace, Value]) -> Iterator[str]:
    """A sentence where a table's bold print is not where its numbers, intervals or choice ask for it."""
    records = list(records)
    rivals: dict[str, list[TableRecord]] = {}
    expected: set[TablePlace] = set()
    for record in records:
        value = declared.get(place_of(record), Value(""))
        if value.emphasis in ("highest", "lowest"):
            rivals.setdefault(value.rivals, []).append(record)
        elif value.emphasis == "yes" == record["text"] or (value.emphasis == "interval" and _leaves_zero_out(record)):
            expected.add(place_of(record))
    for group in rivals.values():
        expected |= set(map(place_of, _best(group, lowest=declared[place_of(group[0])].emphasis == "lowest")))
    wrong = [place_of(record) for record in records if record["best"] != str(int(place_of(record) in expected))]
    if wrong:
        yield f"{counted(wrong, 'cell')} in bold print and should not be, or the other way round"


def _leaves_zero_out(record: TableRecord) -> bool:
    low, high = number(record["low"]), number(record["high"])
    return low is not None and high is not None and low * high > 0


def _best(rivals: list[TableRecord], *, lowest: bool) -> list[TableRecord]:
    """Those of the complete numbers that look best, where there are at least two to compare."""
    whole = [record for record in rivals if record["mean"] and int(record["n"]) == len(record["seeds"].split())]
    seen = [_seen(shown) for record in whole if (shown := _SHOWN.match(record["text"]))]
    if len(seen) < max(2, len(whole)):
        return []
    best = min(seen) if lowest else max(seen)
    return [record for record, each in zip(whole, seen, strict=True) if each == best]


JobGroups = dict[int, list[str]]  # seed -> beginnings of job keys
Pairs = dict[int, list[tuple[str, str]]]  # seed -> a job, and the one it is compared with

# Of the differences of each seed.
_SUMMARIES: Mapping[str, Callable[[list[list[float]]], float]] = {
    "": lambda seeds: statistics.fmean(each for seed in seeds for each in seed),
    "mean_gap": lambda seeds: statistics.fmean(abs(each) for seed in seeds for each in seed),
    "largest_gap": lambda seeds: max(abs(each) for seed in seeds for each in seed),
    "seeds_below": lambda seeds: sum(round(statistics.fmean(seed), 9) < 0 for seed in seeds),
}


def paired(jobs: Mapping[str, StoredJob], groups: JobGroups, against: JobGroups) -> Pairs:
    """Pairs of equal budget, fold and seed; a key that has no partner does not count."""

    def place(key: str) -> tuple[str, str]:
        return str(jobs[key].plan["budget"]), jobs[key].plan["fold"]

    found: Pairs = {}
    for seed, keys in groups.items():
        others = {place(key): key for key in against.get(seed, []) if key in jobs}
        pairs = [(key, others[place(key)]) for key in keys if key in jobs and place(key) in others]
        if pairs:
            found[seed] = pairs
    return found


def moments_of_pairs(
    metric: str, pairs: Pairs, score: Callable[[str, str], float]
) -> tuple[float | None, float | None, int]:
    """What "METRIC" or "METRIC:SUMMARY" says of the differences, their SD over seeds (of means), and how many."""
    name, _, summary = metric.partition(":")
    seeds = [[score(name, one) - score(name, other) for one, other in group] for group in pairs.values()]
    if not seeds:
        return None, None, 0
    spread = not summary and len(seeds) > 1
    sd = statistics.stdev(map(statistics.fmean, seeds)) if spread else None
    return _SUMMARIES[summary](seeds), sd, sum(map(len, seeds))
