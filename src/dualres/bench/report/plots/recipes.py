"""The study of recipes: DualRes and its controls by the paper's recipe and by the robust one, as pairs of dots."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from matplotlib.axes import Axes

from dualres.bench.campaign.studies import RECIPE_CONTROLS
from dualres.bench.report.captions import facts, left_out, span
from dualres.bench.report.names import dataset_name, method_name
from dualres.bench.report.plots.picture import Picture, finished
from dualres.bench.report.registry import draws_figure
from dualres.bench.report.results import Cell, Results
from dualres.utils.figures import ACCENT, DOUBLE, MUTED, RULE, SINGLE, canvas

ROW = 0.37  # inches
MEANS, SEEDS, NAMES = 0.14, 0.33, 0.45  # of a row, from its middle: the two recipes never hide each other
ARROW = "\N{RIGHTWARDS ARROW}"


@dataclass(frozen=True)
class _Side:
    """How a recipe is drawn: hollow or full, so that grey print tells them apart, too."""

    recipe: str
    colour: str
    fill: str
    way: int  # -1 above the middle of a row, 1 below


SIDES = (_Side("paper", MUTED, "white", -1), _Side("robust", ACCENT, ACCENT, 1))
RecipeRow = Mapping[str, Cell]  # the cell of every recipe that has a number, by its name


@draws_figure("recipe_pairs")
def recipe_pairs(results: Results) -> Picture | None:
    """A panel per dataset, a row per method: from the paper's recipe to the robust one."""
    panels = {dataset: _rows(results, dataset) for dataset in results.datasets()}
    panels = {dataset: rows for dataset, rows in panels.items() if any(rows.values())}
    if not panels:
        return None
    methods = [m for m in RECIPE_CONTROLS if any(rows[m] for rows in panels.values())]
    width = SINGLE if len(panels) == 1 else DOUBLE
    figure, grid = canvas(width, 0.75 + ROW * len(methods), 1, len(panels), sharey=True)
    for axes, (dataset, rows) in zip(grid[0], panels.items(), strict=True):
        _draw(axes, [rows[method] for method in methods])
        axes.set_title(dataset_name(dataset))
    grid[0, 0].set_yticks(range(len(methods)), [method_name(method) for method in methods])
    cells = [cell for rows in panels.values() for row in rows.values() for cell in row.values()]
    n = {len(cell.seeds) for cell in cells}
    return finished(
        results,
        figure,
        "recipes",
        "Two recipes, DualRes and its controls",
        "Recording macro-F1 by the paper's recipe (hollow) and by the robust one (full). Small dots: single seeds, "
        "each the mean of its folds. Large dots, and the numbers on the right: means over "
        f"n = {span(n)} seed{'s' * (max(n) > 1)}.",
        *(f"{dataset_name(d)}: {what} of the recordings." for d, what in results.variants().items() if d in panels),
        facts(entry for cell in cells for entry in cell.entries if entry.job.seed in cell.seeds),
        missing=[left_out(RECIPE_CONTROLS, methods)],
    )


def _rows(results: Results, dataset: str) -> dict[str, RecipeRow]:
    """Of every method; an empty one where no seed has all its folds."""
    rows: dict[str, RecipeRow] = {}
    for method in RECIPE_CONTROLS:
        recipes = results.recipes(dataset).items()
        row = {name: results.f1(dataset=dataset, method=method, recipe=recipe) for name, recipe in recipes}
        rows[method] = {name: cell for name, cell in row.items() if cell.values}
    return rows


def _draw(axes: Axes, rows: list[RecipeRow]) -> None:
    """The rows from the top down, each with its means in words beside it."""
    beside: Any = {"xycoords": ("axes fraction", "data"), "textcoords": "offset points", "va": "center"}
    for place, row in enumerate(rows):
        means = {name: cell.mean for name, cell in row.items() if cell.mean is not None}
        axes.axhline(place, color=RULE, linewidth=0.4, zorder=0)
        shown = [side for side in SIDES if side.recipe in means]
        ends = [(means[side.recipe], place + MEANS * side.way) for side in shown]
        if ends:
            axes.plot(*zip(*ends, strict=True), color=MUTED, linewidth=1.1, zorder=2)
        for side in shown:
            _dots(axes, place, row[side.recipe], side)
        words = [f"{means[side.recipe]:.1f}" if side.recipe in means else "not run" for side in SIDES]
        said = f" {ARROW} ".join(words) if means else "not run"
        axes.annotate(said, (1, place), (7, 0), annotation_clip=False, color=None if means else MUTED, **beside)
    _name_sides(axes, rows)
    axes.set(xlim=(0, 100), ylim=(len(rows) - 0.5, -0.85), xlabel="macro-F1 (%)", xticks=(0, 25, 50, 75, 100))
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)


def _dots(axes: Axes, place: int, cell: Cell, side: _Side) -> None:
    look: Any = {"linestyle": "", "marker": "o", "color": side.colour, "markerfacecolor": side.fill, "clip_on": False}
    if len(cell.values) > 1:
        height = place + SEEDS * side.way
        axes.plot(cell.values, [height] * len(cell.values), markersize=2.4, markeredgewidth=0.6, **look)
    axes.plot([cell.mean or 0.0], [place + MEANS * side.way], markersize=5.4, markeredgewidth=1.1, zorder=3, **look)


def _name_sides(axes: Axes, rows: list[RecipeRow]) -> None:
    """The recipes' names over their means in the first row that has them, turned away from each other."""
    places = {side: next((i for i, row in enumerate(rows) if side.recipe in row), None) for side in SIDES}
    at = {side: (rows[i][side.recipe].mean or 0.0, i - NAMES) for side, i in places.items() if i is not None}
    for side, towards in zip(sorted(at, key=lambda side: at[side][0]), ("right", "left"), strict=False):
        place: Any = {"xytext": (-1 if towards == "right" else 1, 0), "textcoords": "offset points", "ha": towards}
        axes.annotate(side.recipe, at[side], color=side.colour, va="bottom", **place)
