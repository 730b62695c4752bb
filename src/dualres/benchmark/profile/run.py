"""Measuring what is missing, one measurement after the other: side by side they would disturb each other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from dualres.benchmark.profile.checkpoints import Checkpoint, find, fit
from dualres.benchmark.profile.fresh import in_fresh_process
from dualres.benchmark.profile.keep import FOLDER, Measurement, keep, place, read
from dualres.benchmark.profile.measure import measure
from dualres.benchmark.profile.plan import Plan
from dualres.benchmark.work import Progress, all_versions, machine
from dualres.errors import DualResError


@dataclass(frozen=True)
class Place:
    """Where everything lies."""

    ledger: Path
    stores: Path

    @property
    def kept(self) -> Path:
        """The measurements, beside the ledger."""
        return self.ledger.parent / FOLDER

    @property
    def cache(self) -> Path:
        return self.ledger.parent / "cache"


@dataclass(frozen=True)
class Ended:
    """How it went with one plan."""

    plan: Plan
    measurement: Measurement | None
    known: bool = False  # measured before
    reason: str = ""  # why there is no measurement

    @property
    def elsewhere(self) -> bool:
        """Whether it was measured on another machine or with another state of this package's code."""
        if self.measurement is None:
            return False
        facts, here = self.measurement.facts, machine(self.plan.device)
        same_code = facts["versions"]["source"] == all_versions()["source"]
        return not same_code or facts["machine"]["device"] != here["device"]


Tell = Callable[[Plan, str, int, int], None]  # stage, done, in all


def run(
    plans: Sequence[Plan],
    place_of: Place,
    *,
    updates: int | None = None,
    again: bool = False,
    tell: Tell,
    ended: Callable[[Ended], None],
) -> list[Ended]:
    """Measure what is not kept yet, or everything again; each result is kept before the next is begun."""
    results = []
    for plan in plans:
        results.append(_one(plan, place_of, updates, again, lambda *step, plan=plan: tell(plan, *step)))
        ended(results[-1])
    return results


def _one(plan: Plan, where: Place, updates: int | None, again: bool, tell: Progress) -> Ended:
    path = place(plan, where.kept)
    if path.exists() and not again:
        return Ended(plan, read(path), known=True)
    tell("start", 0, 1)
    try:
        checkpoint = _ready(plan, where, updates, tell)
        facts = in_fresh_process(measure, plan, checkpoint, where.stores, where.cache, threads=plan.threads, tell=tell)
    except DualResError as error:
        return Ended(plan, None, reason=str(error))
    measurement = Measurement(plan, facts)
    keep(measurement, where.kept)
    return Ended(plan, measurement)


def _ready(plan: Plan, where: Place, updates: int | None, tell: Progress) -> Checkpoint:
    """A checkpoint whose model is there; one that is fitted here stays for the next time."""
    checkpoint = find(plan, where.ledger, updates)
    if not checkpoint.path.exists():
        in_fresh_process(fit, checkpoint, where.stores, where.cache, threads=plan.threads, tell=tell)
    return checkpoint
