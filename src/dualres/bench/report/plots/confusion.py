"""Confusion matrices of the primary setting, methods side by side."""

import numpy as np
from matplotlib.axes import Axes

from dualres.bench.paper.protocol import FINALISTS, PRIMARY_BUDGET
from dualres.bench.report.captions import facts, left_out, times
from dualres.bench.report.names import class_name, dataset_name, method_name
from dualres.bench.report.plots.picture import Picture, finished, ran, shared_seeds
from dualres.bench.report.registry import draws_figure
from dualres.bench.report.results import Results
from dualres.learn.fold import Budget
from dualres.metrics import Counts
from dualres.utils.figures import DOUBLE, INK, SINGLE, canvas, printed

SMALLEST_CELL = 0.19  # inches, room for two digits
DARK = 0.55  # share of a row from which its number is white


@draws_figure("confusion")
def confusion(results: Results, dataset: str) -> Picture | None:
    """Of the study's finalists, at the primary budget, or at the study's own where it has another."""
    parts = [part for part in results.study.parts if dataset in part.datasets]
    primary = any(PRIMARY_BUDGET in part.budgets for part in parts)
    methods = tuple(name for name in FINALISTS if any(name in part.methods for part in parts))
    return confusion_matrices(results, dataset, PRIMARY_BUDGET if primary else results.main_budget(dataset), methods)


@printed()
def confusion_matrices(results: Results, dataset: str, budget: Budget, wanted: tuple[str, ...]) -> Picture | None:
    """Counts of recordings, summed over the folds of one seed; the shade is the share of the row."""
    methods = ran(results, dataset, wanted)
    seeds = shared_seeds(results, dataset, methods, [budget])[:1]
    found = {
        method: cell.entries
        for method in methods
        if (cell := results.f1(seeds, dataset=dataset, method=method, budget=budget)).values
    }
    if not found:
        return None
    classes = next(iter(found.values()))[0].outcome.classes
    words = max(len(class_name(label)) for label in classes) * 0.06
    edge = (SINGLE - words - 0.35) / len(found) / len(classes)
    width = SINGLE if edge >= SMALLEST_CELL else DOUBLE
    side = min((width - words - 0.35) / len(found) - 0.1, 0.26 * len(classes) + 0.4)
    figure, grid = canvas(width, side + words + 0.5, 1, len(found), sharey=True)
    for axes, (method, entries) in zip(grid[0], found.items(), strict=True):
        _draw(axes, np.sum([entry.outcome.confusion for entry in entries], axis=0), classes)
        axes.set_title(method_name(method))
    grid[0, 0].set_ylabel("truth")
    n = sum(len(entry.outcome.recordings) for entry in next(iter(found.values())))
    name, title = f"confusion_{results.study.name}_{dataset}", f"Confusion at {times(budget)}, {dataset_name(dataset)}"
    caption = (
        f"Recordings by true class (rows) and verdict (columns), {dataset_name(dataset)}, {times(budget)} (recordings "
        "per class \N{MULTIPLICATION SIGN} windows), summed over the folds of one seed; the shade is the share of the "
        f"row. n = {n} verdicts per method."
    )
    conditions = facts(entry for entries in found.values() for entry in entries)
    return finished(results, figure, name, title, caption, conditions, missing=[left_out(wanted, found)])


def _draw(axes: Axes, matrix: Counts, classes: tuple[str, ...]) -> None:
    count = len(classes)
    shares = matrix / np.maximum(matrix.sum(1, keepdims=True), 1)
    axes.imshow(shares, cmap="Blues", vmin=0, vmax=1.15, aspect="auto")
    for row, column in zip(*matrix.nonzero(), strict=True):
        colour, weight = "white" if shares[row, column] > DARK else INK, "bold" if row == column else "normal"
        axes.text(column, row, str(matrix[row, column]), ha="center", va="center", color=colour, fontweight=weight)
    names = [class_name(label) for label in classes]
    axes.set_xticks(range(count), names, rotation=90)
    axes.set_yticks(range(count), names)
    axes.set_xlabel("verdict")
    axes.set_xticks(np.arange(1, count) - 0.5, minor=True)
    axes.set_yticks(np.arange(1, count) - 0.5, minor=True)
    axes.grid(which="minor", color="white", linewidth=1)
    axes.tick_params(which="both", length=0)
    axes.spines[:].set_visible(False)
