"""Does a written report agree with the ledger?

Scores, means, spreads and bold print are computed again here, by other means than they were made. Intervals are not:
they, and the files as a whole, are made again by the same functions and compared.
"""

import csv
import math
import statistics
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from sklearn.metrics import accuracy_score, f1_score, recall_score

from dualres.bench.campaign.ledger import Ledger
from dualres.bench.profile.measurements import COSTS, FOLDER, MIB
from dualres.bench.report.adapted_scores import condition_of
from dualres.bench.report.results import Results
from dualres.bench.report.tables import all_tables
from dualres.bench.report.tables.fill import Table, Value
from dualres.bench.report.tables.write import COLUMNS, CSV_NAME, KEY_DIGITS, cells, contents, read_settings
from dualres.bench.verify.costs import check_cost
from dualres.bench.verify.ledger import DAMAGE, StoredJob, stored_jobs
from dualres.bench.verify.numbers import (
    JobGroups,
    TablePlace,
    TableRecord,
    check_text,
    close,
    counted,
    moments_of_pairs,
    number,
    paired,
    place_of,
    said,
    wrong_bold,
)
from dualres.errors import ConfigError, reason_of
from dualres.judge.batch_correction import corrected
from dualres.utils.checksums import check_sums, listed


def verify_tables(ledger: Ledger, directory: Path, studies: Mapping[str, Results] | None = None) -> list[str]:
    """What does not agree in a report's tables, one sentence each; `studies` as the report's settings give them."""
    path = directory / CSV_NAME
    known = _JobIndex(ledger)
    problems = check_sums(directory)
    rows, records = read_cells(path), []
    now: FreshReport | None = None
    try:
        settings = read_settings(directory)
        tables = all_tables(ledger, settings, studies)
        now = FreshReport({table.name: table for table in tables}, contents(tables, settings))
    except DAMAGE as error:
        problems.append(f"{directory}: its tables cannot be made again to be compared ({reason_of(error)})")
    for number_of_row, record in enumerate(rows, start=2):  # the header is the first
        where = f"{path}: {record['table']}, {record['row']}, {record['column']}"
        table = now.tables.get(record["table"]) if now else None
        try:
            problems += [f"{where}: {sentence}" for sentence in _check(record, known, table)]
        except DAMAGE as error:
            problems.append(f"{path}: row {number_of_row} cannot be read ({reason_of(error)})")
        else:
            records.append(record)
    if now:
        for name in dict.fromkeys(record["table"] for record in records):
            alike = [record for record in records if record["table"] == name]
            try:
                problems += [f"{path}: {sentence}" for sentence in wrong_bold(alike, now.values(name))]
            except DAMAGE as error:
                problems.append(f"{path}: {name}: cannot be checked as a whole ({reason_of(error)})")
        problems += differing(now, directory, rows)
    return problems


def read_cells(path: Path) -> list[dict[str, str]]:
    """The rows of a report's CSV file, one for each cell; what a short row lacks is empty."""
    try:
        with path.open(newline="", encoding="utf-8") as file:
            reader = csv.DictReader(file, restval="")
            rows = list(reader)
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise ConfigError(f"{path}: cannot be read ({error}); `dualres bench report` writes it") from error
    if tuple(reader.fieldnames or ()) != COLUMNS:
        raise ConfigError(f"{path}: has other columns than a report's; write it again with `dualres bench report`")
    return rows


class _JobIndex:
    """The stored jobs by the beginning of their key, each metric of each computed once; and where measurements lie."""

    def __init__(self, ledger: Ledger) -> None:
        self.measurements = ledger.path.parent / FOLDER
        self.jobs = {job.key[:KEY_DIGITS]: job for job in stored_jobs(ledger.path) if not job.damage}
        self._scores: dict[tuple[str, str], float] = {}

    def score(self, metric: str, key: str) -> float:
        if (metric, key) not in self._scores:
            self._scores[metric, key] = score(metric, self.jobs[key])
        return self._scores[metric, key]


def _check(record: dict[str, str], known: _JobIndex, table: Table | None) -> Iterator[str]:
    """What is wrong with one cell; `table` is what the ledger gives of its table, if anything."""
    if None in record:
        raise ConfigError(f"it has more than {len(COLUMNS)} fields")
    if not record["metric"]:
        return
    if table and table.measured:
        yield from check_cost(record, known.measurements, table.measured)
        return
    if not table and record["metric"] in COSTS:
        return  # nobody knows which measurements it is of
    jobs, groups = known.jobs, _groups(record["jobs"])
    whole = {seed: keys for seed, keys in groups.items() if all(key in jobs for key in keys)}
    for seed, keys in groups.items():
        for job in (jobs[key] for key in keys if key in jobs):
            yield from _check_plan(record, job, seed)
    if record["minus"]:
        pairs = paired(jobs, groups, _groups(record["minus"]))
        mean, sd, n = moments_of_pairs(record["metric"], pairs, known.score)
    else:
        values = [statistics.fmean(known.score(record["metric"], key) for key in keys) for keys in whole.values()]
        mean, sd, n = _moments(values)
    for name, expected in (("mean", mean), ("sd", sd)):
        if not close(number(record[name]), expected):
            yield f"{name} is {record[name] or 'not given'}, the stored scores give {said(expected)}"
    if int(record["n"]) != n:
        yield f"n is {record['n']}, the ledger has {n}"
    yield from check_text(record, mean)
    if not record["budget"]:  # over several
        return
    measured = [max(jobs[key].facts["labelled_s"].values()) for keys in whole.values() for key in keys]
    if any(not close(number(record["labelled_s"]), seconds) for seconds in measured):
        yield f"labelled seconds are {record['labelled_s']}, the ledger has {measured[0]}"


def _check_plan(record: dict[str, str], job: StoredJob, seed: int) -> Iterator[str]:
    plan = job.plan
    budget = f"{plan['budget']['recordings']}x{plan['budget']['windows']}"
    says = {"dataset": plan["dataset"], "budget": budget, "method": plan["method"]}
    for name, value in says.items():
        if record[name] not in (value, "") or plan["seed"] != seed or plan["fold"] not in record["folds"].split():
            yield f"job {job.key[:KEY_DIGITS]} behind it is of another {name}, seed or fold than it says"


def score(metric: str, job: StoredJob) -> float:
    """The metric of one job; NaN where it has none."""
    kind, _, detail = metric.replace("@", ":").partition(":")
    if kind not in _SCORES:
        raise ConfigError(f"there is no metric {metric!r}")
    return _SCORES[kind](job, detail)


def _labels(job: StoredJob) -> tuple[list[int], list[int]]:
    said = [max(range(len(scores)), key=scores.__getitem__) for *_, scores in job.judged]
    return [truth for _, truth, *_ in job.judged], said


def _recall(job: StoredJob, label: str) -> float:
    labels = [job.facts["classes"].index(label)]
    return 100 * float(recall_score(*_labels(job), labels=labels, average="macro", zero_division=0))


def _f1(job: StoredJob, said: list[int]) -> float:
    classes = list(range(len(job.facts["classes"])))
    return 100 * float(f1_score(_labels(job)[0], said, labels=classes, average="macro", zero_division=0))


def _together(job: StoredJob, dataset: str) -> float:
    conditions = [condition_of(dataset, name) if dataset else None for name, *_ in job.judged]
    return _f1(job, corrected([scores for *_, scores in job.judged], conditions).argmax(1).tolist())


def _log_loss(job: StoredJob, _: str) -> float:
    smallest = float(np.finfo(float).eps)
    return statistics.fmean(-math.log(max(scores[truth], smallest)) for _, truth, _, scores in job.judged)


def _cost(name: str, unit: int = 1) -> Callable[[StoredJob, str], float]:
    def of(job: StoredJob, _: str) -> float:
        value = job.facts["cost"][name]
        return math.nan if value is None else value / unit

    return of


def _own_cost(name: str, unit: int = 1) -> Callable[[StoredJob, str], float]:
    """NaN where several fits were done as one."""
    cost = _cost(name, unit)
    return lambda job, detail: cost(job, detail) if job.facts.get("fitted_together", 1) == 1 else math.nan


_SCORES: dict[str, Callable[[StoredJob, str], float]] = {
    "macro_f1": lambda job, _: _f1(job, _labels(job)[1]),
    "accuracy": lambda job, _: 100 * float(accuracy_score(*_labels(job))),
    "recall": _recall,
    "together": _together,
    "unlabelled_s": lambda job, _: 0.256 * sum(windows + 1 for _, _, windows, _ in job.judged),
    "log_loss": _log_loss,
    "loss": lambda job, update: job.steps[int(update) - 1][1],
    "classes_named": lambda job, _: float(len(set(_labels(job)[1]))),
    "top_share": lambda job, _: 100 * Counter(_labels(job)[1]).most_common(1)[0][1] / len(job.judged),
    "last_loss": lambda job, _: job.steps[-1][1] if job.steps else math.nan,
    "registered": _cost("registered"),
    "active": _cost("active"),
    "file_mib": _cost("file_bytes", MIB),
    "fit_s": _own_cost("fit_s"),
    "peak_mib": _own_cost("peak_bytes", MIB),
}


def _moments(values: list[float]) -> tuple[float | None, float | None, int]:
    if not values or any(map(math.isnan, values)):
        return None, None, len(values)
    return statistics.fmean(values), statistics.stdev(values) if len(values) > 1 else None, len(values)


def _groups(text: str) -> JobGroups:
    return {int(seed): keys.split() for seed, keys in (part.split(":") for part in text.split(";") if part)}


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
    try:
        return one == other or (name in NUMBERS and close(number(one), number(other)))
    except ValueError:
        return False
