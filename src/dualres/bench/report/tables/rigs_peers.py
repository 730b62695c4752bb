"""The table of peers: what people would pick instead of the default, rig by rig, and what the default is ahead by."""

import statistics
from collections.abc import Sequence
from dataclasses import replace

from dualres.bench.campaign.rigs import PEERS, PICKED, PICKED_TRAINED, RIGS, Rig
from dualres.bench.report.compare import interval
from dualres.bench.report.names import method_name
from dualres.bench.report.registry import makes_table
from dualres.bench.report.results import Results, has
from dualres.bench.report.tables.fill import NOT_RUN, Sheet, Table, Value, mark_best, metric
from dualres.bench.report.tables.rigs import DIGITS, INTERVALS_ARE, LEVEL, Contender, paired
from dualres.config import RECIPES
from dualres.model.kinds import ORDERS

OURS = Contender(method_name(ORDERS.method), ORDERS.method)
OTHERS = (
    *(Contender(method_name(name), name) for name in (*PEERS, *PICKED)),
    *(Contender(f"{method_name(name)}, {kind}", name, kind) for name in PICKED_TRAINED for kind in RECIPES),
)
NOTE = (
    "Every method learns from the same labelled windows and from nothing else; none is chosen by what it scores. A "
    "speed is told to the default and to those with orders in their names. Bold: best of each rig. "
    f"The last row is the default minus the best peer of the rig; the interval does not know that it is the best of "
    f"several. {INTERVALS_ARE}"
)


@makes_table("rigs_peers")
def rigs_peers(results: Results) -> Table | None:
    """The default and its peers by rigs; none where nobody has run a peer that is only planned here."""
    planned = [one for one in (OURS, *OTHERS) if _planned(one, results)]
    if not any(one.method in (*PICKED, *PICKED_TRAINED) and _ran(one, results) for one in planned):
        return None
    sheet = Sheet(results)
    columns = {rig.title: [_value(one, rig, results, sheet) for one in planned] for rig in RIGS}
    marked = {title: mark_best(values, title, DIGITS) for title, values in columns.items()}
    rows = [(Value(one.title), *(marked[rig.title][i] for rig in RIGS)) for i, one in enumerate(planned)]
    best = [_best(planned, columns[rig.title]) for rig in RIGS]
    said = [_difference(one, rig, results) for one, rig in zip(best, RIGS, strict=True)]
    rows.append((Value("Best peer"), *(Value(one.title if one else NOT_RUN) for one in best)))
    rows.append((Value("Default minus best peer"), *map(Value, said)))
    title = "Macro-F1 (%) of the default and of what people would pick instead"
    header = ("Method", *(rig.title for rig in RIGS))
    return sheet.made("rigs_peers", title, header, rows, labels=1, note=NOTE)


def _planned(one: Contender, results: Results) -> bool:
    return any(has(job, one.on(rig, results)) for rig in RIGS for job in results.planned.values())


def _ran(one: Contender, results: Results) -> bool:
    return any(results.where(**one.on(rig, results)) for rig in RIGS)


def _value(one: Contender, rig: Rig, results: Results, sheet: Sheet) -> Value:
    fields = one.on(rig, results)
    found = sheet.value(metric("macro_f1"), fields, results.planned_seeds(**fields))
    return replace(found, text=found.text if found.mean is None else f"{found.mean:.{DIGITS}f}", paper=None)


def _best(planned: Sequence[Contender], values: Sequence[Value]) -> Contender | None:
    """The peer with the highest mean of all its jobs on a rig."""
    means = {i: v.mean for i, v in enumerate(values) if planned[i] != OURS and v.complete and v.mean is not None}
    return planned[max(means, key=means.__getitem__)] if means else None


def _difference(peer: Contender | None, rig: Rig, results: Results) -> str:
    """The default minus the peer in percentage points, with its interval, in words."""
    if peer is None:
        return NOT_RUN
    folds = list(paired(*(results.where(**one.on(rig, results)) for one in (OURS, peer))).values())
    if not folds:
        return NOT_RUN
    points = [100 * (mine.macro_f1 - theirs.macro_f1) for pairs in folds for mine, theirs in pairs]
    low, high = interval(folds, f"{rig.title} {OURS.title} {peer.title}", LEVEL)
    return f"{statistics.fmean(points):+.1f} [{low:+.1f}, {high:+.1f}]"
