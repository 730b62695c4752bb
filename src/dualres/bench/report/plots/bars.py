"""Upright bars, one group per dataset or allocation and one bar per method."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patheffects import withStroke

from dualres.bench.paper.protocol import BEARING_BUDGET, FINALISTS
from dualres.bench.report.captions import in_words, left_out
from dualres.bench.report.names import dataset_name
from dualres.bench.report.plots.picture import LOOKS, Picture, finished, said_of, shared_seeds, swatches_above
from dualres.bench.report.registry import draws_figure
from dualres.bench.report.results import Cell, Results
from dualres.utils.figures import DOUBLE, INK, SINGLE, canvas, not_run, percent_axis

Group = Mapping[str, Cell]  # one cell per method


@draws_figure("bearing_bars")
def bearing_bars(results: Results) -> Picture | None:
    """Every dataset of the bearing study on one scale."""
    methods = [m for m in FINALISTS if results.where(method=m)]
    groups = {}
    for dataset in results.datasets():
        seeds = shared_seeds(results, dataset, methods, [BEARING_BUDGET])
        groups[dataset_name(dataset)] = {
            method: results.f1(seeds, dataset=dataset, method=method, budget=BEARING_BUDGET) for method in methods
        }
    groups = {name: group for name, group in groups.items() if any(cell.values for cell in group.values())}
    if not groups:
        return None
    figure, ((axes,),) = canvas(SINGLE if len(groups) * len(methods) <= 9 else DOUBLE, 2.3)
    draw_groups(axes, groups, methods)
    cells = [cell for group in groups.values() for cell in group.values()]
    percent_axis(axes, 1.05 * max((cell.mean or 0) + (cell.sd or 0) for cell in cells))
    swatches_above(axes, methods, ncols=len(methods))
    caption = said_of(cells, "Recording macro-F1 of the bearing study, all on one scale.", "Error bars")
    absent = [name for name in map(dataset_name, results.planned_datasets()) if name not in groups]
    missing = [left_out(FINALISTS, methods), f"Not run: {in_words(absent)}." if absent else ""]
    return finished(results, figure, "bearing_bars", "Bearing faults", *caption, missing=missing)


def draw_groups(axes: Axes, groups: Mapping[str, Group], methods: Sequence[str]) -> None:
    """An error bar is one sample SD."""
    thick = min(0.4, 0.82 / len(methods))
    axes.set_xlim(-0.55, len(groups) - 0.45)
    for place, method in enumerate(methods):
        look = LOOKS[method]
        x = np.arange(len(groups)) + (place - (len(methods) - 1) / 2) * thick
        cells = [group[method] for group in groups.values()]
        done = [(at, cell.mean, cell.sd) for at, cell in zip(x, cells, strict=True) if cell.mean is not None]
        where, heights = [at for at, *_ in done], [mean for _, mean, _ in done]
        axes.bar(where, heights, 0.92 * thick, color=look.colour, edgecolor="white", linewidth=0, hatch=look.hatch)
        for at, mean, sd in done:
            if sd is not None:
                bar = axes.errorbar(at, mean, sd, color=INK, linewidth=0.8, capsize=1.8, capthick=0.8)
                for part in (*bar.lines[1], *bar.lines[2]):
                    part.set_path_effects([withStroke(linewidth=1.8, foreground="white")])  # seen on dark bars, too
            top_of_bar = (at, mean + (sd or 0))
            axes.annotate(f"{mean:.1f}", top_of_bar, (0, 2), textcoords="offset points", ha="center", va="bottom")
        for at in (at for at, cell in zip(x, cells, strict=True) if cell.mean is None):
            not_run(axes, at, 0, upright=True)
    axes.set_xticks(range(len(groups)), groups)
    axes.tick_params(axis="x", length=0)
