"""Curves of macro-F1 over the labelled budget, and the axis that they stand on."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.axes import Axes

from dualres.bench.paper.protocol import FINALISTS, GEARBOX_BUDGETS
from dualres.bench.report.captions import times
from dualres.bench.report.names import method_name
from dualres.bench.report.plots.picture import LOOKS, ran
from dualres.bench.report.results import Cell, Results
from dualres.learn.fold import Budget
from dualres.utils.figures import MUTED, RULE

COVERAGE = max(budget.recordings for budget in GEARBOX_BUDGETS)
WIDENING = tuple(b for b in GEARBOX_BUDGETS if b.windows == GEARBOX_BUDGETS[0].windows)  # more recordings
LENGTHENING = tuple(b for b in GEARBOX_BUDGETS if b.recordings == COVERAGE)  # more of each recording

CurvePoints = dict[str, list[tuple[float, Cell]]]  # per method: labelled seconds per class, and the cell


def curve_points(results: Results, dataset: str, budgets: Sequence[Budget]) -> CurvePoints:
    points: CurvePoints = {}
    for method in ran(results, dataset, FINALISTS):
        cells = [results.f1(dataset=dataset, method=method, budget=budget) for budget in budgets]
        points[method] = [(cell.labelled_s, cell) for cell in cells if cell.mean is not None and cell.labelled_s]
    return {method: found for method, found in points.items() if found}


def draw_curves(axes: Axes, points: CurvePoints, budgets: Sequence[Budget]) -> None:
    """A band is one sample SD on either side; a mark without one is hollow, as its spread is not known."""
    seconds = {e.job.budget: s for found in points.values() for s, cell in found for e in cell.entries}
    x = [seconds[budget] for budget in budgets if budget in seconds]
    for method, found in points.items():
        look = LOOKS[method]
        by_budget = {cell.entries[0].job.budget: cell for _, cell in found}
        cells = [by_budget.get(budget) for budget in budgets if budget in seconds]
        y = [math.nan if cell is None or cell.mean is None else cell.mean for cell in cells]
        sd = [math.nan if cell is None or cell.sd is None else cell.sd for cell in cells]
        low, high = ([a + sign * b for a, b in zip(y, sd, strict=True)] for sign in (-1, 1))
        axes.fill_between(x, low, high, color=look.colour, alpha=0.22, linewidth=0)
        axes.plot(x, y, color=look.colour, marker=look.marker, linestyle=look.line, label=method_name(method))
        values = zip(x, y, sd, strict=True)
        single = [(at, value) for at, value, spread in values if math.isnan(spread) and not math.isnan(value)]
        if single:
            axes.plot(*zip(*single, strict=True), look.marker, color=look.colour, markerfacecolor="white")
    budget_axis(axes, {budget: seconds[budget] for budget in budgets if budget in seconds})


def budget_axis(axes: Axes, seconds: Mapping[Budget, float]) -> None:
    axes.set_xlabel("labelled seconds per class, and recordings\N{MULTIPLICATION SIGN}windows")
    axes.set_xticks(list(seconds.values()), [f"{s:.1f}\n{times(budget)}" for budget, s in seconds.items()])
    axes.minorticks_off()


def mark_turn(axes: Axes, seconds: Mapping[Budget, float]) -> None:
    """Where added recordings end and added duration begins."""
    before, after = (seconds.get(LENGTHENING[i]) for i in (0, 1))
    if before is None or after is None:
        return
    axes.axvline(math.sqrt(before * after), color=RULE, linewidth=0.8, zorder=0)
    place: Any = {"xycoords": ("data", "axes fraction"), "va": "bottom", "color": MUTED, "textcoords": "offset points"}
    axes.annotate("recordings \N{RIGHTWARDS ARROW}", (math.sqrt(before * after), 0), (-3, 3), ha="right", **place)
    axes.annotate("duration \N{RIGHTWARDS ARROW}", (math.sqrt(before * after), 0), (3, 3), ha="left", **place)
