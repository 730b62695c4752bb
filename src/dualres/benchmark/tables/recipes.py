"""Recipes side by side: what a way of training is worth, to the full model and to its controls."""

from __future__ import annotations

from dualres.benchmark.names import dataset_name, method_name
from dualres.benchmark.results import Results
from dualres.benchmark.studies import folds_of
from dualres.benchmark.tables import planned
from dualres.benchmark.tables.model import Table
from dualres.benchmark.tables.sheet import Column, Line, Sheet
from dualres.config import Recipe


def recipes(results: Results, dataset: str) -> Table:
    """Methods by recipes, each fold and their mean."""
    fields = {method: {"dataset": dataset, "method": method} for method in planned.methods(results, dataset)}
    return Sheet(results).table(
        f"recipes_{dataset}",
        f"{dataset_name(dataset)}: macro-F1 (%) by recipe",
        [Line((method_name(m),), of, results.own_seeds(**of)) for m, of in fields.items()],
        [column for recipe in _recipes(results, dataset) for column in _columns(recipe, dataset)],
        labels=("Method",),
        remark="Updates are part of a recipe. Methods with fewer seeds have fewer behind their numbers.",
    )


def _recipes(results: Results, dataset: str) -> list[Recipe]:
    """The paper's first."""
    found = {job.recipe for job in results.planned.values() if job.dataset == dataset and job.recipe}
    return sorted(found, key=lambda recipe: (not recipe.plain, recipe.updates))


def _columns(recipe: Recipe, dataset: str) -> list[Column]:
    name = str(recipe).partition(",")[0].capitalize()
    folds = [Column(f"{name} {fold}", "macro_f1", {"recipe": recipe, "fold": fold}) for fold in folds_of(dataset)]
    return [*folds, Column(f"{name} mean", "macro_f1", {"recipe": recipe})]
