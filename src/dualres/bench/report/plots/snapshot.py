"""The overview: how the methods read a window, and macro-F1 of all of them over seven label budgets."""

import math
from collections.abc import Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dualres.bench.campaign.studies import RIG
from dualres.bench.methods import NAMES
from dualres.bench.paper.protocol import GEARBOX_BUDGETS
from dualres.bench.report.captions import counts, facts_of, in_words, left_out, times
from dualres.bench.report.names import dataset_name, method_name
from dualres.bench.report.plots.curves import budget_axis, mark_turn
from dualres.bench.report.plots.families import families
from dualres.bench.report.plots.picture import LOOKS, Picture, finished, ran, shared_seeds
from dualres.bench.report.registry import draws_figure
from dualres.bench.report.results import Cell, Results
from dualres.config import ModelConfig
from dualres.learn.fold import Budget
from dualres.utils.figures import DOUBLE, POINTS, percent_axis

CellGrid = dict[str, dict[Budget, Cell]]


@draws_figure("snapshot")
def snapshot(results: Results, dataset: str) -> Picture | None:
    """Families of methods on the left, learning curves of all of them on the right."""
    methods = ran(results, dataset, NAMES)
    seeds = shared_seeds(results, dataset, methods, GEARBOX_BUDGETS)
    cells: CellGrid = {
        method: {budget: results.f1(seeds, dataset=dataset, method=method, budget=budget) for budget in GEARBOX_BUDGETS}
        for method in methods
    }
    shown = [cell for row in cells.values() for cell in row.values()]
    if not any(cell.values for cell in shown):
        return None
    figure = Figure(figsize=(DOUBLE, 3.45), layout="constrained")
    ((left, right),) = figure.subfigures(1, 2, squeeze=False, width_ratios=(1, 1.06))
    families(left.add_axes((0, 0, 1, 1)))
    where = dataset_name(dataset) + (", shaped like MCC5" if dataset == RIG else "")
    axes = right.subplots()
    _curves(axes, cells)
    axes.text(0.03, 0.98, where, transform=axes.transAxes, va="top", fontsize=POINTS + 0.5)
    return finished(
        results,
        figure,
        f"snapshot_{dataset}",
        f"Overview, {where}",
        "Left: how representative classifiers read a window, a sequence of tokens, and how DualRes reads it, by two "
        "spectral views with common centres (short above, long below) and an oscillatory memory; schematic. Right: "
        f"recording macro-F1 ({where}) of all methods over seven label budgets (recordings per class "
        f"\N{MULTIPLICATION SIGN} windows of {ModelConfig().window_s:g} s per recording) under the common protocol.",
        counts(shown),
        facts_of(shown),
        _gaps(cells),
        missing=[left_out(NAMES, methods), _count(shown)],
    )


def _gaps(cells: CellGrid) -> str:
    """A sentence about budgets at which single methods were not run."""
    told = []
    for budget in GEARBOX_BUDGETS:
        ran_here = {method: row[budget].mean is not None for method, row in cells.items()}
        missing = [method_name(method) for method, there in ran_here.items() if not there]
        there = [method_name(method) for method, there in ran_here.items() if there]
        few = f"all but {in_words(there)}" if 0 < len(there) < len(missing) else in_words(missing)
        told += [f"{few} at {times(budget)}"] if missing else []
    return f"Not run: {'; '.join(told)}." if told else ""


def _count(cells: Sequence[Cell]) -> str:
    """The same in few words."""
    missing = sum(cell.mean is None for cell in cells)
    return f"Lines are open where a budget was not run: {missing} of {len(cells)} values." if missing else ""


def _curves(axes: Axes, cells: CellGrid) -> None:
    axes.set_xscale("log")
    every = [(budget, cell) for row in cells.values() for budget, cell in row.items() if cell.mean is not None]
    found = {budget: cell.labelled_s for budget, cell in every if cell.labelled_s}
    seconds = {budget: found[budget] for budget in GEARBOX_BUDGETS if budget in found}
    for method, row in reversed(cells.items()):  # the first on top
        look = LOOKS[method]
        means = [row[budget].mean for budget in seconds]
        y = [math.nan if mean is None else mean for mean in means]
        bold: Any = {"linewidth": 1.8, "markersize": 5} if method == "dualres" else {"linewidth": 1, "markersize": 3.8}
        edge: Any = {"markeredgecolor": "white", "markeredgewidth": 0.4}
        axes.plot(
            list(seconds.values()),
            y,
            color=look.colour,
            marker=look.marker,
            linestyle=look.line,
            label=method_name(method),
            **bold,
            **edge,
        )
    budget_axis(axes, seconds)
    mark_turn(axes, seconds)
    percent_axis(axes, max(cell.mean or 0 for _, cell in every))
    handles, _ = axes.get_legend_handles_labels()
    axes.legend(handles=handles[::-1], loc="lower left", bbox_to_anchor=(-0.02, 1), ncols=3, borderaxespad=0.2)
