"""The published study: every seed of every fold as a dot, and the rig's learning curve seed by seed."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from dualres.bench.campaign.studies import CONTROLS_ON, RIG, folds_of
from dualres.bench.methods import CONTROL_NAMES, NAMES
from dualres.bench.paper import scores as paper
from dualres.bench.paper.protocol import GEARBOX_BUDGETS, SEEDS
from dualres.bench.report.captions import NOT_COMPARABLE, counts, facts, facts_of, left_out, seeds_in_words, span
from dualres.bench.report.names import dataset_name, method_name
from dualres.bench.report.plots.curves import budget_axis, mark_turn
from dualres.bench.report.plots.picture import LOOKS, Picture, finished, legend_above, ran
from dualres.bench.report.registry import draws_figure, register_figure
from dualres.bench.report.results import Cell, FinishedJob, Results
from dualres.utils.figures import ACCENT, DOUBLE, INK, MUTED, RULE, SINGLE, canvas, percent_axis, printed

EDGE: Any = {"markeredgecolor": "white", "markeredgewidth": 0.5, "clip_on": False}  # dots that touch stay apart
FIRST_FOLD: Any = {"color": ACCENT, "marker": "o", "markersize": 4.4, **EDGE}
SECOND_FOLD: Any = {"color": "#e69f00", "marker": "s", "markersize": 4.0, **EDGE}
MEAN: Any = {"color": INK, "marker": "|", "markersize": 11, "markeredgewidth": 1.5}
PAPER: Any = {"marker": "D", "markersize": 4.6, "markerfacecolor": "none", "markeredgecolor": INK, "zorder": 5}
ONE_SEED: Any = {"alpha": 0.55, "linewidth": 0.7}
APART = 0.17  # of a row, from its middle to a fold's dots
PAPER_SEEDS = {"phm2009": SEEDS[:1], "cwru": SEEDS}


@dataclass(frozen=True)
class _Row:
    name: str
    folds: tuple[tuple[float, ...], ...]  # of each fold, a value per seed
    mean: float
    said: str  # the mean in words
    count: str = ""  # of seeds, in words
    paper: float | None = None


@printed()
def method_dots(results: Results, dataset: str) -> Picture | None:
    """A row per method, the best mean at the top."""
    wanted = (*NAMES, *CONTROL_NAMES) if dataset == CONTROLS_ON else NAMES
    methods = ran(results, dataset, wanted)
    budget = results.main_budget(dataset)
    cells = {m: results.f1(dataset=dataset, method=m, budget=budget) for m in methods}
    cells = {method: cell for method, cell in cells.items() if cell.mean is not None}
    if not cells:
        return None
    rows = sorted((_method_row(results, dataset, *item) for item in cells.items()), key=lambda row: -row.mean)
    figure, grid = canvas(DOUBLE, 0.75 + 0.2 * len(rows))
    axes = grid[0, 0]
    highest = _dots(axes, rows)
    axes.set(xlim=(0, min(100.0, 1.08 * highest)), xlabel="macro-F1 (%)")
    _key(axes, dataset, any(row.paper is not None for row in rows))
    variant = results.variants().get(dataset)
    diamonds = f"Diamonds: the mean printed in the paper, of {seeds_in_words(PAPER_SEEDS[dataset])}."
    return finished(
        results,
        figure,
        f"published_{dataset}",
        f"Every seed of every fold, {dataset_name(dataset)}",
        f"Recording macro-F1 ({dataset_name(dataset)}) of every seed on both folds. Bars, and the numbers on the "
        f"right: means over both folds and n = {span(len(cell.seeds) for cell in cells.values())} seeds.",
        diamonds if any(row.paper is not None for row in rows) else "",
        f"{variant.capitalize()} of the recordings: {NOT_COMPARABLE}." if variant else "",
        facts_of(cells.values()),
        missing=[left_out(wanted, cells)],
    )


for _dataset in ("phm2009", "cwru"):
    register_figure(f"{_dataset}_dots", partial(method_dots, dataset=_dataset))


@draws_figure("control_dots")
def control_dots(results: Results) -> Picture | None:
    """Full model minus control, pair by pair."""
    pairs = {control: _pairs(results, control) for control in CONTROL_NAMES}
    pairs = {control: found for control, found in pairs.items() if found}
    if not pairs:
        return None
    rows = [_difference_row(control, found) for control, found in pairs.items()]
    figure, grid = canvas(SINGLE, 0.95 + 0.3 * len(rows))
    axes = grid[0, 0]
    axes.axvline(0, color=MUTED, linewidth=0.8, zorder=0)
    _dots(axes, rows)
    axes.margins(x=0.06)
    axes.set_xlabel("full \N{MINUS SIGN} control, macro-F1 (points)")
    _key(axes, CONTROLS_ON, paper_shown=False)
    n = {len({one.job.seed for one, _ in found}) for found in pairs.values()}
    caption = (
        f"Macro-F1 of the full model minus that of a control ({dataset_name(CONTROLS_ON)}), in percentage points, "
        "for every seed on both folds; right of zero favours the full model. Bars, and the numbers on the right: "
        f"means over both folds and n = {span(n)} seeds."
    )
    title = f"Worth of each component, pair by pair, {dataset_name(CONTROLS_ON)}"
    said = caption, facts(entry for found in pairs.values() for pair in found for entry in pair)
    return finished(results, figure, "published_controls", title, *said, missing=[left_out(CONTROL_NAMES, pairs)])


@draws_figure("rig_curve")
def rig_curve(results: Results) -> Picture | None:
    """Macro-F1 over the label budget; each seed of DualRes thin, the means thick."""
    curves: dict[str, list[Cell]] = {}
    for method in ran(results, RIG, ("dualres", "minirocket")):
        cells = [results.f1(dataset=RIG, method=method, budget=budget) for budget in GEARBOX_BUDGETS]
        curves[method] = [cell for cell in cells if cell.mean is not None]
    curves = {method: cells for method, cells in curves.items() if cells}
    if not curves:
        return None
    figure, grid = canvas(SINGLE, 2.45)
    axes = grid[0, 0]
    axes.set_xscale("log")
    for method, cells in curves.items():
        _curve(axes, method, cells)
    found = {c.entries[0].job.budget: c.labelled_s for cells in curves.values() for c in cells}
    seconds = {budget: s for budget in GEARBOX_BUDGETS if (s := found.get(budget)) is not None}
    budget_axis(axes, seconds)
    mark_turn(axes, seconds)
    percent_axis(axes, max(value for cells in curves.values() for cell in cells for value in cell.values))
    handles, _ = axes.get_legend_handles_labels()
    if any(len(cell.seeds) > 1 for cells in curves.values() for cell in cells):
        handles.append(Line2D([], [], color=LOOKS["dualres"].colour, **ONE_SEED, label="one seed"))
    legend_above(axes, handles=handles, ncols=3)
    every = [cell for cells in curves.values() for cell in cells]
    lead = (
        "Recording macro-F1 (Rig) over seven label budgets (recordings per class \N{MULTIPLICATION SIGN} windows of "
        "0.512 s per recording); mean over both folds. Thin lines are single seeds, thick ones their mean."
    )
    title, caption = "Learning curve of the rig, seed by seed", (lead, counts(every), facts_of(every))
    return finished(results, figure, "published_rig_curve", title, *caption)


def _method_row(results: Results, dataset: str, method: str, cell: Cell) -> _Row:
    assert cell.mean is not None
    whole = [entry for entry in cell.entries if entry.job.seed in cell.seeds]
    by_fold = tuple(tuple(entry.f1 for entry in whole if entry.job.fold == fold) for fold in folds_of(dataset))
    budget = results.main_budget(dataset)
    found = None if results.quick else paper.printed(dataset, method, budget, paper.F1, seeds=PAPER_SEEDS[dataset])
    count = f"n = {len(cell.seeds)}"
    return _Row(method_name(method), by_fold, cell.mean, f"{cell.mean:.1f}", count, found.mean if found else None)


def _pairs(results: Results, control: str) -> list[tuple[FinishedJob, FinishedJob]]:
    fields = {"dataset": CONTROLS_ON, "budget": results.main_budget(CONTROLS_ON)}
    found = [results.where(method=method, **fields) for method in ("dualres", control)]
    full, less = ({(entry.job.seed, entry.job.fold): entry for entry in entries} for entries in found)
    return [(full[place], less[place]) for place in sorted(full.keys() & less.keys())]


def _difference_row(control: str, pairs: Sequence[tuple[FinishedJob, FinishedJob]]) -> _Row:
    values = [(one.job.fold, one.f1 - other.f1) for one, other in pairs]
    by_fold = tuple(tuple(value for fold, value in values if fold == name) for name in folds_of(CONTROLS_ON))
    mean = statistics.fmean(value for _, value in values)
    return _Row(method_name(control), by_fold, mean, f"{mean:+.1f}".replace("-", "\N{MINUS SIGN}"))


def _dots(axes: Axes, rows: Sequence[_Row]) -> float:
    """From the top down; gives the highest value drawn."""
    highest = 0.0
    for place, row in enumerate(rows):
        axes.axhline(place, color=RULE, linewidth=0.4, zorder=0)
        for side, look, values in zip((-APART, APART), (FIRST_FOLD, SECOND_FOLD), row.folds, strict=True):
            axes.plot(values, [place + side] * len(values), linestyle="", **look)
        axes.plot([row.mean], [place], linestyle="", **MEAN)
        if row.paper is not None:
            axes.plot([row.paper], [place], linestyle="", **PAPER)
        beside: Any = {"xycoords": ("axes fraction", "data"), "textcoords": "offset points", "va": "center"}
        axes.annotate(row.said, (1, place), (24, 0), ha="right", annotation_clip=False, **beside)
        axes.annotate(row.count, (1, place), (29, 0), ha="left", annotation_clip=False, **beside)
        highest = max(highest, row.paper or 0, *(value for fold in row.folds for value in fold))
    axes.set_yticks(range(len(rows)), [row.name for row in rows])
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    return highest


def _key(axes: Axes, dataset: str, paper_shown: bool) -> None:
    looks = [*zip(folds_of(dataset), (FIRST_FOLD, SECOND_FOLD), strict=True), ("mean", MEAN)]
    if paper_shown:
        looks.append(("paper's mean", PAPER))
    handles = [Line2D([], [], linestyle="", label=name, **look) for name, look in looks]
    legend_above(axes, handles=handles, ncols=len(handles), handlelength=1)


def _curve(axes: Axes, method: str, cells: Sequence[Cell]) -> None:
    look = LOOKS[method]
    x = [cell.labelled_s or 0.0 for cell in cells]
    seeds = sorted({seed for cell in cells for seed in cell.seeds})
    for seed in seeds if len(seeds) > 1 else ():
        own = [(at, c.values[c.seeds.index(seed)]) for at, c in zip(x, cells, strict=True) if seed in c.seeds]
        axes.plot(*zip(*own, strict=True), **ONE_SEED, color=look.colour)
    means = [cell.mean or 0.0 for cell in cells]
    axes.plot(x, means, color=look.colour, marker=look.marker, linestyle=look.line, label=method_name(method))
