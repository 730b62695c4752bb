"""Numbers, bold print and words of a report, computed again from its cells and from the scores of each job."""

import math
import re
import statistics
from collections.abc import Callable, Iterable, Iterator, Mapping

import numpy as np
from scipy.stats import rankdata

from dualres.bench.campaign.studies import RIG
from dualres.bench.report.names import dataset_name
from dualres.bench.report.tables.duration import choose
from dualres.bench.report.tables.fill import Value
from dualres.bench.report.tables.rigs import MEAN_GAIN
from dualres.bench.verify.ledger import TOLERANCE, StoredJob

TableRecord = Mapping[str, str]
TablePlace = tuple[str, str, str]  # table, row and column

_SHOWN = re.compile(r"[+-]?[\d,]+(?:\.(\d+))?")


def number(text: str) -> float | None:
    """None where nothing is stated."""
    return float(text) if text else None


def shown_number(text: str) -> float:
    """The number that a cell's text begins with."""
    found = _SHOWN.match(text)
    if found is None:
        raise ValueError(f"{text!r} is not a number")
    return float(found[0].replace(",", ""))


def close(one: float | None, other: float | None) -> bool:
    if one is None or other is None:
        return one is other
    return math.isclose(one, other, rel_tol=TOLERANCE, abs_tol=TOLERANCE)


def check_text(record: Mapping[str, str], mean: float | None) -> Iterator[str]:
    """The number that is shown must be the mean, rounded."""
    text = record["text"]
    shown = _SHOWN.match(text)
    if mean is None:
        if text not in ("not run", "n/a") and not text.endswith(("jobs", "datasets")):
            yield f"shows {text!r}, but there is no such number"
        return
    places = len(shown[1] or "") if shown else 0
    if not shown or abs(shown_number(text) - mean) > 0.5 * 10.0**-places + TOLERANCE:
        yield f"shows {text!r} for {mean!r}"


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


RuleRecord = dict[str, str]
CellRecords = dict[tuple[str, str], RuleRecord]  # of one table, by row and column
RuleCheck = Callable[..., Iterator[str]]  # of all tables' cells, the table's name, and the rest of its rule


def check_choice(tables: Mapping[str, CellRecords], name: str) -> Iterator[str]:
    """The chosen number of updates."""
    cells = tables[name]
    updates = [row for row, column in cells if column == "Chosen"]
    means = {row: [number(cells[row, f"Mean {m}"]["mean"]) for m in ("macro-F1", "log loss")] for row in updates}
    found = {int(row): (score, loss) for row, (score, loss) in means.items() if score is not None and loss is not None}
    chosen = choose(found) if len(found) == len(updates) else None
    for row in updates:
        expected = "undecided" if chosen is None else "yes" if int(row) == chosen else "no"
        if cells[row, "Chosen"]["text"] != expected:
            yield f"{name}, {row} updates: chosen is {cells[row, 'Chosen']['text']!r}, the rule says {expected!r}"


def check_ranks(tables: Mapping[str, CellRecords], name: str, ranked: str) -> Iterator[str]:
    """Mean ranks over the datasets of the table `ranked`, of which every method is complete."""
    scores = tables[ranked]
    columns = list(dict.fromkeys(column for _, column in scores))
    rows = [row for row in dict.fromkeys(row for row, _ in scores) if row != dataset_name(RIG)]
    whole = [
        row for row in rows if all(int(scores[row, c]["n"]) == len(scores[row, c]["seeds"].split()) for c in columns)
    ]
    means = [[-round(float(scores[row, c]["mean"]), 9) for c in columns] for row in whole]
    ranks = dict(zip(columns, rankdata(means, axis=1).mean(0), strict=True))
    for (method, _), record in tables[name].items():
        if record["text"] != f"{ranks[method]:.2f}":
            yield f"{name}, {method}: mean rank is {record['text']}, the scores give {ranks[method]:.2f}"


def check_across_rigs(tables: Mapping[str, CellRecords], name: str, scored: str, chosen_from: str) -> Iterator[str]:
    """The candidate that is chosen for each row's rig, from the scores on "all" rigs or on the "others"."""
    scores, cells = tables[scored], tables[name]
    candidates = [row for row, column in scores if column == MEAN_GAIN and scores[row, column]["text"]]
    rigs = [row for row, column in cells if column == "Chosen"]
    means = np.array([[float(scores[row, rig]["mean"]) for rig in rigs] for row in candidates])
    gained = means - means[candidates.index("paper")]
    for place, rig in enumerate(rigs):
        used = gained if chosen_from == "all" else np.delete(gained, place, axis=1)
        ranked = np.where(used.min(1) < -2, -np.inf, used.mean(1))
        expected = candidates[int(ranked.argmax())]
        if (found := cells[rig, "Chosen"]["text"]) != expected:
            yield f"{name}, {rig}: chosen is {found!r}, the rule says {expected!r}"


RULES: Mapping[str, RuleCheck] = {"choice": check_choice, "ranks": check_ranks, "across_rigs": check_across_rigs}
