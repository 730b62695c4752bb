"""How much is a batch to be believed (`dualres diagnose --together`)? From stored scores; nothing is fitted.

    python -m experiments.eval_batch_correction

Settings are compared on simulations: the rig, judged by networks and by views, and the simulated machines, judged by
views. Chosen is the largest mean gain on whole folds among the settings that lose at most a quarter of a point on
batches of random class shares and of one class, on any of the three, whether conditions are known or not. Other
datasets only judge: docs/adaptation.md has what the chosen setting is worth there. It takes minutes.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from dualres.bench.campaign.exchange.read_export import load_export
from dualres.bench.campaign.ledger import Ledger
from dualres.bench.campaign.studies import study
from dualres.bench.report.adapted_scores import condition_of
from dualres.bench.report.results import FinishedJob, Results
from dualres.judge.batch_correction import CHOSEN, Strength, corrected
from dualres.metrics import confusion, macro_f1
from dualres.model.kinds import VIEWS

RESULTS = Path(__file__).parents[1] / "results"
RIG, MACHINES = "simulated", "machines"
CONCENTRATION = 0.3  # of the Dirichlet distribution that class shares are drawn from: few classes make up most of it
SIZES = (20, 50)  # recordings of a batch with random class shares
DRAWS = 10  # batches of each size, from every fold at every seed
ONE_CLASS = 10  # recordings of a batch of one class; of fewer, all
MOST_LOST = 0.25  # points
UNGUARDED = Strength(batch=1.0, closed=-1.0, opened=0.0)  # every batch is believed: it holds all classes alike
GRID = tuple(product((40.0, 80.0, 160.0), (5.0, 15.0), (0.65, 0.75, 0.85), (0.9, 0.95, 1.05)))

Kind = Literal["whole", "shares", "one"]
Picks = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Setting:
    """How a batch is judged; without a strength each recording is judged alone."""

    known: bool  # whether operating conditions are
    strength: Strength | None


class BatchScores:
    """Scores of jobs over their batches, in percent, each computed once."""

    def __init__(self) -> None:
        self._drawn: dict[tuple[str, Kind], list[Picks | None]] = {}
        self._known: dict[tuple[str, Kind, Setting], float] = {}

    def gain(self, entries: Sequence[FinishedJob], kind: Kind, setting: Setting) -> float:
        """Points over judging each recording alone, mean over jobs."""
        alone = Setting(setting.known, None)
        means = (statistics.fmean(self._of_job(entry, kind, one) for entry in entries) for one in (setting, alone))
        return next(means) - next(means)

    def _of_job(self, entry: FinishedJob, kind: Kind, setting: Setting) -> float:
        """Mean over the batches of a fold, which are the same for every setting; None is all recordings."""
        drawn = entry.key, kind
        if drawn not in self._drawn:
            self._drawn[drawn] = [None] if kind == "whole" else list(_batches(entry, kind))
        key = *drawn, setting
        if key not in self._known:
            self._known[key] = statistics.fmean(_score(entry, batch, setting) for batch in self._drawn[drawn])
        return self._known[key]


def _score(entry: FinishedJob, batch: Picks | None, setting: Setting) -> float:
    """Macro-F1 of a fold in percent; of a batch accuracy, since classes that it does not hold have no F1."""
    outcome = entry.outcome
    picks = np.arange(len(outcome.truth)) if batch is None else batch
    truth, alone = np.asarray(outcome.truth)[picks], np.asarray(outcome.scores)[picks]
    conditions = [condition_of(entry.job.dataset, outcome.recordings[i]) if setting.known else None for i in picks]
    named = (corrected(alone, conditions, setting.strength) if setting.strength else alone).argmax(1)
    if batch is None:
        return 100 * macro_f1(confusion(truth, named, len(outcome.classes)))
    return 100 * float((truth == named).mean())


def _batches(entry: FinishedJob, kind: Kind) -> Iterator[Picks]:
    """Positions of recordings."""
    rng = np.random.default_rng(int(entry.key[:8], 16))
    truth = np.asarray(entry.outcome.truth)
    of_class = [np.flatnonzero(truth == c) for c in range(len(entry.outcome.classes))]
    if kind == "one":
        yield from (rng.permutation(members)[:ONE_CLASS] for members in of_class)
        return
    for size in SIZES * DRAWS:
        shares = rng.dirichlet([CONCENTRATION] * len(of_class))
        drawn = rng.choice(len(of_class), size, p=shares)
        yield np.array([rng.choice(of_class[c]) for c in drawn])


def simulated(ledger: Ledger) -> list[list[FinishedJob]]:
    """The rig judged by networks, by whatever recipe, and by views, and the machines judged by views."""
    recipes, published, rigs = (
        Results(ledger, study(name)).planned_only() for name in ("recipes", "published", "rigs")
    )
    main = published.main_budget(RIG)
    methods = [e for e in published.where(dataset=RIG, budget=main) if e.job.recipe]  # MiniRocket has none
    networks = list({e.key: e for e in (*recipes.where(dataset=RIG), *methods)}.values())
    return [networks, *(rigs.where(dataset=name, method=VIEWS.method) for name in (RIG, MACHINES))]


def main() -> None:
    """Print what each setting gains on simulations, and loses at most, the best one first; and which is chosen."""
    with TemporaryDirectory() as scratch, load_export(RESULTS, Path(scratch) / "ledger.sqlite") as ledger:
        judged = simulated(ledger)
    scores, rows = BatchScores(), []
    for strength in (Strength(*each) for each in GRID):
        settings = [Setting(known, strength) for known in (True, False)]
        gains = {
            kind: [scores.gain(entries, kind, setting) for entries, setting in product(judged, settings)]
            for kind in get_args(Kind)
        }
        lost = min(gains["shares"] + gains["one"])
        rows.append((lost >= -MOST_LOST, statistics.fmean(gains["whole"]), lost, strength))
    rows.sort(key=lambda row: row[:2], reverse=True)
    for allowed, gain, lost, strength in rows:
        print(f"{gain:+5.2f} {lost:+5.2f}", "allowed" if allowed else "       ", strength)
    print(f"chosen {rows[0][-1]}; in use {CHOSEN}")


if __name__ == "__main__":
    main()
