"""Does what sets and names promise hold for each unit, on data made apart from the simulators? Adds to trust.json.

    python -m experiments.eval_sets [WORKERS]

Shares are in percent. How hard the worlds are was set by the first hundred seeds, and how names are limited by 2000 to
2400; these are others.

Features follow one of five laws (`made_apart.py`). Classes with one covariance stand between them and probabilities.
The rounds, the calibration and the answers are those of the package. Judged are unseen components, half of which are
stated, and further recordings of labelled ones, which are.

* `laws`: a share is of all sets that were promised for the unit. `most` is what a promise may be kept by for want of
  units: 92 % and one in n + 1, n units on average. `low` and `high` are 95 % bounds by worlds.
* `names`: what is named of all that has a promise, and which share of the names is wrong, with one-sided 95 % bounds by
  components, all recordings of one together, and by worlds, whose names lean on the same limits. `before` are sets of
  one. `many` has ten to fifteen components of each class; `ten` is over these, and `all` over everything.
* `mistaken`: a third of the components of one class are said to be of another. How often is its name wrong?
"""

from __future__ import annotations

import json
import statistics
import sys
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from dualres.judge.trust.calibration import ERROR, NAMED, Calibration, held_out
from dualres.judge.trust.conditions import known_of
from dualres.judge.trust.conformal import fitted_temperature, surprise
from dualres.judge.trust.novelty import NoveltyFeatures
from dualres.learn.calibrate import bound_to
from dualres.learn.holdout import COMPONENT, RECORDING, HoldOutError, plan_rounds
from dualres.utils.arrays import Exact
from dualres.utils.files import write_whole
from experiments.eval_trust import OUT
from experiments.made_apart import LAWS, MANY, TAKEN_FOR, Classes, Law, Made, mistaken, worlds

WORLDS = range(1000, 1400)
ERRORS = (ERROR, 0.2)
LOOK = NoveltyFeatures(-1.0, 0.0, 0.0, 1.0, 1.0)  # everything is as familiar: sets alone are measured
UNITS = (COMPONENT, RECORDING)
ONE_SIDED = 1.645  # standard errors

NOTHING = "none"
World = dict[str, list[Made]]


@dataclass(frozen=True)
class Said:
    """What is said of a recording, and what is true."""

    unit: str  # that the promise is about, or NOTHING
    units: int  # of which so many were held out
    label: str
    component: str
    classes: frozenset[str]  # the set, before a class was added to what cannot be named
    name: str | None

    @property
    def alone(self) -> str | None:
        """What was a name before names had a rate: a set of one."""
        return next(iter(self.classes)) if self.unit != NOTHING and len(self.classes) == 1 else None


Laws = Mapping[str, Sequence[Mapping[float, Sequence[Said]]]]  # what is said in each world, by rate


def main() -> None:
    before = json.loads(OUT.read_text()) if OUT.exists() else {}
    workers = int(sys.argv[1]) if sys.argv[1:] else None
    with ProcessPoolExecutor(workers) as pool:
        few = {name: list(pool.map(partial(told, law), WORLDS)) for name, law in LAWS.items()}
        many = {name: list(pool.map(partial(told, law), WORLDS[::2])) for name, law in MANY.items()}
        wrong = list(pool.map(partial(told, LAWS["unit effects"], change=mistaken), WORLDS))
    measured = summary(few, many, wrong)
    write_whole(OUT, (json.dumps({**before, "made_apart": measured}, indent=1) + "\n").encode())


def summary(few: Laws, many: Laws, wrong: Sequence[Mapping[float, Sequence[Said]]]) -> dict[str, Any]:
    of_name = [[one for one in world[ERROR] if TAKEN_FOR in (one.name, one.alone)] for world in wrong]
    measured: dict[str, Any] = {"worlds": len(WORLDS), "names": {}, "mistaken": named(of_name)}
    measured["laws"] = {name: summed([world[ERROR] for world in each]) for name, each in few.items()}
    for error in ERRORS:
        laws = [{name: [world[error] for world in each] for name, each in some.items()} for some in (few, many)]
        promised = [
            [[one for one in world if one.unit != NOTHING] for each in some.values() for world in each] for some in laws
        ]
        pooled = {"all": named([*promised[0], *promised[1]]), "ten": named(promised[1])}
        measured["names"][str(error)] = {"few": by_unit(laws[0]), "many": by_unit(laws[1]), **pooled}
    return measured


def told(law: Law, seed: int, change: Callable[[World], World] = lambda world: world) -> dict[float, list[Said]]:
    """Of one world, at each rate."""
    world = change(worlds(law, seed))
    calibration, final = calibrated(world["labelled"]), Classes(world["labelled"])
    unseen = world["unseen"]
    found: dict[float, list[Said]] = {error: [] for error in ERRORS}
    for made, stated in ((world["known"], True), (unseen[::2], True), (unseen[1::2], False)):
        probabilities = np.array([final.probabilities(one) for one in made])
        for error in ERRORS:
            found[error] += _said(calibration, made, probabilities, stated=stated, error=error)
    return found


def _said(
    calibration: Calibration, made: Sequence[Made], probabilities: Exact, *, stated: bool, error: float
) -> list[Said]:
    """All of recordings that ask the same: the limits are looked up once. The first is answered, to compare."""
    condition = known_of(made[0].recording) if stated else {}
    answer = calibration.answer(probabilities[0].tolist(), LOOK, condition, error=error)
    asked, _ = calibration.asked(condition, error=error)
    limits, margins = asked.limits(asked.unit, error), asked.name_limits(asked.unit, error) if answer.promise else None
    names = np.array(calibration.classes)
    surprises = surprise(probabilities)
    within = (surprises <= np.array(limits)) | (surprises < 0) if limits else np.zeros(surprises.shape, dtype=bool)
    first, ahead = surprises.argmin(1), -surprises.min(1)
    is_name = (within.sum(1) == 1) & (ahead > np.array(margins)[first]) if margins else np.zeros(len(made), dtype=bool)
    units = calibration.units_of(asked.unit) if answer.promise else 0
    found = [
        Said(
            answer.promise or NOTHING,
            units,
            str(one.recording.label),
            one.recording.component or "",
            frozenset(names[within[number]].tolist()),
            str(names[first[number]]) if is_name[number] else None,
        )
        for number, one in enumerate(made)
    ]
    assert found[0].name == (answer.classes[0] if answer.kind == NAMED else None)
    assert found[0].classes <= set(answer.classes)
    return found


def by_unit(laws: Mapping[str, Sequence[Sequence[Said]]]) -> dict[str, Any]:
    """What is named, for each law and promised unit."""
    return {
        name: {unit: named([[one for one in world if one.unit == unit] for world in each]) for unit in UNITS}
        for name, each in laws.items()
    }


def named(each: Sequence[Sequence[Said]]) -> dict[str, Any]:
    """Of many worlds; the shares of what is named are of all answers."""
    answers = sum(map(len, each))
    found: dict[str, Any] = {"answers": answers}
    for key, names in (("before", [[one.alone for one in world] for world in each]), ("now", _names(each))):
        of_components: dict[tuple[int, str], list[bool]] = defaultdict(list)
        for number, (world, said) in enumerate(zip(each, names, strict=True)):
            for one, name in zip(world, said, strict=True):
                if name is not None:
                    of_components[number, one.component].append(name != one.label)
        of_worlds: dict[int, list[bool]] = defaultdict(list)
        for (number, _), wrong in of_components.items():
            of_worlds[number] += wrong
        count = sum(map(len, of_worlds.values()))
        found[key] = {
            "named": round(100 * count / max(1, answers), 1),
            "wrong": round(100 * sum(map(sum, of_worlds.values())) / count, 1) if count else None,
            "most_by_component": _most(list(of_components.values())),
            "most_by_world": _most(list(of_worlds.values())),
        }
    return found


def _names(each: Sequence[Sequence[Said]]) -> list[list[str | None]]:
    return [[one.name for one in world] for world in each]


def _most(clusters: Sequence[Sequence[bool]]) -> float | None:
    """A one-sided 95 % bound of the share that is wrong, the clusters being independent."""
    if not clusters:
        return None
    wrong, count = np.array(list(map(sum, clusters))), np.array(list(map(len, clusters)))
    share = wrong.sum() / count.sum()
    error = float(np.sqrt(np.sum((wrong - share * count) ** 2))) / count.sum()
    return round(100 * float(share + ONE_SIDED * error), 1)


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


def summed(each: Sequence[Sequence[Said]]) -> dict[str, Any]:
    """Sets by unit; worlds weigh as much as they have answers."""
    return {
        unit: _covered([own for world in each if (own := [one for one in world if one.unit == unit])])
        for unit in sorted({one.unit for world in each for one in world})
    }


def _covered(each: Sequence[Sequence[Said]]) -> dict[str, Any]:
    shares = np.array([np.mean([one.label in one.classes for one in world]) for world in each])
    weights = np.array(list(map(len, each)))
    mean = float(np.average(shares, weights=weights))
    spread = float(np.sqrt(np.sum((weights * (shares - mean)) ** 2)) / weights.sum())
    promised = each[0][0].unit != NOTHING
    of_units = statistics.fmean(1 / (one.units + 1) for world in each for one in world)
    return {
        "answers": int(weights.sum()),
        "covered": round(100 * mean, 1),
        "low": round(100 * (mean - 1.96 * spread), 1),
        "high": round(100 * (mean + 1.96 * spread), 1),
        "most": round(100 * (0.92 + of_units), 1) if promised else None,
        "mean_set": round(statistics.fmean(len(one.classes) for world in each for one in world), 2),
    }


if __name__ == "__main__":
    main()
