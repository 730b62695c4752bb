"""Lying bars in panels on one scale: position says what a bar is, so that colour need not."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from dualres.bench.methods import NAMES
from dualres.bench.paper.protocol import GEARBOX_BUDGETS, PAIR, PRIMARY_BUDGET
from dualres.bench.report.captions import counts, facts_of, left_out, span, times
from dualres.bench.report.names import class_name, dataset_name, method_name
from dualres.bench.report.plots.picture import LOOKS, Picture, finished, ran, shared_seeds, swatches_above
from dualres.bench.report.registry import draws_figure
from dualres.bench.report.results import Cell, Results, percent_accuracy, percent_f1
from dualres.bench.report.tables.fill import metric
from dualres.utils.figures import DASHED, DOUBLE, INK, MUTED, SINGLE, canvas, not_run, value_column

FAMILIES = {"H": "helical", "S": "spur"}  # by the first letter of a class of PHM2009
ROOM = 1.35  # of the longest bar, so that a column of values fits beside it


@draws_figure("gearbox_panels")
def gearbox_panels(results: Results, dataset: str) -> Picture | None:
    """A panel per budget: macro-F1 as bars, accuracy as marks."""
    methods = ran(results, dataset, NAMES)
    seeds = shared_seeds(results, dataset, methods, GEARBOX_BUDGETS)
    scores = {
        budget: [
            tuple(
                results.cell(score, seeds, dataset=dataset, method=method, budget=budget)
                for score in (percent_f1, percent_accuracy)
            )
            for method in methods
        ]
        for budget in GEARBOX_BUDGETS
    }
    cells = [cell for rows in scores.values() for pair in rows for cell in pair]
    if not any(cell.values for cell in cells):
        return None
    widest = max(cell.mean or 0 for cell in cells)  # accuracies among them
    figure, grid = canvas(DOUBLE, 1.3 + 0.3 * len(methods), 2, 4, sharex=True, sharey=True)
    for axes, (budget, rows) in zip(grid.flat, scores.items(), strict=False):
        exposure = next((f1.labelled_s for f1, _ in rows if f1.labelled_s is not None), None)
        axes.set_title(times(budget) + ("" if exposure is None else f": {exposure:.3f} s/class"))
        marks = [accuracy.mean for _, accuracy in rows]
        _rows(axes, [f1 for f1, _ in rows], [LOOKS[m].colour for m in methods], marks=marks)
        axes.set_yticks(range(len(methods)), [method_name(m) for m in methods])
        axes.tick_params(labelbottom=True)
    grid[0, 0].set_ylim(len(methods) - 0.45, -0.55)
    grid[0, 0].set_xticks(range(0, int(ROOM * widest) + 1, 25 if widest > 40 else 10))
    grid[0, 0].set_xlim(0, ROOM * widest)
    key = [
        Patch(color=LOOKS["dualres"].colour, label="macro-F1 (%),\nin the column"),
        Line2D([], [], color=INK, marker="|", linestyle="", markersize=7.5, markeredgewidth=1.4, label="accuracy (%)"),
    ]
    grid[1, 3].axis("off")
    grid[1, 3].legend(handles=key, loc="center left", borderaxespad=0)
    lead = (
        f"Recording macro-F1 (bars) and accuracy (marks) ({dataset_name(dataset)}) at seven label budgets, "
        "all on one scale. The first five budgets add recordings, the last two lengthen what is labelled of six."
    )
    title, caption = f"Nine methods at seven budgets, {dataset_name(dataset)}", (lead, counts(cells), facts_of(cells))
    return finished(results, figure, f"gearbox_{dataset}", title, *caption, missing=[left_out(NAMES, methods)])


@draws_figure("class_recall")
def class_recall(results: Results, dataset: str) -> Picture | None:
    methods = ran(results, dataset, PAIR)
    if not methods:
        return None
    seeds = shared_seeds(results, dataset, methods, [PRIMARY_BUDGET])
    classes = results.where(dataset=dataset)[0].outcome.classes
    cells = {
        method: [
            results.cell(metric(f"recall:{label}").of, seeds, dataset=dataset, method=method, budget=PRIMARY_BUDGET)
            for label in classes
        ]
        for method in methods
    }
    shown = [cell for row in cells.values() for cell in row]
    if not any(cell.values for cell in shown):
        return None
    figure, grid = canvas(SINGLE, 0.75 + 0.15 * len(methods) * len(classes))
    axes = grid[0, 0]
    thick = 0.84 / len(methods)
    for place, method in enumerate(methods):
        look = LOOKS[method]
        offset = (place - (len(methods) - 1) / 2) * thick
        _rows(axes, cells[method], [look.colour] * len(classes), offset=offset, thick=0.92 * thick, hatch=look.hatch)
    axes.set_yticks(range(len(classes)), [class_name(label) for label in classes])
    axes.set(ylim=(len(classes) - 0.5, -0.5), xlim=(0, 118), xticks=range(0, 101, 20), xlabel="recall (%)")
    _separate(axes, classes)
    swatches_above(axes, methods, ncols=2)
    families = "The dashed line separates helical from spur configurations." if _turns(classes) else ""
    judged = [int(count) for e in results.where(dataset=dataset) for count in e.outcome.confusion.sum(1)]
    return finished(
        results,
        figure,
        f"class_recall_{dataset}",
        f"Recall of each class, {dataset_name(dataset)}",
        f"Share of each class's recordings named right, averaged over the folds ({dataset_name(dataset)}); a fold has "
        f"{span(judged)} recordings of a class.",
        families,
        counts(shown),
        facts_of(shown),
        missing=[left_out(PAIR, methods)],
    )


def _rows(
    axes: Axes,
    cells: Sequence[Cell],
    colours: Sequence[str],
    *,
    offset: float = 0.0,
    thick: float = 0.7,
    hatch: str = "",
    marks: Sequence[float | None] | None = None,
) -> None:
    """One lying bar per cell. Its value stands beside it, or in a column of its own where marks show second values."""
    column = []
    for row, (cell, colour, mark) in enumerate(zip(cells, colours, marks or [None] * len(cells), strict=True)):
        if cell.mean is None:
            not_run(axes, 0, row + offset)
            continue
        axes.barh(row + offset, cell.mean, thick, color=colour, hatch=hatch, edgecolor="white", linewidth=0)
        value = f"{cell.mean:.1f}"
        if mark is None:
            axes.annotate(value, (cell.mean, row + offset), (3, 0), textcoords="offset points", va="center")
        else:
            axes.plot(mark, row + offset, "|", color=INK, markersize=7.5, markeredgewidth=1.4)
            column.append((row + offset, value))
    value_column(axes, column)
    axes.tick_params(axis="y", length=0)


def _separate(axes: Axes, classes: Sequence[str]) -> None:
    """A dashed line between families, and their names on the right."""
    turns = _turns(classes)
    for row in turns:
        axes.axhline(row, color=MUTED, linewidth=0.7, linestyle=DASHED)
    edges = [-0.5, *turns, len(classes) - 0.5] if turns else []
    for first, last in pairwise(edges):
        name, place = FAMILIES.get(classes[int(last - 0.5)][0], ""), (1, (first + last) / 2)
        beside: Any = {"xycoords": ("axes fraction", "data"), "rotation": 90, "color": MUTED}
        axes.annotate(name, place, ha="right", va="center", **beside)


def _turns(classes: Sequence[str]) -> list[float]:
    """Between which rows numbered families of classes change, as from H6 to S1; none where classes have names."""
    if not all(label[1:].isdigit() for label in classes):
        return []
    return [i + 0.5 for i in np.flatnonzero(np.diff([ord(label[0]) for label in classes]))]
