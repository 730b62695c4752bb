"""One HTML file to browse results: no server, no network, nothing to install."""

import base64
import json
import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any

import numpy as np

from dualres.bench.campaign.job import Job
from dualres.bench.campaign.ledger import Outcome
from dualres.bench.datasets import catalog
from dualres.bench.methods.catalog import names
from dualres.bench.paper.scores import ACCURACY, F1, VALUES, Key, as_text
from dualres.bench.report.captions import folds_notice, quick_notice
from dualres.bench.report.names import dataset_name, device_names, method_name
from dualres.bench.report.results import Cell, FinishedJob, Results, percent_accuracy, percent_f1
from dualres.bench.report.tables import Table, Value
from dualres.bench.report.tables.fill import fits_shared
from dualres.config import ModelConfig, Recipe
from dualres.learn.fold import Budget
from dualres.learn.trained.task import Step
from dualres.utils.files import write_whole
from dualres.utils.html import asset

if TYPE_CHECKING:
    from dualres.bench.report.plots.picture import PictureFile  # which loads matplotlib

KEY_LETTERS = 12  # of a job's key in a link: enough to tell millions apart


def write_page(
    path: Path, results: Mapping[str, Results], tables: Sequence[Table], figures: Sequence["PictureFile"]
) -> None:
    """Write the page; `results` by study."""
    data = json.dumps(page_data(results), separators=(",", ":"), allow_nan=False)
    known = {entry.key for found in results.values() for entry in found.entries}
    text = Template(asset("page.html")).substitute(
        style=asset("base.css") + asset("page.css"),
        script="".join(map(asset, ("common.js", "overview.js", "job.js", "page.js"))),
        data=data.replace("<", "\\u003c"),  # so that no text in it can end the element
        tables="".join(_table(table, known) for table in tables),
        figures="".join(map(_figure, figures)),
    )
    write_whole(path, text.encode())


def _table(table: Table, known: set[str]) -> str:
    number = [""] * table.labels + [' class="number"'] * (len(table.header) - table.labels)
    head = "".join(f'<th scope="col"{of}>{escape(text)}</th>' for of, text in zip(number, table.header, strict=True))
    rows = "".join(f"<tr>{''.join(_value(v, i, table, known) for i, v in enumerate(row))}</tr>" for row in table.rows)
    note = f'<p class="note">{escape(table.note)}</p>' if table.note else ""
    body = f'<table class="printed"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>'
    return _exhibit(table, body, note)


def _value(value: Value, position: int, table: Table, known: set[str]) -> str:
    text = escape(value.text)
    keys = [key for each in value.jobs.values() for key in each if key in known]
    if keys:
        address = ",".join(key[:KEY_LETTERS] for key in keys)
        text = f'<a href="#keys={address}" title="The {len(keys)} job(s) behind this number">{text}</a>'
    if value.bold:
        text = f"<b>{text}</b>"
    if value.paper:
        text += f' <span class="paper" title="The paper\'s own value">[{escape(value.paper)}]</span>'
    return f'<th scope="row">{text}</th>' if position < table.labels else f'<td class="number">{text}</td>'


def _figure(figure: "PictureFile") -> str:
    picture = base64.b64encode(figure.png.read_bytes()).decode()
    return _exhibit(figure, f'<img class="plate" alt="{escape(figure.title)}" src="data:image/png;base64,{picture}">')


def _exhibit(shown: "Table | PictureFile", body: str, note: str = "") -> str:
    """A table or figure in a box that scrolls; the page's script shows those of the chosen study."""
    title = escape(shown.title)
    return (
        f'<section class="exhibit" data-study="{escape(shown.study or "")}" data-name="{escape(shown.name)}">'
        f'<h2 tabindex="-1">{title}</h2><p>{escape(shown.caption)}</p>'
        f'<div class="scroll" tabindex="0" role="region" aria-label="{title}">{body}</div>{note}</section>\n'
    )


MOST_POINTS = 60  # of a training history
METRICS = {"f1": F1, "accuracy": ACCURACY}  # as the page and as the paper's values are named


def page_data(results: Mapping[str, Results]) -> dict[str, Any]:
    """Everything the page's script reads. Jobs that are in several studies are told once.

    What the paper printed stands beside the cells of exactly the same seeds.
    """
    pool = _ValuePool()
    finished: dict[str, dict[str, Any]] = {}
    missing: dict[str, dict[str, Any]] = {}
    for name, found in results.items():
        for entry in found.entries:
            if entry.key not in finished:
                finished[entry.key] = _finished(entry, pool)
            finished[entry.key]["studies"].append(name)
        for key in found.planned.keys() - {e.key for e in found.entries}:
            missing.setdefault(key, _missing(found.planned[key]))["studies"].append(name)
    jobs = [job for found in results.values() for job in _jobs(found)]
    return {
        "rate": ModelConfig().rate,
        "methods": {name: method_name(name) for name in names() if name in {j.method for j in jobs}},
        "datasets": {name: dataset_name(name) for name in catalog.names() if name in {j.dataset for j in jobs}},
        "budgets": sorted([b.recordings, b.windows] for b in {j.budget for j in jobs}),
        "seeds": sorted({j.seed for j in jobs}),
        "studies": [_study(name, found) for name, found in results.items()],
        "jobs": list(finished.values()),
        "missing": [missing[key] for key in sorted(missing)],
        "pool": pool.values,
    }


class _ValuePool:
    """Values that many jobs share; a job holds their positions."""

    def __init__(self) -> None:
        self.values: list[Any] = []
        self._known: dict[str, int] = {}

    def put(self, value: Any) -> int:
        position = self._known.setdefault(json.dumps(value), len(self.values))
        if position == len(self.values):
            self.values.append(value)
        return position


def _finished(entry: FinishedJob, pool: _ValuePool) -> dict[str, Any]:
    job, outcome = entry.job, entry.outcome
    return {
        **_missing(job),
        "key": entry.key,
        "plan": pool.put({k: v for k, v in job.plan().items() if k not in ("fold", "method", "seed")}),
        "heldOut": outcome.facts["held_out"],
        "labelled": outcome.labelled_s,
        "classes": pool.put(outcome.classes),
        "judgedCount": len(outcome.recordings),
        "f1": _score(percent_f1(outcome)),
        "accuracy": _score(percent_accuracy(outcome)),
        "recall": [_score(100 * share) for share in outcome.recall],
        "confusion": outcome.confusion.tolist(),
        **_history(outcome.history, pool),
        **_provenance(outcome, pool),
    }


def _missing(job: Job) -> dict[str, Any]:
    """Of a job that was not run: what a table row and the filters need."""
    return {
        "studies": [],
        "dataset": job.dataset,
        "fold": job.fold,
        "method": job.method,
        "budget": str(job.budget),
        "updates": job.recipe.updates if job.recipe else None,
        "training": _training(job),
        "seed": job.seed,
        "judged": job.judged,
    }


def _training(job: Job) -> str:
    if job.recipe is None:
        return "no updates"
    return f"{job.recipe.updates} updates" + ("" if job.recipe.plain else f", {job.recipe.kind}")


def _history(history: tuple[Step, ...], pool: _ValuePool) -> dict[str, Any]:
    """At most MOST_POINTS of the updates, evenly, the first and the last among them; only finite losses."""
    finite = [step for step in history if math.isfinite(step.loss)]
    if not finite:
        return {}
    kept = np.unique(np.linspace(0, len(finite) - 1, min(len(finite), MOST_POINTS)).round().astype(int))
    steps = [finite[i] for i in kept]
    return {"steps": pool.put([s.update for s in steps]), "loss": [float(f"{s.loss:.4g}") for s in steps]}


def _provenance(outcome: Outcome, pool: _ValuePool) -> dict[str, Any]:
    facts, shared = outcome.facts, fits_shared(outcome)  # a share of a time is nobody's time
    starts, by_starts = defaultdict(list), defaultdict(list)
    for recording, start in facts["support"]:
        starts[recording].append(start)
    for recording, each in starts.items():
        by_starts[tuple(each)].append(recording)
    return {
        "support": pool.put([[names, list(each)] for each, names in by_starts.items()]),
        "inputs": pool.put([pool.put(pair) for pair in sorted(facts["inputs"].items())]),
        "labelledBy": pool.put(facts["labelled_s"]),
        "versions": pool.put(facts["versions"]),
        "machine": pool.put(facts["machine"]),
        "model": facts["model_sha256"],
        "cost": pool.put({k: v for k, v in facts["cost"].items() if k not in ("fit_s", *["peak_bytes"] * shared)}),
        "together": int(facts.get("fitted_together", 1)),
        "fit": None if shared else round(facts["cost"]["fit_s"], 2),
        "judge": round(facts["judge_s"], 2),
        "wall": None if shared else round(facts["wall_s"], 2),
        "rss": facts["peak_rss_bytes"],
    }


def _study(name: str, found: Results) -> dict[str, Any]:
    """The study's matrix: its columns, and a cell for every method, column and choice of seeds that was planned.

    Cells without a chosen seed are of the study's own seeds, as its tables are; any further ones stay apart.
    """
    jobs = _jobs(found)
    places: dict[tuple[str, Budget], dict[str, Recipe | None]] = {}
    for job in jobs:
        places.setdefault((job.dataset, job.budget), {})[_training(job)] = job.recipe
    columns: list[dict[str, Any]] = []
    cells: list[dict[str, Any]] = []
    order = catalog.names().index
    for (dataset, budget), recipes in sorted(
        places.items(), key=lambda item: (order(item[0][0]), item[0][1].recordings, item[0][1].windows)
    ):
        trained = {words: recipe for words, recipe in recipes.items() if recipe}
        trainings = sorted(trained, key=lambda words: (not trained[words].plain, trained[words].updates))
        apart = [*trainings, *(recipes.keys() - trained.keys())] if len(trainings) > 1 else [None]
        for training in apart:
            here = [j for j in jobs if (j.dataset, j.budget) == (dataset, budget)]
            behind = [j for j in here if training in (None, _training(j))]
            columns.append({"dataset": dataset, "budget": str(budget), "training": training})
            for method in dict.fromkeys(j.method for j in behind):
                same = [j for j in behind if j.method == method]
                of_study = found.planned_seeds(dataset=dataset, budget=budget, method=method, recipe=same[0].recipe)
                for seed in (None, *sorted({j.seed for j in same})):
                    seeds = of_study if seed is None else (seed,)
                    cells.append({"column": len(columns) - 1, "seed": seed, **_cell(found, same, seeds)})
    return {
        "name": name,
        "question": found.study.question + ("" if found.study.of_paper else " (This study is not in the paper.)"),
        "quick": quick_notice(found.quick, "page"),
        "devices": device_names(e.job for e in found.entries),
        "seeds": found.seeds,
        "planned": len(found.planned),
        "done": sum(e.key in found.planned for e in found.entries),
        "columns": columns,
        "cells": cells,
    }


def _jobs(found: Results) -> list[Job]:
    return list({**found.planned, **{e.key: e.job for e in found.entries}}.values())


def _cell(found: Results, jobs: list[Job], seeds: tuple[int, ...]) -> dict[str, Any]:
    """The numbers of those of the given jobs, which differ in fold and seed only, that have these seeds."""
    one = jobs[0]
    fields = {"dataset": one.dataset, "budget": one.budget, "method": one.method, "recipe": one.recipe}
    f1, accuracy = found.f1(seeds, **fields), found.cell(percent_accuracy, seeds, **fields)
    told: dict[str, Any] = {
        "method": one.method,
        "done": len(f1.entries),
        "planned": f1.planned,
        "asked": seeds,
        "folds": sorted({j.fold for j in jobs}),
    }
    if f1.entries:
        told |= {"heldOut": f1.entries[0].outcome.facts["held_out"], "labelled": f1.labelled_s}
    if f1.values:
        told |= {"seeds": f1.seeds, "f1": _mean_sd(f1), "accuracy": _mean_sd(accuracy)}
    if found.quick is None and one.judged == "evaluation" and (one.recipe is None or one.recipe.plain):
        told |= _printed(one, f1.seeds or seeds)
    return told


def _printed(job: Job, seeds: tuple[int, ...]) -> dict[str, Any]:
    """The paper's values of exactly these seeds; nothing where it printed none."""
    key = Key(job.dataset, job.method, job.budget, seeds, "")
    found = {name: VALUES.get(key._replace(metric=metric)) for name, metric in METRICS.items()}
    values = [(name, as_text(value)) for name, value in found.items() if value]
    return {"paper": {"values": values, "seeds": seeds, "folds": folds_notice([job.dataset])}} if values else {}


def _mean_sd(cell: Cell) -> list[float | None]:
    return [None if value is None else _score(value) for value in (cell.mean, cell.sd)]


def _score(percent: float) -> float:
    return round(float(percent), 3)
