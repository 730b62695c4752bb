"""From an estimate's held-out recordings to what a card keeps of them, so that verdicts can state an error rate."""

from collections import defaultdict
from collections.abc import Sequence

from dualres.judge.trust.calibration import Calibration, held_out, known_of
from dualres.judge.trust.conformal import fitted_temperature
from dualres.learn.estimate import Estimate
from dualres.learn.holdout import Rounds
from dualres.recordings.recording import Recording


def calibrated(estimate: Estimate, recordings: Sequence[Recording]) -> Calibration:
    """Of a model that learned from all recordings, by models that each learned from some of them."""
    classes = estimate.judged[0].classes
    held = [
        held_out(
            classes,
            one.label,
            one.unit,
            one.new,
            probabilities=[one.probabilities[label] for label in classes],
            look=estimate.looks[one.round - 1][one.recording],
        )
        for one in estimate.held
    ]
    probabilities = [[one.probabilities[label] for label in classes] for one in estimate.held]
    truth, units = [classes.index(one.label) for one in held], [one.unit for one in held]
    temperature = round(fitted_temperature(probabilities, truth, units), 4)
    bound, longest = bound_to(estimate.plan, recordings), max(max(one.windows) for one in estimate.judged)
    return Calibration(classes, estimate.unit, tuple(held), temperature, bound, longest)


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
