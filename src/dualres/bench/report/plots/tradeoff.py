"""Accuracy against cost, with the front that no other method beats in both."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter, StrMethodFormatter
from matplotlib.transforms import Bbox

from dualres.bench.campaign.studies import NEURAL
from dualres.bench.paper.protocol import PRIMARY_BUDGET
from dualres.bench.report.names import method_name
from dualres.bench.report.plots.picture import LOOKS, ran, shared_seeds
from dualres.bench.report.results import Cell, Results
from dualres.utils.figures import DASHED, DOUBLE, MUTED, canvas, lay_out, percent_axis

PARAMETERS = "registered parameters"
PlotPosition = tuple[float, float]  # cost, macro-F1 in percent

# Where a name may stand: points from its mark, and how it is aligned there. The far ones get a line to their mark.
NEAR = (
    ((6, 0), "left", "center"),
    ((-6, 0), "right", "center"),
    ((0, 5), "center", "bottom"),
    ((0, -5), "center", "top"),
    ((5, 4), "left", "bottom"),
    ((-5, 4), "right", "bottom"),
    ((5, -4), "left", "top"),
    ((-5, -4), "right", "top"),
)
FAR = tuple(
    ((side * 16, height), "left" if side > 0 else "right", "center")
    for height in (11, -11, 21, -21, 31, -31)
    for side in (1, -1)
)
LEADER = {"arrowstyle": "-", "color": MUTED, "linewidth": 0.5, "shrinkA": 0.5, "shrinkB": 3}


def primary_cells(results: Results, dataset: str) -> dict[str, Cell]:
    """Macro-F1 at the primary budget of the neural methods that have one."""
    methods = ran(results, dataset, NEURAL)
    seeds = shared_seeds(results, dataset, methods, [PRIMARY_BUDGET])
    cells = {method: results.f1(seeds, dataset=dataset, method=method, budget=PRIMARY_BUDGET) for method in methods}
    return {method: cell for method, cell in cells.items() if cell.mean is not None}


def nondominated(points: Mapping[str, PlotPosition]) -> list[str]:
    """Those for which no other costs at most as much and scores at least as high, cheapest first."""
    front: list[str] = []
    best = float("-inf")
    for name, (_, score) in sorted(points.items(), key=lambda item: (item[1][0], -item[1][1])):
        if score > best:
            front.append(name)
            best = score
    return front


def parameters(cells: Mapping[str, Cell]) -> dict[str, float]:
    """Registered ones, of which every fit of a cell has as many."""
    return {method: float(cell.entries[0].outcome.facts["cost"]["registered"]) for method, cell in cells.items()}


def draw_fronts(cells: Mapping[str, Cell], costs: Mapping[str, Mapping[str, float]]) -> Figure:
    """The methods' scores against each of two costs, which are by name and method; not all have both."""
    figure, axes = canvas(DOUBLE, 2.5, 1, 2, sharey=True)
    percent_axis(axes[0, 0], 1.1 * max(cell.mean or 0 for cell in cells.values()))
    for letter, panel, (label, cost) in zip("ab", axes[0], costs.items(), strict=True):
        panel.set_title(f"({letter})")
        panel.set_xscale("log")
        panel.set_xlabel(label)
        draw_front(panel, {method: (cost[method], cells[method].mean or 0.0) for method in cells if method in cost})
    return figure


def draw_front(axes: Axes, points: Mapping[str, PlotPosition]) -> None:
    """Every method's mark and name, and the front; the cost axis is logarithmic, the other has its limits."""
    front = nondominated(points)
    line = zip(*(points[name] for name in front), strict=True)
    axes.plot(*line, color=MUTED, linewidth=0.9, linestyle=DASHED, zorder=1)
    edge: Any = {"markeredgecolor": "white", "markeredgewidth": 0.5}
    for name, (cost, score) in points.items():
        axes.plot(cost, score, LOOKS[name].marker, color=LOOKS[name].colour, markersize=6, **edge)
    least, most = (limit(cost for cost, _ in points.values()) for limit in (min, max))
    axes.set_xlim(least / 1.8, most * 1.8)
    axes.xaxis.set_major_formatter(StrMethodFormatter("{x:,.10g}"))
    if most / least < 100:  # too narrow to hold enough of a logarithmic axis' own labels
        axes.xaxis.set_major_locator(MaxNLocator(4) if most / least < 3 else LogLocator(subs=(1, 2, 5)))
    axes.xaxis.set_minor_formatter(NullFormatter())
    _name(axes, points)


def _name(axes: Axes, points: Mapping[str, PlotPosition]) -> None:
    """Each mark's name where it covers least of the marks and names already there."""
    scale = lay_out(axes) / 72
    inside = axes.get_window_extent()
    taken = [_around(axes.transData.transform(point), 4 * scale) for point in points.values()]
    corners = axes.transData.transform([points[name] for name in nondominated(points)])
    for start, end in pairwise(corners):  # spots along the front's line
        taken += [_around(start + share * (end - start), scale) for share in np.linspace(0, 1, 40)]
    for name, point in sorted(points.items(), key=lambda item: -item[1][1]):
        options: list[tuple[float, int, Any, Bbox]] = []
        for offset, ha, va in (*NEAR, *FAR):
            placing: dict[str, Any] = {"xytext": offset, "textcoords": "offset points", "ha": ha, "va": va}
            if len(options) >= len(NEAR):
                placing["arrowprops"] = LEADER
            probe = axes.annotate(method_name(name), point, offset, textcoords="offset points", ha=ha, va=va)
            box = probe.get_window_extent()
            probe.remove()
            outside = box.width * box.height - _covered(box, [inside])
            options.append((_covered(box, taken) + outside, len(options), placing, box))
            if options[-1][0] == 0:
                break
        _, _, best, box = min(options, key=lambda option: option[:2])
        axes.annotate(method_name(name), point, **best)
        taken.append(box)


def _around(centre: Any, radius: float) -> Bbox:
    return Bbox.from_extents(centre[0] - radius, centre[1] - radius, centre[0] + radius, centre[1] + radius)


def _covered(box: Bbox, others: Sequence[Bbox]) -> float:
    """Area in square pixels."""
    common = (Bbox.intersection(box, other) for other in others)
    return sum(part.width * part.height for part in common if part is not None)
