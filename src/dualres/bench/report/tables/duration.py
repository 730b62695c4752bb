"""How many updates: chosen on held-back support recordings, by a rule that was fixed beforehand."""

from collections.abc import Mapping
from dataclasses import replace

from dualres.bench.report.names import dataset_title, method_name
from dualres.bench.report.registry import makes_table
from dualres.bench.report.results import Results, percent_f1
from dualres.bench.report.tables.fill import Column, Sheet, Table, TableLine, Value, log_loss
from dualres.config import Recipe

RULE = (
    "Chosen: the highest mean validation macro-F1 over methods and folds, then the lower log loss, then fewer updates."
)


def checkpoints(results: Results, dataset: str) -> list[Recipe]:
    """Recipes that the study chooses from, the shortest first."""
    jobs = [job for job in results.planned.values() if job.dataset == dataset and job.recipe]
    return sorted({job.recipe for job in jobs if job.recipe}, key=lambda recipe: recipe.updates)


def chosen_updates(results: Results, dataset: str) -> int | None:
    """What the rule chooses; None until every checkpoint has been run."""
    found: dict[int, tuple[float, float]] = {}
    for recipe in checkpoints(results, dataset):
        score, loss = (results.cell(m, results.seeds, dataset=dataset, recipe=recipe) for m in (percent_f1, log_loss))
        if not score.complete or score.mean is None or loss.mean is None:
            return None
        found[recipe.updates] = score.mean, loss.mean
    return choose(found)


def choose(found: Mapping[int, tuple[float, float]]) -> int:
    """The rule, on the macro-F1 and the log loss after each number of updates."""
    return min(found, key=lambda updates: (-round(found[updates][0], 9), round(found[updates][1], 9), updates))


@makes_table("duration")
def duration(results: Results, dataset: str) -> Table:
    each = [Column(f"{method_name(m)} macro-F1", "macro_f1", {"method": m}) for m in results.planned_methods(dataset)]
    means = [Column("Mean macro-F1", "macro_f1"), Column("Mean log loss", "log_loss")]
    recipes = checkpoints(results, dataset)
    table = Sheet(results).table(
        f"duration_{dataset}",
        f"{dataset_title(dataset)}: number of updates, by validation macro-F1 (%) and log loss (nats)",
        [TableLine((str(recipe.updates),), {"dataset": dataset, "recipe": recipe}) for recipe in recipes],
        [*each, *means],
        labels=("Updates",),
    )
    chosen = chosen_updates(results, dataset)
    verdicts = ["undecided" if chosen is None else "yes" if r.updates == chosen else "no" for r in recipes]
    table = table.with_columns({"Chosen": [Value(each, bold=each == "yes", emphasis="yes") for each in verdicts]})
    return replace(table, note=RULE + ("" if chosen else " Nothing is chosen before every checkpoint has been run."))
