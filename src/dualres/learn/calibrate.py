"""From an estimate's held-out recordings to what a card keeps of them, so that verdicts can state an error rate; and
how these recordings would be answered then, and whether their stated probabilities hold. Nothing is fitted here."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from dualres.judge.trust.calibration import Answer, Calibration, held_out
from dualres.judge.trust.conditions import known_of
from dualres.judge.trust.conformal import fitted_temperature
from dualres.judge.trust.novelty import NoveltyFeatures, compared
from dualres.judge.trust.standing import HZ, ORDER, HeldOutLogs, Standing, fitted_standing
from dualres.learn.estimate import Estimate, HeldOut
from dualres.learn.holdout import Rounds
from dualres.recordings.recording import Recording

BINS = 5  # of stated probabilities, equally wide


@dataclass(frozen=True)
class HeldOutAnswer:
    """A held-out recording with the answer that the finished model would give to such scores."""

    held: HeldOut
    answer: Answer

    @property
    def stated(self) -> float:
        """The probability of the verdict, as the network says it."""
        return self.held.probabilities[self.held.verdict]

    @property
    def calibrated(self) -> float:
        """The same after the temperature."""
        return self.stated if self.answer.probability is None else self.answer.probability

    @property
    def right(self) -> bool:
        return self.held.verdict == self.held.label


@dataclass(frozen=True)
class Bin:
    """Verdicts that were stated with about the same probability."""

    low: float  # of what may be stated
    high: float
    stated: float  # the mean
    right: int
    count: int


def calibrated(estimate: Estimate, recordings: Sequence[Recording], others: Sequence[Estimate] = ()) -> Calibration:
    """Of a model that learned from all recordings, by models that each learned from some of them; `others` held out
    further units."""
    standings = standings_of(estimate)
    plain, *further = (_question(one, recordings, standings) for one in (estimate, *others))
    return replace(plain, standings=standings).asking(further)


def _question(estimate: Estimate, recordings: Sequence[Recording], standings: Mapping[str, Standing]) -> Calibration:
    classes = estimate.judged[0].classes
    probabilities = [[one.probabilities[label] for label in classes] for one in estimate.held]
    held = [
        held_out(classes, one.label, one.unit, one.new, probabilities=scores, look=look_of(estimate, one, standings))
        for one, scores in zip(estimate.held, probabilities, strict=True)
    ]
    truth, units = [classes.index(one.label) for one in held], [one.unit for one in held]
    temperature = round(fitted_temperature(probabilities, truth, units), 4)
    bound, longest = bound_to(estimate.plan, recordings), max(max(one.windows) for one in estimate.judged)
    other = estimate.without_speed
    without = _question(other, recordings, standings) if other else None
    return Calibration(classes, estimate.unit, tuple(held), temperature, bound, longest, without)


def standings_of(estimate: Estimate) -> dict[str, Standing]:
    """How the final model is to compare windows with classes, by axis: by held-out recordings that were judged on that
    axis, by their speeds where they have one."""
    classes, found = list(estimate.judged[0].classes), dict[str, Standing]()
    for axis in (HZ, ORDER):
        for way in filter(None, (estimate, estimate.without_speed)):
            held = []
            for one in way.held:
                told = way.told[one.round - 1][one.recording]
                logs = [each.logs[each.by_order if axis == ORDER else ~each.by_order] for each in told]
                if any(map(len, logs)):
                    held.append(HeldOutLogs(classes.index(one.label), np.concatenate(logs)))
            if held and (standing := fitted_standing(held, held[0].told.shape[-1])):
                found.setdefault(axis, standing)
    return found


def look_of(estimate: Estimate, one: HeldOut, standings: Mapping[str, Standing]) -> NoveltyFeatures:
    """How a held-out recording looks, compared with classes as the final model will do it."""
    look, told = estimate.looks[one.round - 1][one.recording], estimate.told[one.round - 1][one.recording]
    if not told:
        return look
    return replace(look, distance=float(np.mean([compared(each, standings)[:, 0] for each in told])))


def bound_to(rounds: Rounds, recordings: Sequence[Recording]) -> dict[str, tuple[str, ...]]:
    """The labelled values of conditions, but for those that were new to the model whenever a recording was held out."""
    values: dict[str, set[str]] = defaultdict(set)
    known_before: set[str] = set()  # names of conditions
    for recording in recordings:
        for name, value in known_of(recording).items():
            values[name].add(value)
    for held in rounds.held_out:
        learned = {(r.label, *item) for r in recordings if r.id not in held for item in known_of(r).items()}
        tested = {(r.label, *item) for r in recordings if r.id in held for item in known_of(r).items()}
        known_before |= {name for _, name, _ in tested & learned}
    return {name: tuple(sorted(found)) for name, found in values.items() if name in known_before}


def answered(estimate: Estimate, recordings: Sequence[Recording], calibration: Calibration) -> list[HeldOutAnswer]:
    """Every held-out recording, by the scores that its model gave it and by what `calibration` makes of them.

    It was held out for one question, so it is answered by that one, as if nobody had labelled its unit.
    """
    known = {r.id: {name: value for name, value in known_of(r).items() if name != estimate.unit} for r in recordings}
    untold = {r.id for r in recordings if not r.speed_told}
    (about,) = (one for one in calibration.questions if one.unit == estimate.unit)
    found = []
    for one in estimate.held:
        scores = [one.probabilities[label] for label in calibration.classes]
        look = look_of(estimate, one, calibration.standings)
        alike = about.without_speed if one.recording in untold else None
        asked = (alike or about).asking(())
        found.append(HeldOutAnswer(one, asked.answer(scores, look, known[one.recording])))
    return found


def bins_of(stated: Sequence[float], right: Sequence[bool]) -> list[Bin]:
    """Those that are not empty, in their order."""
    edges = np.linspace(0, 1, BINS + 1)
    shares, hits = np.asarray(stated), np.asarray(right)
    number = np.clip(np.ceil(shares * BINS - 1e-9).astype(int) - 1, 0, BINS - 1)
    return [
        Bin(float(edges[i]), float(edges[i + 1]), float(shares[own].mean()), int(hits[own].sum()), int(own.sum()))
        for i in range(BINS)
        if (own := number == i).any()
    ]
