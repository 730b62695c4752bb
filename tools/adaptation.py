"""What judging together is worth (`dualres diagnose --together`), from stored scores and nothing that is fitted anew.

Run as a script, it prints the figures of all datasets; with `--choose`, it first compares settings on simulations: the
rig, judged by networks and by views, and the simulated machines, judged by views. How much a batch is believed was
chosen there: the largest mean gain on whole folds among the settings that lose at most a quarter of a point on batches
of random class shares and of one class, on any of the three, whether conditions are known or not. Other datasets only
judge.
"""

from __future__ import annotations

import argparse
import statistics
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

import numpy as np
import numpy.typing as npt

from dualres.bench.campaign.exchange.read_export import load_export
from dualres.bench.campaign.ledger import Ledger
from dualres.bench.campaign.studies import FIVE_SEEDS, NEURAL_PEERS, study
from dualres.bench.report.adapted_scores import condition_of, unlabelled_s
from dualres.bench.report.names import method_name
from dualres.bench.report.results import FinishedJob, Results
from dualres.errors import ConfigError
from dualres.judge.batch_correction import CHOSEN, Strength, corrected
from dualres.metrics import confusion, macro_f1
from dualres.model.kinds import VIEWS

RESULTS = Path(__file__).parents[1] / "results"
RIG, MACHINES, JUDGED = "simulated", "machines", ("phm2009", "cwru")
CONCENTRATION = 0.3  # of the Dirichlet distribution that class shares are drawn from: few classes make up most of it
SIZES = (20, 50)  # recordings of a batch with random class shares
DRAWS = 10  # batches of each size, from every fold at every seed
ONE_CLASS = 10  # recordings of a batch of one class; of fewer, all
MOST_LOST = 0.25  # points
UNGUARDED = Strength(batch=1.0, closed=-1.0, opened=0.0)  # every batch is believed: it holds all classes alike

Kind = Literal["whole", "shares", "one"]
Picks = npt.NDArray[np.int64]


class Adaptation:
    def __init__(self, ledger: Ledger) -> None:
        recipes, published = (Results(ledger, study(name)).planned_only() for name in ("recipes", "published"))
        rigs = Results(ledger, study("rigs")).planned_only()
        self._entries = recipes.entries
        self._views = [entry for entry in rigs.entries if entry.job.method == VIEWS.method]
        main = published.main_budget(RIG)
        methods = [e for e in published.where(dataset=RIG, budget=main) if e.job.recipe]  # MiniRocket has none
        networks = list({e.key: e for e in (*recipes.where(dataset=RIG), *methods)}.values())
        self._simulated = [networks, *([e for e in self._views if e.job.dataset == name] for name in (RIG, MACHINES))]
        self._drawn: dict[tuple[str, Kind], Sequence[Picks | None]] = {}
        self._known: dict[tuple[str, Kind, bool, Strength | None], float] = {}

    def judged_alone(self, dataset: str, name: str, method: str = "dualres") -> str:
        """Macro-F1 in percent of a fold's recordings one by one; mean over folds and seeds."""
        return f"{self._mean(self._of(dataset, name, method), 'whole', True, None):.1f}"

    def judged_together(self, dataset: str, name: str, method: str = "dualres", conditions: str = "known") -> str:
        """The same, all recordings of a fold being one batch, of conditions that are `known` or `unknown`."""
        entries = self._of(dataset, name, method)
        return f"{self._mean(entries, 'whole', conditions == 'known', CHOSEN):.1f}"

    def unlabelled_seconds(self, dataset: str) -> str:
        """Of a fold's recordings; mean over folds."""
        return f"{statistics.fmean(unlabelled_s(e.outcome) for e in self._of(dataset, 'robust', 'dualres')):.0f}"

    def recording_seconds(self, dataset: str) -> str:
        """Of one recording, as it is judged; mean over all."""
        outcomes = [entry.outcome for entry in self._of(dataset, "robust", "dualres")]
        return f"{sum(map(unlabelled_s, outcomes)) / sum(len(one.truth) for one in outcomes):.1f}"

    def members_together(self, dataset: str, name: str, count: str) -> str:
        """The same of the first seeds as an ensemble: the scores of a recording are their mean."""
        found = defaultdict(list)
        for entry in self._of(dataset, name, "dualres"):
            if entry.job.seed in FIVE_SEEDS[: int(count)]:
                found[entry.job.fold].append(entry)
        means = [np.mean([entry.outcome.scores for entry in entries], axis=0) for entries in found.values()]
        scores = [
            _score(entries[0], mean, None, True, CHOSEN) for entries, mean in zip(found.values(), means, strict=True)
        ]
        return f"{statistics.fmean(scores):.1f}"

    def mixed_change(self, dataset: str, name: str, conditions: str = "known") -> str:
        """Points of accuracy gained in batches with random class shares."""
        return self._change(self._of(dataset, name, "dualres"), "shares", conditions == "known", CHOSEN)

    def one_class_change(self, dataset: str, name: str, conditions: str = "known") -> str:
        """Points of accuracy gained in batches of one class."""
        return self._change(self._of(dataset, name, "dualres"), "one", conditions == "known", CHOSEN)

    def one_class_unguarded(self, dataset: str, name: str) -> str:
        """The same of a batch that is divided by its mean, whatever it holds."""
        return self._change(self._of(dataset, name, "dualres"), "one", False, UNGUARDED)

    def peers_together(self, dataset: str) -> str:
        """A table of the other methods that the recipes were compared with."""
        lines = ["| | recipe | alone | together | unlabelled seconds |", "|---|---|---|---|---|"]
        seconds = self.unlabelled_seconds(dataset)
        for method, name in product(NEURAL_PEERS, ("paper", "robust")):
            values = self.judged_alone(dataset, name, method), self.judged_together(dataset, name, method)
            lines.append(f"| {method_name(method)} | {name} | {' | '.join(values)} | {seconds} |")
        return "\n".join(lines)

    def _of(self, dataset: str, name: str, method: str) -> list[FinishedJob]:
        if name == "views":  # a default of its own kind, without a recipe
            return [entry for entry in self._views if entry.job.dataset == dataset]
        found = [
            e
            for e in self._entries
            if (e.job.dataset, e.job.method) == (dataset, method) and e.job.recipe and e.job.recipe.kind == name
        ]
        if not found:
            raise ConfigError(f"nothing was run of {dataset} {method} {name}")
        return found

    def _change(self, entries: Sequence[FinishedJob], kind: Kind, known: bool, strength: Strength) -> str:
        return f"{self._gain(entries, kind, known, strength):+z.1f}"

    def _gain(self, entries: Sequence[FinishedJob], kind: Kind, known: bool, strength: Strength) -> float:
        return self._mean(entries, kind, known, strength) - self._mean(entries, kind, known, None)

    def _mean(self, entries: Sequence[FinishedJob], kind: Kind, known: bool, strength: Strength | None) -> float:
        return statistics.fmean(self._score(entry, kind, known, strength) for entry in entries)

    def _score(self, entry: FinishedJob, kind: Kind, known: bool, strength: Strength | None) -> float:
        """Percent, mean over the batches of a fold; None judges each recording alone."""
        key = entry.key, kind, known, strength
        if key not in self._known:
            scores = np.asarray(entry.outcome.scores)
            self._known[key] = statistics.fmean(
                _score(entry, scores, batch, known, strength) for batch in self._batches(entry, kind)
            )
        return self._known[key]

    def _batches(self, entry: FinishedJob, kind: Kind) -> Sequence[Picks | None]:
        """The same for every setting; None is all recordings."""
        key = entry.key, kind
        if key not in self._drawn:
            self._drawn[key] = [None] if kind == "whole" else list(_drawn(entry, kind))
        return self._drawn[key]

    def _choose(self) -> None:
        """Print what each setting gains on simulations, and loses at most, the best one first; and which is chosen."""
        grid = product((40.0, 80.0, 160.0), (5.0, 15.0), (0.65, 0.75, 0.85), (0.9, 0.95, 1.05))
        rows = []
        for strength in (Strength(*each) for each in grid):
            gains = [
                [self._gain(entries, kind, known, strength) for entries in self._simulated for known in (True, False)]
                for kind in ("whole", "shares", "one")
            ]
            lost = min(gains[1] + gains[2])
            rows.append((lost >= -MOST_LOST, statistics.fmean(gains[0]), lost, strength))
        rows.sort(key=lambda row: row[:2], reverse=True)
        for allowed, gain, lost, strength in rows:
            print(f"{gain:+5.2f} {lost:+5.2f}", "allowed" if allowed else "       ", strength)
        print(f"chosen {rows[0][-1]}; in use {CHOSEN}")


def _score(
    entry: FinishedJob, scores: npt.NDArray[np.float64], batch: Picks | None, known: bool, strength: Strength | None
) -> float:
    """Macro-F1 of a fold in percent; of a batch accuracy, since classes that it does not hold have no F1."""
    outcome = entry.outcome
    picks = np.arange(len(scores)) if batch is None else batch
    truth, alone = np.asarray(outcome.truth)[picks], scores[picks]
    conditions = [condition_of(entry.job.dataset, outcome.recordings[i]) if known else None for i in picks]
    named = (corrected(alone, conditions, strength) if strength else alone).argmax(1)
    if batch is None:
        return 100 * macro_f1(confusion(truth, named, len(outcome.classes)))
    return 100 * float((truth == named).mean())


def _drawn(entry: FinishedJob, kind: Kind) -> Iterator[Picks]:
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--choose", action="store_true", help="compare settings on simulations first (minutes)")
    choose = parser.parse_args().choose
    with TemporaryDirectory() as scratch, load_export(RESULTS, Path(scratch) / "ledger.sqlite") as ledger:
        found = Adaptation(ledger)
    if choose:
        found._choose()
    print(
        "dataset, recipe: alone, together, conditions unknown | random shares, unknown | one class, unknown, unguarded"
    )
    for dataset, name in product((RIG, *JUDGED), ("paper", "robust", "views")):
        whole = [found.judged_alone(dataset, name), found.judged_together(dataset, name)]
        whole.append(found.judged_together(dataset, name, conditions="unknown"))
        shares = [found.mixed_change(dataset, name, conditions) for conditions in ("known", "unknown")]
        one = [found.one_class_change(dataset, name, conditions) for conditions in ("known", "unknown")]
        one.append(found.one_class_unguarded(dataset, name))
        print(f"{dataset} {name}:", " ".join(whole), "|", " ".join(shares), "|", " ".join(one))
    print("PHM2009, members 5, robust:", found.members_together("phm2009", "robust", "5"))
    print(found.peers_together("phm2009"))


if __name__ == "__main__":
    main()
