"""Cells of the ledger, as the pages' questions name them.

`where` picks from a cell: `fold=P1`, `budget=2x4`, `seeds=41,42,43`, `device=cuda`. By default a cell is of both folds,
the dataset's main budget, five seeds and the device that the tables show. It is of the study `published`; with
`recipe=robust`, or another, of the study `recipes`. Networks of orders and of views have no recipe and are of the study
`rigs`; they are asked for as `recipe=orders`, judged at the speeds that the releases state, and `recipe=views`.
"""

import statistics
from collections.abc import Sequence
from typing import Any

from dualres.bench.campaign.ledger import Ledger
from dualres.bench.campaign.studies import FIVE_SEEDS, study
from dualres.bench.report.results import Cell, MetricFunction, Results, percent_f1
from dualres.config import Recipe
from dualres.errors import ConfigError
from dualres.learn.fold import Budget
from dualres.model.kinds import ORDERS, VIEWS

CLOSED_FORM = {name: kind.method for kind in (ORDERS, VIEWS) for name in kind.recipes}  # by the name of `--recipe`


class Cells:
    def __init__(self, ledger: Ledger) -> None:
        names = ("published", "recipes", "rigs", "allocation")  # other studies may share the ledger
        found = (Results(ledger, study(name)).planned_only() for name in names)
        self.published, self.recipes, self.rigs, self.allocation = found

    def cell(
        self, dataset: str, method: str, *, recipe: str = "", metric: MetricFunction = percent_f1, **where: str
    ) -> Cell:
        found, fields = self.published, dict[str, Any](dataset=dataset, method=method, **where)
        if recipe in CLOSED_FORM:
            found, fields["method"] = self.rigs, CLOSED_FORM[recipe]
        elif recipe:
            found, fields["recipe"] = self.recipes, self._recipe(dataset, recipe)
        size, seeds, device = (fields.pop(name, None) for name in ("budget", "seeds", "device"))
        fields["budget"] = Budget.parse(size) if size else found.main_budget(dataset)
        chosen = tuple(map(int, seeds.split(","))) if seeds else FIVE_SEEDS
        cell = (found.on_device(device) if device else found).cell(metric, chosen, **fields)
        if cell.mean is None:
            raise ConfigError(f"nothing was run of {dataset} {method} {recipe} {where}")
        return cell

    def _recipe(self, dataset: str, name: str) -> Recipe:
        jobs = [entry.job for entry in self.recipes.where(dataset=dataset)]
        (found,) = {job.recipe for job in jobs if job.recipe and job.recipe.kind == name}
        return found


def differences(one: Cell, other: Cell) -> list[float]:
    """Of the values, at the seeds that both cells have."""
    return list(one.minus(other).values())


def above_zero(values: Sequence[float]) -> str:
    """How many: "4 of 5"."""
    return f"{sum(value > 0 for value in values)} of {len(values)}"


def with_spread(values: Sequence[float]) -> str:
    """Mean, and the sample SD where there are several."""
    return f"{statistics.fmean(values):.1f}" + (f" ± {statistics.stdev(values):.1f}" if len(values) > 1 else "")
