"""What a way of training, and judging recordings together, is worth to the full model, its controls and others."""

from collections.abc import Mapping
from dataclasses import replace

from dualres.bench.campaign.studies import NEURAL_PEERS, RECIPE_CONTROLS
from dualres.bench.report.adapted_scores import CONDITION
from dualres.bench.report.compare import difference
from dualres.bench.report.names import dataset_title
from dualres.bench.report.registry import makes_table
from dualres.bench.report.results import Cell, FinishedJob, Results
from dualres.bench.report.tables.differences import EXPLAINED, value_with_spread
from dualres.bench.report.tables.fill import NOT_PLANNED, NOT_RUN, Column, Sheet, Table, Value, method_line
from dualres.config import RECIPES, Recipe

GAIN = "Gain ± SD over seeds, and 95 % interval (points)"
TITLES = {"paper": "paper's"}  # a column of our own scores must not look like the paper's
REMARK = (
    "Updates are part of a recipe. n counts seeds; without it there is one. The gain is the robust recipe minus the "
    "paper's, at the seeds that have all folds by both; its SD is that of the seeds' gains, each the mean of its "
    f"folds. {EXPLAINED} (ours): a control that the paper does not have."
)


@makes_table("recipes")
def recipes(results: Results, dataset: str) -> Table:
    """Methods by recipes, means over folds and seeds, and what the second recipe gains over the first."""
    methods = results.planned_methods(dataset, (*RECIPE_CONTROLS, *NEURAL_PEERS))
    lines = [method_line(results, dataset=dataset, method=method) for method in methods]
    by_name = results.recipes(dataset)
    table = Sheet(results).table(
        f"recipes_{dataset}",
        f"{dataset_title(dataset)}: macro-F1 (%) by recipe",
        lines,
        [Column(f"By the {TITLES.get(k, k)} recipe", "macro_f1", {"recipe": recipe}) for k, recipe in by_name.items()],
        labels=("Method",),
        remark=REMARK,
    )
    return table.with_columns({GAIN: [_gain(results, line.fields, by_name) for line in lines]})


def pairs_of(one: Cell, other: Cell) -> list[tuple[FinishedJob, FinishedJob]]:
    """Jobs of two cells with equal fold and seed, of the seeds of which both have all folds."""
    theirs = {(e.job.seed, e.job.fold): e for e in other.entries if e.job.seed in other.seeds}
    mine = [e for e in one.entries if e.job.seed in one.seeds]
    return [(e, theirs[place]) for e in mine if (place := (e.job.seed, e.job.fold)) in theirs]


def _gain(results: Results, fields: Mapping[str, object], by_name: Mapping[str, Recipe]) -> Value:
    robust, paper = (results.f1(None, **fields, recipe=by_name.get(r)) for r in ("robust", "paper"))
    pairs = pairs_of(robust, paper)
    if not pairs:
        return Value(NOT_RUN)
    gain = difference(f"{fields['method']} robust", f"{fields['method']} paper", pairs)
    value = value_with_spread(gain)
    return replace(value, text=f"{value.text} (n={len(gain.by_seed)})")


TOGETHER = (
    "Alone: recording by recording. Together: all recordings of a fold are one batch, which corrects its probabilities "
    "without a label. The batch holds every class, which favours it. Conditions are speed and load; a fold of CWRU has "
    "one load. Unlabelled seconds: how much the batch has, mean over folds; alone, none is used. MiniRocket is left "
    "out: its scores are no probabilities."
)


@makes_table("adaptation")
def adaptation(results: Results, dataset: str) -> Table | None:
    """Methods and their recipes, alone and together, and the unlabelled seconds that together takes."""
    if dataset not in CONDITION:
        return None
    budget, order, lines = results.main_budget(dataset), list(RECIPES), []
    for method in results.planned_methods(dataset):
        fields = {"dataset": dataset, "method": method, "budget": budget}
        found = {job.recipe for job in results.planned.values() if job.dataset == dataset and job.method == method}
        for recipe in sorted(found, key=lambda one: order.index(one.kind) if one else -1):
            lines.append(method_line(results, recipe.kind if recipe else NOT_PLANNED, **fields, recipe=recipe))
    table = Sheet(results).table(
        f"adaptation_{dataset}",
        f"{dataset_title(dataset)}: macro-F1 (%) judged alone and together",
        lines,
        [
            Column("Alone", "macro_f1"),
            Column("Together", f"together:{dataset}"),
            Column("Conditions unknown", "together:"),
            Column("Unlabelled seconds", "unlabelled_s"),
        ],
        labels=("Method", "Recipe"),
        remark=TOGETHER,
    )
    # Every seed judges the same seconds.
    last = [v if v.mean is None else replace(v, text=f"{v.mean:,.0f}") for *_, v in table.rows]
    return replace(table, rows=tuple((*row[:-1], seconds) for row, seconds in zip(table.rows, last, strict=True)))
