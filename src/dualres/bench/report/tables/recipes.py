"""Recipes side by side: what a way of training is worth, to the full model, to its controls and to other networks."""

from collections.abc import Mapping
from dataclasses import replace

from dualres.bench.campaign.studies import NEURAL_PEERS, RECIPE_CONTROLS
from dualres.bench.report.compare import difference
from dualres.bench.report.names import dataset_title, method_name
from dualres.bench.report.registry import makes_table
from dualres.bench.report.results import Cell, FinishedJob, Results, percent_f1
from dualres.bench.report.tables import axes as planned
from dualres.bench.report.tables.differences import EXPLAINED, value_with_spread
from dualres.bench.report.tables.fill import Column, Sheet, TableLine
from dualres.bench.report.tables.model import NOT_RUN, Table, Value
from dualres.config import RECIPES, Recipe

GAIN = "Gain ± SD over seeds, and 95 % interval (points)"
REMARK = (
    "Updates are part of a recipe. n counts seeds; without it there is one. The gain is the robust recipe minus the "
    "paper's, at the seeds that have all folds by both; its SD is that of the seeds' gains, each the mean of its "
    f"folds. {EXPLAINED} (ours): a control that the paper does not have."
)


@makes_table("recipes")
def recipes(results: Results, dataset: str) -> Table:
    """Methods by recipes, means over folds and seeds, and what the second recipe gains over the first."""
    methods = planned.methods(results, dataset, (*RECIPE_CONTROLS, *NEURAL_PEERS))
    lines = [_line(results, dataset, method) for method in methods]
    by_name = recipes_of(results, dataset)
    table = Sheet(results).table(
        f"recipes_{dataset}",
        f"{dataset_title(dataset)}: macro-F1 (%) by recipe",
        lines,
        [Column(_title(name), "macro_f1", {"recipe": recipe}) for name, recipe in by_name.items()],
        labels=("Method",),
        remark=REMARK,
    )
    return table.with_columns({GAIN: [_gain(results, line.fields, by_name) for line in lines]})


def recipes_of(results: Results, dataset: str) -> dict[str, Recipe]:
    """The recipes compared on a dataset, by name, the paper's first."""
    found = {job.recipe for job in results.planned.values() if job.dataset == dataset and job.recipe}
    by_name = {recipe.kind: recipe for recipe in found}
    return {name: by_name[name] for name in RECIPES if name in by_name}


def pairs_of(one: Cell, other: Cell) -> list[tuple[FinishedJob, FinishedJob]]:
    """Jobs of two cells with equal fold and seed, of the seeds of which both have all folds."""
    theirs = {(e.job.seed, e.job.fold): e for e in other.entries if e.job.seed in other.seeds}
    mine = [e for e in one.entries if e.job.seed in one.seeds]
    return [(e, theirs[place]) for e in mine if (place := (e.job.seed, e.job.fold)) in theirs]


def _title(recipe: str) -> str:
    """Of a column of our own scores, which must not look like the paper's."""
    whose = "paper's" if recipe == "paper" else recipe
    return f"By the {whose} recipe"


def _line(results: Results, dataset: str, method: str) -> TableLine:
    fields = {"dataset": dataset, "method": method}
    return TableLine((method_name(method),), fields, results.planned_seeds(**fields))


def _gain(results: Results, fields: Mapping[str, object], by_name: Mapping[str, Recipe]) -> Value:
    """The robust recipe minus the paper's."""
    robust, paper = (results.cell(percent_f1, None, **fields, recipe=by_name.get(r)) for r in ("robust", "paper"))
    pairs = pairs_of(robust, paper)
    if not pairs:
        return Value(NOT_RUN)
    job = pairs[0][0].job
    gain = difference(job.dataset, job.budget, f"{job.method} robust", f"{job.method} paper", pairs)
    value = value_with_spread(gain)
    return replace(value, text=f"{value.text} (n={len(gain.by_seed)})")
