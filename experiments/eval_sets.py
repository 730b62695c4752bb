"""Does what sets promise hold for each unit, on data made apart from the simulators? Adds to trust.json.

    python -m experiments.eval_sets

Shares are in percent. How hard the worlds are was set by the first hundred seeds; these are others.

Features follow one of five laws (`made_apart.py`). Classes with one covariance stand between them and probabilities.
The rounds, the calibration and the answers are those of the package. Judged are unseen components, half of which are
stated, and further recordings of labelled ones, which are.

A share is of all sets that were promised for the unit. `most` is what a promise may be kept by for want of units: 92 %
and one in n + 1, n units on average. `low` and `high` are 95 % bounds by worlds.
"""

from __future__ import annotations

import json
import statistics
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np

from dualres.judge.trust.calibration import ERROR, NAMED, Answer, Calibration, held_out, known_of
from dualres.judge.trust.conformal import fitted_temperature
from dualres.judge.trust.novelty import NoveltyFeatures
from dualres.learn.calibrate import bound_to
from dualres.learn.holdout import COMPONENT, RECORDING, HoldOutError, plan_rounds
from dualres.utils.files import write_whole
from experiments.eval_trust import OUT
from experiments.made_apart import LAWS, Classes, Law, Made, worlds

WORLDS = range(1000, 1400)
LOOK = NoveltyFeatures(-1.0, 0.0, 0.0, 1.0, 1.0)  # everything is as familiar: sets alone are measured

Told = dict[str, list[tuple[bool, Answer, int]]]  # by promised unit: whether the set holds the truth, and of how many


def main() -> None:
    before = json.loads(OUT.read_text()) if OUT.exists() else {}
    measured = {"worlds": len(WORLDS), "laws": laws()}
    write_whole(OUT, (json.dumps({**before, "made_apart": measured}, indent=1) + "\n").encode())


def laws(seeds: Sequence[int] = WORLDS) -> dict[str, Any]:
    return {name: summed([answers(law, seed) for seed in seeds]) for name, law in LAWS.items()}


def answers(law: Law, seed: int) -> Told:
    """Of one world."""
    world = worlds(law, seed)
    calibration, final = calibrated(world["labelled"]), Classes(world["labelled"])
    told: Told = defaultdict(list)
    for kind in ("known", "unseen"):
        for number, one in enumerate(world[kind]):
            condition = {} if kind == "unseen" and number % 2 else known_of(one.recording)
            answer = calibration.answer(final.probabilities(one), LOOK, condition, error=ERROR)
            promise = answer.promise or "none"
            right = one.recording.label in answer.classes
            told[promise].append((right, answer, calibration.units_of(promise)))
    return told


def calibrated(labelled: Sequence[Made]) -> Calibration:
    """As `dualres fit` does it: components held out, then recordings of known ones."""
    questions = []
    recordings, classes = [one.recording for one in labelled], Classes(labelled).names
    for unit in (COMPONENT, RECORDING):
        try:
            rounds = plan_rounds(recordings, unit)
        except HoldOutError:
            continue
        held, said = [], []
        for out in rounds.held_out:
            model = Classes([one for one in labelled if one.recording.id not in out])
            for one in (one for one in labelled if one.recording.id in out):
                name, label = one.recording.id, str(one.recording.label)
                shares, new = model.probabilities(one), name not in rounds.easier
                held.append(held_out(classes, label, rounds.units[name], new, probabilities=shares, look=LOOK))
                said.append((shares, classes.index(label), rounds.units[name]))
        temperature = fitted_temperature(*zip(*said, strict=True))
        bound = bound_to(rounds, recordings)
        questions.append(Calibration(classes, unit, tuple(held), temperature, bound))
    return questions[0].asking(questions[1:])


def summed(worlds_told: Sequence[Told]) -> dict[str, Any]:
    """By unit; worlds weigh as much as they have answers."""
    found = {}
    for unit in sorted({unit for told in worlds_told for unit in told}):
        each = [told[unit] for told in worlds_told if told.get(unit)]
        shares, weights = (
            np.array([np.mean([right for right, *_ in one]) for one in each]),
            np.array(list(map(len, each))),
        )
        mean = float(np.average(shares, weights=weights))
        spread = float(np.sqrt(np.sum((weights * (shares - mean)) ** 2)) / weights.sum())
        of_units = statistics.fmean(1 / (units + 1) for one in each for *_, units in one)
        named = [right for one in each for right, answer, _ in one if answer.kind == NAMED]
        found[unit] = {
            "answers": int(weights.sum()),
            "covered": round(100 * mean, 1),
            "low": round(100 * (mean - 1.96 * spread), 1),
            "high": round(100 * (mean + 1.96 * spread), 1),
            "most": round(100 * (0.92 + of_units), 1) if unit != "none" else None,
            "mean_set": round(statistics.fmean(len(answer.classes) for one in each for _, answer, _ in one), 2),
            "named": round(100 * len(named) / int(weights.sum()), 1),
            "named_right": round(100 * statistics.fmean(named), 1) if named else None,
        }
    return found


if __name__ == "__main__":
    main()
