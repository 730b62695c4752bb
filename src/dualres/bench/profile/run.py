"""Measuring what is missing, one measurement after the other: side by side they would disturb each other."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from dualres.bench.campaign.workers import in_fresh_process
from dualres.bench.profile.backends import by_way
from dualres.bench.profile.checkpoints import ProfilePaths, find, fit
from dualres.bench.profile.measure import measure, this_machine
from dualres.bench.profile.measurements import Measurement, MeasurementError, keep, place, read
from dualres.bench.profile.plan import Plan
from dualres.errors import DualResError
from dualres.utils.progress import Progress
from dualres.utils.versions import all_versions


@dataclass(frozen=True)
class PlanResult:
    plan: Plan
    measurement: Measurement | None
    known: bool = False  # measured before
    reason: str = ""  # why there is no measurement
    damage: str = ""  # of an earlier one, which this one replaces

    @property
    def elsewhere(self) -> bool:
        """Whether it was measured on another machine, or with other versions of this package's code or libraries."""
        if self.measurement is None:
            return False
        facts = self.measurement.facts
        with by_way(self.plan.way):
            here = this_machine(self.plan.device)
        same_machine = all(facts["machine"].get(name) == here[name] for name in ("device", "cpu", "cores", "kernel"))
        return not same_machine or facts["versions"] != all_versions()


def run(
    plans: Sequence[Plan],
    place_of: ProfilePaths,
    *,
    updates: int | None = None,
    again: bool = False,
    tell_of: Callable[[Plan], Progress],
    ended: Callable[[PlanResult], None],
) -> list[PlanResult]:
    """Measure what is not kept yet, or everything again; each result is kept before the next is begun.

    A measurement of another model than would be measured now does not count, nor does a damaged one.
    """
    results = []
    for plan in plans:
        results.append(_measure_one(plan, place_of, tell_of(plan), updates=updates, again=again))
        ended(results[-1])
    return results


def _measure_one(plan: Plan, where: ProfilePaths, tell: Progress, *, updates: int | None, again: bool) -> PlanResult:
    path, damage = place(plan, where.kept), ""
    try:
        checkpoint = find(plan, where.ledger, updates)
        if path.exists() and not again:
            try:
                measurement = read(path)
                if measurement.facts["model"]["key"] == checkpoint.job.key:
                    return PlanResult(plan, measurement, known=True)
            except MeasurementError as error:
                damage = str(error)
        tell("start", 0, 1, "")
        if not checkpoint.path.exists():  # one that is fitted here stays for the next time
            in_fresh_process(fit, checkpoint, where, threads=plan.threads, tell=tell)
        facts = in_fresh_process(measure, plan, checkpoint, where, threads=plan.threads, tell=tell)
    except DualResError as error:
        return PlanResult(plan, None, reason=str(error), damage=damage)
    measurement = Measurement(plan, facts)
    keep(measurement, where.kept)
    return PlanResult(plan, measurement, damage=damage)
