"""What is known of recipes: the study `recipes`, and the choices of `dualres tune` in results/chosen/.

Scores are in percent macro-F1 over recordings, means of both folds and all seeds unless a fold is named.
"""

import json
import statistics
from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from dualres.bench.campaign.ledger import Ledger, Outcome
from dualres.bench.campaign.studies import FIVE_SEEDS, folds_of
from dualres.bench.report.adapted_scores import f1_together
from dualres.bench.report.names import method_name
from dualres.bench.report.results import percent_f1
from dualres.bench.report.tables.rigs import suite_of
from dualres.config import RECIPES, Recipe
from dualres.errors import ConfigError
from dualres.learn.trained.tune_plan import read_recipe
from tools.pages.cells import CLOSED_FORM, Cells, above_zero, differences, with_spread
from tools.pages.measured import table


class Recipes:
    def __init__(self, results: Path, ledger: Ledger, cells: Cells) -> None:
        self._chosen, self._ledger = results / "chosen", ledger
        self._cell, self._budget, self._rigs = cells.cell, cells.recipes.main_budget, cells.rigs

    def gain(self, dataset: str, method: str = "dualres", **where: str) -> str:
        """Points by which the robust recipe is ahead of the paper's."""
        return f"{statistics.fmean(self._gains(dataset, method, **where)):+.1f}"

    def gains(self, dataset: str, method: str = "dualres") -> str:
        """In how many of the seeds the robust recipe is ahead: "5 of 5"."""
        return above_zero(self._gains(dataset, method))

    def members(self, dataset: str, name: str, count: str) -> str:
        """The first seeds as an ensemble: the scores of a recording are their mean."""
        return f"{statistics.fmean(map(percent_f1, self._ensembles(dataset, name, count))):.1f}"

    def members_together(self, dataset: str, name: str, count: str) -> str:
        """The same, all recordings of a fold being judged together."""
        return f"{statistics.fmean(f1_together(one, dataset) for one in self._ensembles(dataset, name, count)):.1f}"

    def over_rigs(self, name: str) -> str:
        """Mean over the rigs of the study `rigs`, of a recipe or of what is fitted in closed form."""
        title = method_name(CLOSED_FORM[name]) if name in CLOSED_FORM else name
        return f"{statistics.fmean(suite_of(self._rigs).scores[title].values()):.1f}"

    def never_right(self, method: str, name: str = "robust") -> str:
        """Verdicts on PHM2009 that are right, and those that rank the truth last: "0 of 280 ... 85"."""
        ranks = []
        for entry in self._cell("phm2009", method, recipe=name).entries:
            scores, truth = np.asarray(entry.outcome.scores), np.asarray(entry.outcome.truth)
            own = scores[np.arange(len(truth)), truth]
            ranks += (scores > own[:, None]).sum(1).tolist()
        last = len(entry.outcome.classes) - 1
        return f"{ranks.count(0)} of {len(ranks)} verdicts are right, and {ranks.count(last)} put the truth last"

    def tuned(self, dataset: str, device: str) -> str:
        """DualRes by the recipe that was chosen on each fold's own support."""
        return self._by_recipes({fold: read_recipe(self._file(fold)).recipe for fold in folds_of(dataset)}, device)

    def with_paths(self, dataset: str, sigma: str, device: str) -> str:
        """DualRes by the robust recipe with paths of another size."""
        recipe = replace(RECIPES["robust"], path_sigma=float(sigma))
        return self._by_recipes(dict.fromkeys(folds_of(dataset), recipe), device)

    def reason(self, fold: str) -> str:
        """Why nothing was compared on a fold."""
        reason = self._json(fold)["reason"]
        if not reason:
            raise ConfigError(f"on {fold} recipes were compared")
        return str(reason)

    def choices(self, *folds: str) -> str:
        """A table of what each candidate scored on the parts of the support that were held out."""
        every = [self._json(fold) for fold in folds]
        rows = [
            [row[0]["name"], *(_cell_of(each, one["chosen"]) for each, one in zip(row, every, strict=True))]
            for row in zip(*(one["candidates"] for one in every), strict=True)
        ]
        return table(("", *folds), rows, narrow=True)

    def _gains(self, dataset: str, method: str, **where: str) -> list[float]:
        paper, robust = (self._cell(dataset, method, recipe=name, **where) for name in ("paper", "robust"))
        return differences(robust, paper)

    def _ensembles(self, dataset: str, name: str, count: str) -> list[Outcome]:
        """Of each fold."""
        found = defaultdict(list)
        for entry in self._cell(dataset, "dualres", recipe=name).entries:
            if entry.job.seed in FIVE_SEEDS[: int(count)]:
                found[entry.job.fold].append(entry.outcome)
        means = (np.mean([outcome.scores for outcome in outcomes], axis=0) for outcomes in found.values())
        return [replace(one[0], scores=tuple(map(tuple, m))) for one, m in zip(found.values(), means, strict=True)]

    def _by_recipes(self, of_fold: dict[str, Recipe], device: str) -> str:
        """Of DualRes by each fold's recipe, whether a study plans it or not."""
        scores: dict[tuple[str, int], float] = {}
        for key, job in self._ledger.jobs().items():
            asked = job.fold in of_fold and job.recipe == of_fold[job.fold] and job.seed in FIVE_SEEDS
            if asked and (job.method, job.device, job.budget) == ("dualres", device, self._budget(job.dataset)):
                scores[job.fold, job.seed] = percent_f1(self._ledger.outcome(key))
        return with_spread([statistics.fmean(scores[fold, seed] for fold in of_fold) for seed in FIVE_SEEDS])

    def _file(self, fold: str) -> Path:
        return self._chosen / f"{fold}.json"

    def _json(self, fold: str) -> Any:
        return json.loads(self._file(fold).read_text())


def _cell_of(candidate: Any, chosen: str) -> str:
    text = f"{100 * candidate['mean']:.1f} ± {100 * candidate['standard_error']:.1f}"
    return f"**{text}**" if candidate["name"] == chosen else text
