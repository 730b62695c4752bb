"""What is known of recipes: the study `recipes`, and the choices of `dualres tune` in results/chosen/.

Scores are in percent macro-F1 over recordings, means of both folds and all seeds unless a fold is named.
"""

from __future__ import annotations

import json
import statistics
from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from dualres.bench.campaign.ledger import Ledger
from dualres.bench.campaign.studies import FIVE_SEEDS, folds_of, study
from dualres.bench.report.results import Cell, Results, percent_f1
from dualres.config import RECIPES, Recipe
from dualres.errors import ConfigError
from dualres.learn.trained.recipe_file import read_recipe
from scores import with_spread, wrong_verdicts


class Recipes:
    def __init__(self, results: Path, ledger: Ledger) -> None:
        self._chosen, self._ledger = results / "chosen", ledger
        self._found = Results(ledger, study("recipes")).planned_only()

    def by_recipe(self, dataset: str, method: str, name: str, **where: str) -> str:
        """Mean, with the sample SD over the seeds where there are several."""
        return with_spread(self._cell(dataset, method, name, **where).values)

    def gain(self, dataset: str, method: str = "dualres", **where: str) -> str:
        """Points by which the robust recipe is ahead of the paper's."""
        return f"{statistics.fmean(self._gains(dataset, method, **where)):+.1f}"

    def gains(self, dataset: str, method: str = "dualres") -> str:
        """In how many of the seeds the robust recipe is ahead: "5 of 5"."""
        found = self._gains(dataset, method)
        return f"{sum(value > 0 for value in found)} of {len(found)}"

    def worth(self, dataset: str, control: str, name: str) -> str:
        """Points by which DualRes is ahead of its control, by one recipe."""
        full, without = self._cell(dataset, "dualres", name), self._cell(dataset, control, name)
        return f"{full.mean - without.mean:+z.1f}"

    def members(self, dataset: str, name: str, count: str) -> str:
        """The first seeds as an ensemble: the scores of a recording are their mean."""
        found = defaultdict(list)
        for entry in self._cell(dataset, "dualres", name).entries:
            if entry.job.seed in FIVE_SEEDS[: int(count)]:
                found[entry.job.fold].append(entry.outcome)
        scores = []
        for outcomes in found.values():
            mean = np.mean([outcome.scores for outcome in outcomes], axis=0)
            scores.append(percent_f1(replace(outcomes[0], scores=tuple(map(tuple, mean)))))
        return f"{statistics.fmean(scores):.1f}"

    def never_right(self, method: str, name: str = "robust") -> str:
        """Verdicts on PHM2009 that are right, and those that rank the truth last: "0 of 280 ... 85"."""
        ranks = []
        for entry in self._cell("phm2009", method, name).entries:
            scores, truth = np.asarray(entry.outcome.scores), np.asarray(entry.outcome.truth)
            own = scores[np.arange(len(truth)), truth]
            ranks += (scores > own[:, None]).sum(1).tolist()
        last = len(entry.outcome.classes) - 1
        return f"{ranks.count(0)} of {len(ranks)} verdicts are right, and {ranks.count(last)} put the truth last"

    def wrong_by(self, dataset: str, method: str, name: str, pattern: str) -> str:
        """Wrong verdicts on the recordings whose names match, over all folds and seeds: "59 of 60"."""
        return wrong_verdicts(self._cell(dataset, method, name), pattern)

    def final_loss(self, method: str, name: str = "robust") -> str:
        """Training loss in nats at the last update, on PHM2009."""
        entries = self._cell("phm2009", method, name).entries
        return f"{statistics.fmean(entry.outcome.history[-1].loss for entry in entries):.2f}"

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
        lines = [f"| | {' | '.join(folds)} |", "|---" * (len(folds) + 1) + "|"]
        for row in zip(*(one["candidates"] for one in every), strict=True):
            cells = [_cell_of(candidate, one["chosen"]) for candidate, one in zip(row, every, strict=True)]
            lines.append(f"| {row[0]['name']} | {' | '.join(cells)} |")
        return "\n".join(lines)

    def _cell(self, dataset: str, method: str, name: str, **where: str) -> Cell:
        recipes = {
            e.job.recipe for e in self._found.where(dataset=dataset) if e.job.recipe and e.job.recipe.kind == name
        }
        if len(recipes) != 1:
            raise ConfigError(f"{dataset} has {len(recipes)} recipes {name!r}")
        cell = self._found.cell(percent_f1, dataset=dataset, method=method, recipe=recipes.pop(), **where)
        if cell.mean is None:
            raise ConfigError(f"nothing was run of {dataset} {method} {name} {where}")
        return cell

    def _gains(self, dataset: str, method: str, **where: str) -> list[float]:
        paper, robust = (self._cell(dataset, method, name, **where) for name in ("paper", "robust"))
        before = dict(zip(paper.seeds, paper.values, strict=True))
        return [value - before[seed] for seed, value in zip(robust.seeds, robust.values, strict=True)]

    def _by_recipes(self, of_fold: dict[str, Recipe], device: str) -> str:
        """Of DualRes by each fold's recipe, whether a study plans it or not."""
        scores: dict[tuple[str, int], float] = {}
        for key, job in self._ledger.jobs().items():
            asked = job.fold in of_fold and job.recipe == of_fold[job.fold] and job.seed in FIVE_SEEDS
            if not asked or (job.method, job.device) != ("dualres", device):
                continue
            if job.budget == self._found.main_budget(job.dataset):
                scores[job.fold, job.seed] = percent_f1(self._ledger.outcome(key))
        return with_spread([statistics.fmean(scores[fold, seed] for fold in of_fold) for seed in FIVE_SEEDS])

    def _file(self, fold: str) -> Path:
        return self._chosen / f"{fold}.json"

    def _json(self, fold: str) -> Any:
        return json.loads(self._file(fold).read_text())


def _cell_of(candidate: Any, chosen: str) -> str:
    text = f"{100 * candidate['mean']:.1f} ± {100 * candidate['standard_error']:.1f}"
    return f"**{text}**" if candidate["name"] == chosen else text
