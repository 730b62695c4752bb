"""A drawn figure with what must be said about it, and what of the results it shows."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from dualres.bench.methods import NAMES
from dualres.bench.methods.catalog import MethodStyle, entry
from dualres.bench.report.captions import counts, facts_of, quick_notice, sentences
from dualres.bench.report.names import method_name
from dualres.bench.report.results import Cell, Results
from dualres.learn.fold import Budget
from dualres.utils.figures import footnote


@dataclass(frozen=True)
class Picture:
    name: str  # of its files
    title: str
    caption: str
    study: str  # empty for a diagram, which shows no results
    figure: Figure


@dataclass(frozen=True)
class PictureFile:
    name: str
    title: str
    caption: str
    pdf: Path
    png: Path
    study: str


def ran(results: Results, dataset: str, methods: Iterable[str]) -> list[str]:
    """Those of the methods that have any result on the dataset, in the given order."""
    found = {entry.job.method for entry in results.where(dataset=dataset)}
    return [method for method in methods if method in found]


def shared_seeds(results: Results, dataset: str, methods: Iterable[str], budgets: Iterable[Budget]) -> tuple[int, ...]:
    """Seeds that all that is compared was run with, cells not run at all aside; without any in common, every seed.

    Means over different seeds would compare seeds as much as methods.
    """
    cells = [results.f1(dataset=dataset, method=method, budget=budget) for method, budget in product(methods, budgets)]
    compared = [set(cell.seeds) for cell in cells if cell.seeds]
    common = set.intersection(*compared) if compared else set()
    return tuple(sorted(common or set().union(*compared)))


def said_of(cells: Sequence[Cell], lead: str, shown_by: str) -> tuple[str, ...]:
    """The lead of a caption, how many seeds are behind the cells, what shows their spread, and their conditions."""
    spread = f"{shown_by} show one sample SD over seeds." if any(cell.sd is not None for cell in cells) else ""
    return lead, counts(cells), spread, facts_of(cells)


def legend_above(axes: Axes, **options: Any) -> None:
    """From their left end."""
    axes.legend(**{"loc": "lower left", "bbox_to_anchor": (0, 1), "borderaxespad": 0.2, **options})


def finished(
    results: Results, figure: Figure, name: str, title: str, *caption: str, missing: Sequence[str] = ()
) -> Picture:
    """The picture of a study's results; the notice of a quick run and what is missing stand under the figure, too."""
    notices = quick_notice(results.quick, "figure"), *missing
    footnote(figure, *notices)
    return Picture(name, title, sentences(*caption, *notices), results.study.name, figure)


class _MethodStyles(dict[str, MethodStyle]):
    """The paper's methods' looks; any other method's is looked up when it is drawn."""

    def __missing__(self, method: str) -> MethodStyle:
        return entry(method).look


LOOKS = _MethodStyles({name: entry(name).look for name in NAMES})


def swatches_above(axes: Axes, methods: Iterable[str], *, ncols: int) -> None:
    """A key of bars above the axes; a method stands there also where none of its bars is."""
    edge: Any = {"edgecolor": "white", "linewidth": 0}
    looks = ((LOOKS[method], method_name(method)) for method in methods)
    handles = [Patch(facecolor=look.colour, hatch=look.hatch, label=name, **edge) for look, name in looks]
    legend_above(axes, handles=handles, ncols=ncols)
