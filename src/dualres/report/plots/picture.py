"""A drawn figure with what must be said about it, and the facts a caption is made of."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from matplotlib.figure import Figure

from dualres.datasets.budget import Budget
from dualres.report.names import dataset_name, device_names, method_name
from dualres.report.results import Cell, Entry, Results, percent_f1


@dataclass(frozen=True)
class Picture:
    name: str  # of its files
    title: str
    caption: str
    study: str  # empty for a diagram, which shows no results
    figure: Figure


@dataclass(frozen=True)
class Drawn:
    """A picture on disk."""

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
    compared = [
        set(results.cell(percent_f1, dataset=dataset, method=method, budget=budget).seeds)
        for method, budget in product(methods, budgets)
    ]
    compared = [seeds for seeds in compared if seeds]
    common = set.intersection(*compared) if compared else set()
    return tuple(sorted(common or set().union(*compared)))


def facts(entries: Sequence[Entry]) -> str:
    """Folds, held-out unit, what was judged, seeds, exposure, updates, device: the small print of every caption."""
    parts = []
    for dataset in dict.fromkeys(e.job.dataset for e in entries):
        own = [e for e in entries if e.job.dataset == dataset]
        folds = sorted({e.job.fold for e in own})
        units = sorted({str(e.outcome.facts["held_out"]) for e in own})
        judged = span({len(e.outcome.recordings) for e in own}, "d")
        unit = "" if own[0].job.judged == "validation" else f", held-out unit: {listed(units)}"
        fold = "fold" if len(folds) == 1 else "folds"
        parts.append(f"{dataset_name(dataset)} {fold} {listed(folds)}{unit}, {judged} recordings judged per fold")
    seeds = sorted({e.job.seed for e in entries})
    updates = sorted({e.job.recipe.updates for e in entries if e.job.recipe})
    parts.append(f"{'seed' if len(seeds) == 1 else 'seeds'} {listed([str(s) for s in seeds])}")
    parts.append(f"{span({e.outcome.labelled_s for e in entries}, '.3f')} unique labelled seconds per class")
    if updates:
        parts.append(f"{span(set(updates), 'd')} updates (neural methods)")
    parts.append(f"fitted on {device_names(e.job for e in entries)}")
    return "; ".join(parts) + "."


def counts(cells: Iterable[Cell]) -> str:
    """How many seeds are behind each value, as a sentence."""
    n = {len(cell.values) for cell in cells if cell.values}
    return f"Each value is the mean over n = {span(n, 'd')} fold-averaged seed{'s' if max(n) > 1 else ''}." if n else ""


def quick_mark(results: Results) -> str:
    """A sentence wherever results are those of a quick run."""
    quick = results.quick
    if quick is None:
        return ""
    return f"Quick run: {quick.updates} updates, at most {quick.most_judged} recordings judged per fold."


def left_out(methods: Iterable[str], shown: Iterable[str]) -> str:
    """A sentence about methods that were not run at all."""
    missing = [method_name(method) for method in methods if method not in set(shown)]
    return f"Not run: {listed(missing)}." if missing else ""


def class_name(label: str) -> str:
    return label.replace("_", " ")


def listed(words: Sequence[str]) -> str:
    """One, two and three."""
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def times(budget: Budget) -> str:
    return f"{budget.recordings}\N{MULTIPLICATION SIGN}{budget.windows}"


def sentences(*parts: str) -> str:
    return " ".join(part for part in parts if part)


def span(values: set[int] | set[float], form: str) -> str:
    """ "2", or "2 to 5" from the least to the greatest."""
    low, high = format(min(values), form), format(max(values), form)
    return low if low == high else f"{low} to {high}"
