"""Training loss over updates, and the choice of how many."""

import math
from collections.abc import Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

from dualres.bench.campaign.studies import NEURAL
from dualres.bench.paper.protocol import PAIR
from dualres.bench.report.captions import counts, facts, in_words, left_out
from dualres.bench.report.names import dataset_name, method_name
from dualres.bench.report.plots.picture import LOOKS, Picture, finished, ran, shared_seeds
from dualres.bench.report.registry import draws_figure
from dualres.bench.report.results import Cell, FinishedJob, Results
from dualres.bench.report.tables.duration import chosen_updates
from dualres.config import Recipe
from dualres.utils.figures import DASHED, DOUBLE, MUTED, canvas, label_ends, percent_axis

LOWEST = 1e-4  # nats; below it a loss is zero for every purpose
FOLD_LINES: tuple[Any, ...] = ("-", (0, (4, 1.5)))


@draws_figure("training_loss")
def training_loss(results: Results, dataset: str) -> Picture | None:
    """Eight neural methods, a panel per fold, not smoothed."""
    methods, _, entries = _fits(results, dataset, NEURAL)
    if not methods:
        return None
    folds = sorted({entry.job.fold for entry in entries})
    figure, grid = canvas(DOUBLE, 2.75, 1, len(folds), sharey=True)
    for axes, fold in zip(grid[0], folds, strict=True):
        for place, method in enumerate(methods):
            for entry in (e for e in entries if (e.job.fold, e.job.method) == (fold, method)):
                _line(axes, entry, method, place / len(methods))
        axes.set(title=f"fold {fold}", xlabel="update", xlim=(0, None), yscale="log")
        axes.yaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
        axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes.yaxis.set_minor_formatter(NullFormatter())
        guess = math.log(len(entries[0].outcome.classes))
        axes.axhline(guess, color=MUTED, linewidth=0.7, linestyle=DASHED, zorder=0)
        lowest = min(step.loss for entry in entries for step in entry.outcome.history)
        axes.set_ylim(max(LOWEST, lowest / 1.5), 2.2 * max(guess, *(e.outcome.history[0].loss for e in entries)))
    grid[0, 0].set_ylabel("training loss (nats)")
    # On the right, where losses have fallen and nothing else is.
    right: Any = {"xycoords": ("axes fraction", "data"), "textcoords": "offset points", "ha": "right", "va": "bottom"}
    grid[0, 0].annotate("guessing", (1, guess), (-2, 1), color=MUTED, **right)
    labelled = {name: line for axes in grid[0] for line, name in zip(*axes.get_legend_handles_labels(), strict=True)}
    figure.legend(labelled.values(), labelled.keys(), loc="outside upper center", ncols=4, handlelength=3)
    caption = (
        f"Training cross-entropy ({dataset_name(dataset)}) of each update, not smoothed, n = 1 fit per line; the "
        f"dashed line is the loss of guessing. Losses below {LOWEST:g} nats are cut off."
    )
    title = f"Training loss, {dataset_name(dataset)}"
    missing = [left_out(NEURAL, methods), *(_lacking(entries, methods, fold) for fold in folds)]
    return finished(results, figure, f"training_loss_{dataset}", title, caption, facts(entries), missing=missing)


@draws_figure("duration_selection")
def duration_selection(results: Results, dataset: str) -> Picture | None:
    """Losses of the longest fits, and validation macro-F1 after each number of updates."""
    methods, seed, own = _fits(results, dataset, PAIR)
    if not methods:
        return None
    checkpoints = sorted({e.job.recipe.updates for e in own if e.job.recipe})
    longest = [e for e in own if e.job.recipe and e.job.recipe.updates == checkpoints[-1]]
    figure, grid = canvas(DOUBLE, 2.3, 1, len(methods) + 1)
    top = 1.25 * max(step.loss for entry in longest for step in entry.outcome.history)
    for axes, method in zip(grid[0], methods, strict=False):
        for style, entry in zip(FOLD_LINES, (e for e in longest if e.job.method == method), strict=False):
            colour, name = LOOKS[method].colour, f"fold {entry.job.fold}"
            axes.plot(*_history(entry), color=colour, linestyle=style, linewidth=1.1, label=name)
        axes.set(title=f"{method_name(method)}: training", xlabel="update", ylim=(0, top))
        axes.set(xlim=(0, checkpoints[-1] * 1.02), xticks=checkpoints)
        axes.legend(loc="upper right", ncols=2, handlelength=2.6, borderaxespad=0)
    grid[0, 0].set_ylabel("training loss (nats)")
    recipes, chosen = [Recipe(updates=count) for count in checkpoints], chosen_updates(results, dataset)
    cells = {m: [results.f1([seed], dataset=dataset, method=m, recipe=recipe) for recipe in recipes] for m in methods}
    _checkpoints(grid[0, -1], checkpoints, cells, chosen)
    return finished(
        results,
        figure,
        f"duration_{dataset}",
        f"How many updates, {dataset_name(dataset)}",
        f"Choosing the number of updates on source recordings alone ({dataset_name(dataset)}): training loss of "
        "the longest fits, not smoothed, and macro-F1 on the last source recording of every class, averaged over "
        f"the folds, after {in_words([str(count) for count in checkpoints])} updates. Held-out unit: one source "
        "recording of every class; no evaluation recording was opened.",
        "" if chosen is None else f"Chosen by the mean over methods and folds: {chosen}.",
        counts(cell for row in cells.values() for cell in row),
        facts(own),
        missing=[left_out(PAIR, methods)],
    )


def _lacking(entries: Sequence[FinishedJob], methods: Sequence[str], fold: str) -> str:
    done = {entry.job.method for entry in entries if entry.job.fold == fold}
    return left_out(methods, done).replace("Not run:", f"Not run on fold {fold}:")


def _fits(results: Results, dataset: str, wanted: Sequence[str]) -> tuple[list[str], int, list[FinishedJob]]:
    """Those of the methods that have any result, the first seed that all have, and their fits with it."""
    done, methods = results.where(dataset=dataset), ran(results, dataset, wanted)
    shared = shared_seeds(results, dataset, methods, {entry.job.budget for entry in done})
    seed = min(shared or [entry.job.seed for entry in done], default=0)
    return methods, seed, [e for m in methods for e in results.where(dataset=dataset, method=m, seed=seed)]


def _checkpoints(axes: Axes, checkpoints: Sequence[int], cells: dict[str, list[Cell]], chosen: int | None) -> None:
    axes.set(title="validation", xlabel="updates", xlim=(0, checkpoints[-1] * 1.05), xticks=checkpoints)
    top, ends = 0.0, []
    for method, row in cells.items():
        look = LOOKS[method]
        y = [math.nan if cell.mean is None else cell.mean for cell in row]
        axes.plot(checkpoints, y, color=look.colour, marker=look.marker, linestyle=look.line)
        done = [(x, value) for x, value in zip(checkpoints, y, strict=True) if not math.isnan(value)]
        if done:
            top = max(top, *(value for _, value in done), 0)
            ends.append((*done[-1], method_name(method), look.colour))
    percent_axis(axes, top)
    if chosen is not None:
        axes.axvline(chosen, color=MUTED, linewidth=0.8, linestyle=DASHED, zorder=0)
        place: Any = {"xycoords": ("data", "axes fraction"), "textcoords": "offset points", "color": MUTED}
        early = chosen < checkpoints[-1] / 2  # where there is more room to its right
        offset, side = ((3, 3), "left") if early else ((-3, 3), "right")
        axes.annotate("chosen", (chosen, 0), offset, ha=side, va="bottom", **place)
    label_ends(axes, ends)


def _line(axes: Axes, entry: FinishedJob, method: str, phase: float) -> None:
    """A loss with a few marks, which differ in place from method to method so that none hides another."""
    look, every = LOOKS[method], max(1, len(entry.outcome.history) // 6)
    marks: Any = {"marker": look.marker, "markersize": 3.6, "markevery": (int(phase * every), every)}
    line: Any = {"color": look.colour, "linestyle": look.line, "linewidth": 1.0}
    axes.plot(*_history(entry), label=method_name(method), **line, **marks)


def _history(entry: FinishedJob) -> tuple[list[int], list[float]]:
    history = entry.outcome.history
    return [step.update for step in history], [step.loss for step in history]
