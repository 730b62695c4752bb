"""What judging together is worth to every method whose scores are probabilities."""

from dataclasses import replace

from dualres.bench.report.adapted_scores import CONDITION
from dualres.bench.report.names import dataset_title
from dualres.bench.report.registry import makes_table
from dualres.bench.report.results import Results
from dualres.bench.report.tables.fill import Column, Sheet, method_line
from dualres.bench.report.tables.model import NOT_PLANNED, Table, Value
from dualres.config import RECIPES

REMARK = (
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
        remark=REMARK,
    )
    return replace(table, rows=tuple((*row, _without_spread(last)) for *row, last in table.rows))


def _without_spread(value: Value) -> Value:
    """Every seed judges the same seconds."""
    return value if value.mean is None else replace(value, text=f"{value.mean:,.0f}")
