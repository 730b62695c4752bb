"""What more labels are worth, as the paper asks it: (a) more recordings, (b) longer ones, (c) the same windows spread.

The panels are of two studies, one of several seeds and one of a single seed, on one scale.
"""

from collections.abc import Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from dualres.bench.paper.protocol import ALLOCATIONS, FINALISTS, PAIR
from dualres.bench.report.captions import left_out, sentences, times
from dualres.bench.report.names import dataset_name, method_name
from dualres.bench.report.plots.bars import draw_groups
from dualres.bench.report.plots.curves import COVERAGE, LENGTHENING, WIDENING, CurvePoints, curve_points, draw_curves
from dualres.bench.report.plots.picture import LOOKS, Picture, finished, ran, said_of, shared_seeds
from dualres.bench.report.results import Cell, Results
from dualres.utils.figures import DOUBLE, MUTED, canvas, percent_axis, printed

LINES, BARS = "replication", "allocation"  # studies


@printed()
def data_efficiency(lines: Results | None, bars: Results | None, dataset: str) -> Picture | None:
    """Panels of what was run; words stand in a panel of which nothing was."""
    widening, lengthening = (_points(lines, dataset, budgets) for budgets in (WIDENING, LENGTHENING))
    groups = _groups(bars, dataset)
    cells = [cell for points in (widening, lengthening) for found in points.values() for _, cell in found]
    allocated = [cell for group in groups.values() for cell in group.values()]
    shown = [cell for cell in (*cells, *allocated) if cell.mean is not None]
    source = lines if cells else bars
    if source is None or not shown:
        return None
    figure, ((wide, long, spread),) = canvas(DOUBLE, 2.5, 1, 3, sharey=True, width_ratios=(1.25, 0.9, 1))
    wide.set_xscale("log")
    for axes, points, budgets in ((wide, widening, WIDENING), (long, lengthening, LENGTHENING)):
        if points:
            draw_curves(axes, points, budgets)
        else:
            _nothing(axes)
    if any(cell.mean is not None for cell in allocated):
        draw_groups(spread, groups, [method for method in PAIR if method in next(iter(groups.values()))])
        spread.set_xlabel("recordings\N{MULTIPLICATION SIGN}windows of each")
    else:
        _nothing(spread)
    told = ("(a) more recordings", f"(b) longer, of the same {COVERAGE}", "(c) the same 12 windows")
    for axes, title in zip((wide, long, spread), told, strict=True):
        axes.set_title(title)
    percent_axis(wide, max((cell.mean or 0) + (cell.sd or 0) for cell in shown))
    for axes in (long, spread):
        axes.set_ylabel("")
    for axes in (wide, long):
        axes.set_xlabel("labelled seconds per class")
    methods = [method for method in FINALISTS if method in {*widening, *lengthening, *next(iter(groups.values()), {})}]
    figure.legend(handles=_key(methods, cells), loc="outside upper left", ncols=len(methods) + 1, borderaxespad=0)
    planned = len(methods) * (len(WIDENING) + len(LENGTHENING)) + len(allocated)
    gaps = planned - len(shown)
    where = dataset_name(dataset)
    return finished(
        source,
        figure,
        f"data_efficiency_{dataset}",
        f"What more labels are worth, {where}",
        f"Recording macro-F1 ({where}) (a) over recordings per class, of which four windows each are labelled, (b) "
        f"when more is labelled of the same {COVERAGE} recordings, and (c) when the same 12 windows per class come "
        "from one, three or six recordings.",
        _said(cells, "Panels a and b: bands", hollow=True),
        _said(allocated, "Panel c: error bars", hollow=False),
        missing=[left_out(FINALISTS, methods), f"{gaps} of {planned} values were not run." if gaps else ""],
    )


def _points(results: Results | None, dataset: str, budgets: Sequence[Any]) -> CurvePoints:
    return curve_points(results, dataset, budgets) if results else {}


def _groups(results: Results | None, dataset: str) -> dict[str, dict[str, Cell]]:
    """Of every allocation the cell of each method that has any, at the seeds that all have."""
    if results is None:
        return {}
    methods = ran(results, dataset, PAIR)
    seeds = shared_seeds(results, dataset, methods, ALLOCATIONS)
    return {
        times(budget): {method: results.f1(seeds, dataset=dataset, method=method, budget=budget) for method in methods}
        for budget in ALLOCATIONS
    }


def _nothing(axes: Axes) -> None:
    axes.text(0.5, 0.5, "not run", transform=axes.transAxes, ha="center", color=MUTED, fontstyle="italic")
    axes.set_xticks([])


def _key(methods: Sequence[str], cells: Sequence[Cell]) -> list[Line2D]:
    looks: list[Any] = [
        {"color": LOOKS[m].colour, "marker": LOOKS[m].marker, "linestyle": LOOKS[m].line, "label": method_name(m)}
        for m in methods
    ]
    found = [Line2D([], [], **look) for look in looks]
    hollow: Any = {"marker": "o", "linestyle": "", "color": MUTED, "markerfacecolor": "white"}
    single = any(len(cell.values) == 1 for cell in cells)
    return [*found, *([Line2D([], [], label="one seed", **hollow)] if single else [])]


def _said(cells: Sequence[Cell], shown_by: str, *, hollow: bool) -> str:
    """How many seeds are behind the cells of some panels, what shows their spread, and their conditions."""
    filled = [cell for cell in cells if cell.values]
    if not filled:
        return ""
    _, seeds, spread, conditions = said_of(filled, "", shown_by)
    panels = f"{shown_by.partition(':')[0]}:"
    single = hollow and any(len(cell.values) == 1 for cell in filled)
    return sentences(
        panels, seeds, spread, "A hollow mark is of one seed and has no band." if single else "", conditions
    )
