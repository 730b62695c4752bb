"""Macro-F1 over the labelled budget: learning curves, and duration at fixed coverage."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.axes import Axes

from dualres.bench.paper.protocol import FINALISTS, GEARBOX_BUDGETS
from dualres.bench.report.captions import left_out, times
from dualres.bench.report.names import dataset_name, method_name
from dualres.bench.report.plots.picture import LOOKS, Picture, finished, legend_above, ran, said_of
from dualres.bench.report.registry import draws_figure
from dualres.bench.report.results import Cell, Results
from dualres.learn.fold import Budget
from dualres.utils.figures import MUTED, RULE, SINGLE, canvas, label_ends, percent_axis

COVERAGE = max(budget.recordings for budget in GEARBOX_BUDGETS)
WIDENING = tuple(b for b in GEARBOX_BUDGETS if b.windows == GEARBOX_BUDGETS[0].windows)  # more recordings
LENGTHENING = tuple(b for b in GEARBOX_BUDGETS if b.recordings == COVERAGE)  # more of each recording

Points = dict[str, list[tuple[float, Cell]]]  # per method: labelled seconds per class, and the cell


@draws_figure("learning_curves")
def learning_curves(results: Results, dataset: str) -> Picture | None:
    """All seven budgets; recordings are added first, then duration."""
    if not (points := _points(results, dataset, GEARBOX_BUDGETS)):
        return None
    figure, axes = canvas(SINGLE, 2.45)
    axes[0, 0].set_xscale("log")
    _draw(axes[0, 0], points, GEARBOX_BUDGETS)
    mark_turn(axes[0, 0], _seconds(points))
    legend_above(axes[0, 0], ncols=len(points))
    caption = said_of(
        _cells(points),
        f"Recording macro-F1 ({dataset_name(dataset)}) over seven label budgets (recordings per class "
        f"\N{MULTIPLICATION SIGN} windows of 0.512 s per recording). The first {len(WIDENING)} add recordings, the "
        "others lengthen what is labelled of the same recordings.",
        "Bands",
    )
    title, missing = f"Learning curves, {dataset_name(dataset)}", left_out(FINALISTS, points)
    return finished(results, figure, f"learning_curves_{dataset}", title, *caption, missing=[missing])


@draws_figure("fixed_coverage")
def fixed_coverage(results: Results, dataset: str) -> Picture | None:
    """More seconds of the same recordings."""
    if not (points := _points(results, dataset, LENGTHENING)):
        return None
    figure, axes = canvas(SINGLE, 2.2)
    label_ends(axes[0, 0], _draw(axes[0, 0], points, LENGTHENING))
    lead = f"Recording macro-F1 ({dataset_name(dataset)}) when more is labelled of the same {COVERAGE} recordings"
    caption = said_of(_cells(points), f"{lead} per class.", "Bands")
    title, missing = f"Duration at fixed coverage, {dataset_name(dataset)}", left_out(FINALISTS, points)
    return finished(results, figure, f"fixed_coverage_{dataset}", title, *caption, missing=[missing])


def _points(results: Results, dataset: str, budgets: Sequence[Budget]) -> Points:
    points: Points = {}
    for method in ran(results, dataset, FINALISTS):
        cells = [results.f1(dataset=dataset, method=method, budget=budget) for budget in budgets]
        points[method] = [(cell.labelled_s, cell) for cell in cells if cell.mean is not None and cell.labelled_s]
    return {method: found for method, found in points.items() if found}


def _draw(axes: Axes, points: Points, budgets: Sequence[Budget]) -> list[tuple[float, float, str, str]]:
    """Where each line ends, its name and its colour."""
    seconds = _seconds(points)
    ends, top = [], 0.0
    for method, found in points.items():
        look = LOOKS[method]
        by_budget = {cell.entries[0].job.budget: cell for _, cell in found}
        cells = [by_budget.get(budget) for budget in budgets if budget in seconds]
        x = [seconds[budget] for budget in budgets if budget in seconds]
        y = [math.nan if cell is None or cell.mean is None else cell.mean for cell in cells]
        sd = [0.0 if cell is None else cell.sd or 0.0 for cell in cells]
        low, high = ([a + sign * b for a, b in zip(y, sd, strict=True)] for sign in (-1, 1))
        axes.fill_between(x, low, high, color=look.colour, alpha=0.22, linewidth=0)
        axes.plot(x, y, color=look.colour, marker=look.marker, linestyle=look.line, label=method_name(method))
        last = max(i for i, value in enumerate(y) if not math.isnan(value))
        ends.append((x[last], y[last], method_name(method), look.colour))
        top = max(top, *(value for value in high if not math.isnan(value)))
    budget_axis(axes, {budget: seconds[budget] for budget in budgets if budget in seconds})
    percent_axis(axes, top)
    return ends


def budget_axis(axes: Axes, seconds: Mapping[Budget, float]) -> None:
    axes.set_xlabel("unique labelled seconds per class, and recordings\N{MULTIPLICATION SIGN}windows")
    axes.set_xticks(list(seconds.values()), [f"{s:.1f}\n{times(budget)}" for budget, s in seconds.items()])
    axes.minorticks_off()


def _cells(points: Points) -> list[Cell]:
    return [cell for found in points.values() for _, cell in found]


def _seconds(points: Points) -> dict[Budget, float]:
    return {e.job.budget: s for found in points.values() for s, cell in found for e in cell.entries}


def mark_turn(axes: Axes, seconds: Mapping[Budget, float]) -> None:
    """Where added recordings end and added duration begins."""
    before, after = (seconds.get(LENGTHENING[i]) for i in (0, 1))
    if before is None or after is None:
        return
    axes.axvline(math.sqrt(before * after), color=RULE, linewidth=0.8, zorder=0)
    place: Any = {"xycoords": ("data", "axes fraction"), "va": "bottom", "color": MUTED, "textcoords": "offset points"}
    axes.annotate("recordings \N{RIGHTWARDS ARROW}", (math.sqrt(before * after), 0), (-3, 3), ha="right", **place)
    axes.annotate("duration \N{RIGHTWARDS ARROW}", (math.sqrt(before * after), 0), (3, 3), ha="left", **place)
