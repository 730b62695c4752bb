"""Measured latencies: of every method on every dataset, and beside its score."""

import math
from collections import Counter
from collections.abc import Iterable
from typing import Any

from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

from dualres.bench.campaign.studies import NEURAL
from dualres.bench.methods import NAMES
from dualres.bench.methods.catalog import entry
from dualres.bench.profile.measurements import Costs
from dualres.bench.report.captions import QUICK_COSTS_FIGURE, counts, facts_of, in_words, left_out, sentences
from dualres.bench.report.names import DEVICES, dataset_name, method_name
from dualres.bench.report.plots.picture import LOOKS, Picture, finished
from dualres.bench.report.plots.tradeoff import PARAMETERS, draw_fronts, parameters, primary_cells
from dualres.bench.report.registry import draws_figure
from dualres.bench.report.results import Results
from dualres.bench.report.tables.cost_lists import conditions, missing
from dualres.utils.figures import DOUBLE, INK, SINGLE, canvas, footnote, not_run, printed, value_column

COLUMNS = 4  # panels side by side, at most
ROOM = 8.0  # times the longest latency, so that a column of values fits beside the bars
SHORTEST = 4.0  # a logarithmic axis has no zero; it begins at the shortest latency divided by this
CPU_HATCH = "////"


@printed()
def latency_bars(costs: Costs) -> Picture:
    """A panel per dataset: the median latency of one window as bars, its 95th percentile as marks."""
    datasets, methods = costs.datasets, [method for method in costs.methods if method in NAMES]
    across = min(len(datasets), COLUMNS)
    down, width = math.ceil(len(datasets) / across), SINGLE if across == 1 else DOUBLE
    figure, grid = canvas(width, 0.6 + down * (0.35 + 0.15 * len(methods)), down, across, sharex=True, sharey=True)
    fastest = min(costs.value("window_ms", *place) or math.inf for place in costs.found)
    slowest = max(costs.value("window_p95_ms", *place) or 0 for place in costs.found)
    start = fastest / SHORTEST
    for axes, dataset in zip(grid.flat, datasets, strict=False):
        axes.set(title=dataset_name(dataset), xscale="log", xlim=(start, ROOM * slowest))
        for row, method in enumerate(methods):
            _bar(axes, row, costs, dataset=dataset, method=method, start=start)
        medians = ((row, costs.value("window_ms", dataset, method)) for row, method in enumerate(methods))
        value_column(axes, [(row, f"{ms:#.3g}".rstrip(".")) for row, ms in medians if ms is not None])
        axes.set_yticks(range(len(methods)), [method_name(method) for method in methods])
        axes.tick_params(axis="y", length=0)
        axes.tick_params(labelbottom=True)
        axes.xaxis.set_major_locator(LogLocator(10))
        axes.xaxis.set_major_formatter(StrMethodFormatter("{x:,.10g}"))
        axes.xaxis.set_minor_formatter(NullFormatter())
    for axes in grid.flat[len(datasets) - across : len(datasets)]:
        axes.set_xlabel(f"one window, {costs.way} (ms)")
    for axes in grid.flat[len(datasets) :]:
        axes.axis("off")
    grid[0, 0].set_ylim(len(methods) - 0.45, -0.55)
    figure.legend(handles=_key(costs), loc="outside upper left", ncols=2 if across == 1 else 3, borderaxespad=0)
    footnote(figure, QUICK_COSTS_FIGURE if costs.quick else "")
    caption = sentences(
        "Median (bars) and 95th percentile (marks) of the latency of one window, from host memory to host memory, "
        "on one logarithmic scale.",
        "Hatched: on the CPU." if costs.device == "cuda" else "",
        conditions(costs),
        missing(costs),
    )
    title = f"Latency of one window ({DEVICES[costs.device]}, {costs.way})"
    return Picture(f"latency_{costs.name}", title, caption, "", figure)


@draws_figure("score_and_latency")
def score_and_latency(results: Results, dataset: str, costs: Costs) -> Picture | None:
    """Macro-F1 at the primary budget against parameters, and against the latency of a window on one device.

    A method that was measured on another machine than most is not set beside them.
    """
    cells = primary_cells(results, dataset)
    same = on_one_machine(costs, dataset, cells)
    if not same:
        return None
    latencies = {method: costs.value("window_ms", dataset, method) or 0.0 for method in same}
    lacking = [method_name(method) for method in cells if method not in same]
    machine = _machine(costs, dataset, same[0])
    return finished(
        results,
        draw_fronts(cells, {PARAMETERS: parameters(cells), f"one window, {costs.way}, {machine} (ms)": latencies}),
        f"score_and_latency_{dataset}_{costs.name}",
        f"Accuracy and latency, {dataset_name(dataset)} ({DEVICES[costs.device]}, {costs.way})",
        f"Recording macro-F1 of neural methods ({dataset_name(dataset)}) against (a) registered parameters and (b) the "
        f"median latency of one window, from host memory to its scores there, all on one {machine}. The dashed line "
        "joins the methods that no other beats in both. MiniRocket, which runs on the CPU, is left to the tables.",
        counts(cells.values()),
        facts_of(cells.values()),
        conditions(costs.only([dataset], same)),
        missing=[left_out(NEURAL, cells), f"Latency not measured there: {in_words(lacking)}." if lacking else ""],
    )


def on_one_machine(costs: Costs, dataset: str, methods: Iterable[str]) -> list[str]:
    """Those of the methods that were measured on the machine on which most of them were."""
    measured = {method: _machine(costs, dataset, method) for method in methods if (dataset, method) in costs.found}
    most = Counter(measured.values()).most_common(1)
    return [method for method, machine in measured.items() if machine == most[0][0]]


def _machine(costs: Costs, dataset: str, method: str) -> str:
    return str(costs.found[dataset, method].facts["machine"]["device"])


def _bar(axes: Axes, row: int, costs: Costs, *, dataset: str, method: str, start: float) -> None:
    """From the axis' left end."""
    median, tail = (costs.value(name, dataset, method) for name in ("window_ms", "window_p95_ms"))
    if median is None or tail is None:
        not_run(axes, start, row)
        return
    hatch = CPU_HATCH if not entry(method).trains and costs.device == "cuda" else ""
    colour = LOOKS[method].colour
    axes.barh(row, median - start, 0.7, left=start, color=colour, hatch=hatch, edgecolor="white", linewidth=0)
    axes.plot(tail, row, "|", color=INK, markersize=7.5, markeredgewidth=1.2)


def _key(costs: Costs) -> list[Patch | Line2D]:
    tail: Any = {"color": INK, "marker": "|", "markersize": 7.5, "markeredgewidth": 1.2}
    cpu: Any = {"facecolor": LOOKS["minirocket"].colour, "hatch": CPU_HATCH, "edgecolor": "white", "linewidth": 0}
    bar = Patch(color=LOOKS["dualres"].colour, label="median, also in the column")
    mark = Line2D([], [], linestyle="", label="95th percentile", **tail)
    return [bar, mark, *([Patch(label="on the CPU", **cpu)] if costs.device == "cuda" else [])]
