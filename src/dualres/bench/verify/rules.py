"""Words of a report that follow from its numbers by a rule, which the table names: applied anew.

A table's `rule` is a name in RULES and what that check takes beside the table itself.
"""

from collections.abc import Callable, Iterator, Mapping

import numpy as np
from scipy.stats import rankdata

from dualres.bench.campaign.studies import RIG
from dualres.bench.report.names import dataset_name
from dualres.bench.report.tables.duration import choose
from dualres.bench.report.tables.rigs import MEAN_GAIN
from dualres.bench.verify.numbers import number

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
