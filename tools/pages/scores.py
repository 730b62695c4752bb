"""What the ledger answers: macro-F1 over recordings in percent, losses, verdicts. cells.py says what `where` is."""

import math
import re
import statistics

import numpy as np
import numpy.typing as npt

from dualres.bench.campaign.ledger import Ledger, Outcome
from dualres.bench.campaign.studies import OTHERS
from dualres.bench.paper import scores as paper
from dualres.bench.report.names import method_name
from dualres.errors import ConfigError
from tools.pages.cells import Cells, above_zero, differences, with_spread


class Scores:
    def __init__(self, cells: Cells, ledger: Ledger, repeated: Ledger) -> None:
        """`repeated` holds jobs of the ledger that were done a second time."""
        self._cell, self._found, self._allocation = cells.cell, cells.published, cells.allocation
        self._ledger, self._repeated = ledger, repeated

    def score(self, dataset: str, method: str, **where: str) -> str:
        """Mean over folds and seeds, with the sample SD over the seeds where there are several."""
        return with_spread(self._cell(dataset, method, **where).values)

    def mean(self, dataset: str, method: str, **where: str) -> str:
        return f"{self._cell(dataset, method, **where).mean:.1f}"

    def values(self, dataset: str, method: str, **where: str) -> str:
        """Of every seed."""
        return ", ".join(f"{value:.1f}" for value in self._cell(dataset, method, **where).values)

    def lowest(self, dataset: str, method: str, **where: str) -> str:
        return f"{min(self._cell(dataset, method, **where).values):.1f}"

    def highest(self, dataset: str, method: str, **where: str) -> str:
        return f"{max(self._cell(dataset, method, **where).values):.1f}"

    def sd(self, dataset: str, method: str, **where: str) -> str:
        """Sample SD over the seeds."""
        return f"{self._sd(dataset, method, **where):.1f}"

    def noise(self, dataset: str, method: str, **where: str) -> str:
        """Twice the SD of a difference between two numbers of one seed each."""
        return f"{2 * math.sqrt(2) * self._sd(dataset, method, **where):.0f}"

    def best_other(self, dataset: str) -> str:
        """The highest mean among the six methods that the paper does not replicate, and which of them were not run."""
        run = [method for method in OTHERS if self._found.where(dataset=dataset, method=method)]
        missing = [method_name(method) for method in OTHERS if method not in run]
        best = max(self._cell(dataset, method).mean or 0 for method in run)
        return f"{best:.1f}" + (f" ({', '.join(missing)} not run)" if missing else "")

    def best_allocation(self, dataset: str, method: str) -> str:
        """Into which recordings the same windows are best divided: "6 recordings of 2 windows"."""
        budgets = self._allocation.budgets(dataset)
        cells = {b: self._allocation.f1(dataset=dataset, method=method, budget=b) for b in budgets}
        best = max(budgets, key=lambda budget: cells[budget].mean or 0)
        return f"{best.recordings} recordings of {best.windows} windows"

    def gap(self, dataset: str, method: str, other: str, **where: str) -> str:
        """Mean of the differences at the seeds that both have, with its sign."""
        return f"{statistics.fmean(self._differences(dataset, method, other, **where)):+z.1f}"

    def lead(self, dataset: str, method: str, other: str, **where: str) -> str:
        """The same of a method that is ahead, without the sign; the sentences around it would be wrong otherwise."""
        found = self.gap(dataset, method, other, **where)
        if not found.startswith("+"):
            raise ConfigError(f"{method} is not ahead of {other} on {dataset}: the difference is {found}")
        return found[1:]

    def wins(self, dataset: str, method: str, other: str, **where: str) -> str:
        """In how many of the seeds that both have the first method is better: "4 of 5"."""
        return above_zero(self._differences(dataset, method, other, **where))

    def paper(self, dataset: str, method: str, fold: str | None = None) -> str:
        """What the paper prints for its seed 41."""
        found = paper.printed(dataset, method, self._found.main_budget(dataset), "macro_f1", fold=fold)
        if found is None:
            raise ConfigError(f"the paper prints nothing for {dataset} {method} {fold or ''}")
        return paper.as_text(found, 1)

    def paper_sd(self, dataset: str, method: str) -> str:
        """The largest spread over seeds that the paper prints for a method's macro-F1."""
        spreads = [
            printed.sd
            for key, printed in paper.VALUES.items()
            if (key.dataset, key.method, key.metric) == (dataset, method, "macro_f1") and printed.sd is not None
        ]
        return f"{max(spreads):.1f}"

    def loss(self, dataset: str, method: str, update: str = "", **where: str) -> str:
        """Training loss in nats before that update, by default the last; mean over folds and seeds."""
        histories = [entry.outcome.history for entry in self._cell(dataset, method, **where).entries]
        position = int(update) - 1 if update else -1
        return f"{statistics.fmean(history[position].loss for history in histories):.2f}"

    def verdicts_apart(self, dataset: str, method: str, other: str) -> str:
        """The most verdicts on a fold in which two methods differ at the same seed: "2 of 140"."""
        theirs = {(e.job.fold, e.job.seed): e.outcome for e in self._cell(dataset, other).entries}
        pairs = [(e.outcome, theirs[e.job.fold, e.job.seed]) for e in self._cell(dataset, method).entries]
        most = max(int((_verdicts(one) != _verdicts(two)).sum()) for one, two in pairs)
        return f"{most} of {len(pairs[0][0].recordings)}"

    def wrong(self, dataset: str, method: str, pattern: str, **where: str) -> str:
        """Wrong verdicts on the recordings whose names match, over all folds and seeds: "59 of 60"."""
        found = [
            bool(verdict != truth)
            for outcome in (entry.outcome for entry in self._cell(dataset, method, **where).entries)
            for name, verdict, truth in zip(outcome.recordings, _verdicts(outcome), outcome.truth, strict=True)
            if re.fullmatch(pattern, name)
        ]
        return f"{sum(found)} of {len(found)}"

    def jobs(self) -> str:
        return str(len(self._found.entries))

    def further_jobs(self) -> str:
        """Done on the other device than the one that the tables show."""
        on_any = {entry.key for kind in self._found.kinds for entry in self._found.on_device(kind).entries}
        return str(len(on_any) - len(self._found.entries))

    def repeats(self, device: str) -> str:
        """Jobs of that kind of device that were done twice."""
        return str(len(self._twice(device)))

    def repeats_apart(self, device: str) -> str:
        """The largest difference between their scores, and the verdicts that differ."""
        pairs = self._twice(device)
        largest = max(float(abs(np.asarray(one.scores) - np.asarray(two.scores)).max()) for one, two in pairs)
        verdicts = sum(int((_verdicts(one) != _verdicts(two)).sum()) for one, two in pairs)
        return f"{largest:.6f} in a score and {verdicts} verdicts"

    def not_run(self) -> str:
        """A sentence about the study's own jobs that are not finished; nothing where all are."""
        done = {entry.key for entry in self._found.entries}
        missing = [job for key, job in self._found.planned.items() if key not in done]
        cells = dict.fromkeys(f"{method_name(job.method)} on {job.fold} at {job.budget}" for job in missing)
        return f"Planned and not run yet: {', '.join(cells)}." if cells else ""

    def machines(self, device: str) -> str:
        """What the jobs of that kind of device ran on, and how many of them."""
        names = [e.outcome.facts["machine"]["device"] for e in self._found.entries if e.job.device == device]
        return " and ".join(f"{name} ({names.count(name)} jobs)" for name in sorted(set(names)))

    def _twice(self, device: str) -> list[tuple[Outcome, Outcome]]:
        keys = [key for key, job in self._repeated.jobs().items() if job.device == device]
        return [(self._ledger.outcome(key), self._repeated.outcome(key)) for key in keys]

    def _sd(self, dataset: str, method: str, **where: str) -> float:
        sd = self._cell(dataset, method, **where).sd
        if sd is None:
            raise ConfigError(f"{dataset} {method} {where} has one seed, and so no spread")
        return sd

    def _differences(self, dataset: str, method: str, other: str, **where: str) -> list[float]:
        return differences(self._cell(dataset, method, **where), self._cell(dataset, other, **where))


def _verdicts(outcome: Outcome) -> npt.NDArray[np.int64]:
    return np.asarray(outcome.scores).argmax(1)
