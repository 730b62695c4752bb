"""Do the intervals of `dualres fit` hold the truth? Prints JSON.

    python -m experiments.eval_intervals > results/measured/intervals.json

Features follow the laws of `made_apart.py`. Held out are components, of four classes each, or loads at which all four
classes were recorded. The rounds and the intervals are those of the package. The truth is the score of the final model
on thirty new components of each class, or at thirty new loads. Shares are in percent, of so many worlds each;
`jackknife` is the interval by units alone, with Student's t for units - 1 degrees of freedom, for comparison.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from scipy.special import stdtrit

from dualres.learn.holdout import COMPONENT, plan_rounds
from dualres.learn.interval import LEVEL, judged_macro_f1, score_of
from dualres.metrics import Counts
from dualres.recordings.recording import Recording
from experiments.made_apart import FEATURES, LAWS, Classes, Law, Made, nothing

WORLDS = range(2000, 2120)
SIZES = (2, 3, 4, 5, 6, 10)  # components of each class, or loads
CLASSES, EACH, NEW = 4, 3, 30
CHOSEN = ("unit effects", "heavy tails", "uneven noise", "drift")


def main() -> None:
    found = {
        unit: {str(size): {name: held(unit, LAWS[name], size) for name in CHOSEN} for size in SIZES}
        for unit in (COMPONENT, "load")
    }
    print(json.dumps({"worlds": len(WORLDS), "level": round(100 * LEVEL), "held": found}, indent=1))


def held(unit: str, law: Law, size: int, seeds: Sequence[int] = WORLDS) -> dict[str, float | int | None]:
    """How often the truth lay within; None where there is no interval."""
    within, before, widths = list[bool](), list[bool](), list[float]()
    rounds = units = 0
    for seed in seeds:
        labelled, unseen = world(unit, law, size, seed)
        plan = plan_rounds([one.recording for one in labelled], unit)
        final, by_unit = Classes(labelled), dict[str, Counts]()
        for out in plan.held_out:
            model = Classes([one for one in labelled if one.recording.id not in out])
            of_unit: dict[str, list[Made]] = defaultdict(list)
            for one in labelled:
                if one.recording.id in out:
                    of_unit[plan.units[one.recording.id]].append(one)
            by_unit |= {name: confusion(model, members) for name, members in of_unit.items()}
        truth = judged_macro_f1(confusion(final, unseen))
        rounds, units = len(plan.held_out), len(by_unit)
        score = score_of(list(by_unit.values()), rounds)
        reach = float(stdtrit(units - 1, (1 + LEVEL) / 2)) * (score.standard_error or 0.0)
        before.append(abs(score.macro_f1 - truth) <= reach)
        if score.low is not None and score.high is not None:
            within.append(score.low <= truth <= score.high)
            widths.append(score.high - score.low)
    mean = {"held": within, "jackknife": before, "width": widths}
    shares = {name: round(100 * float(np.mean(each)), 1) if each else None for name, each in mean.items()}
    return {"units": units, "rounds": rounds, **shares}


def confusion(model: Classes, some: Sequence[Made]) -> Counts:
    matrix = np.zeros((CLASSES, CLASSES), np.int64)
    for one in some:
        said = int(np.argmax(model.probabilities(one)))
        matrix[model.names.index(str(one.recording.label)), said] += 1
    return matrix


def world(unit: str, law: Law, size: int, seed: int) -> tuple[list[Made], list[Made]]:
    """What is labelled, and what is unseen: further components, or the same classes at further loads."""
    rng = np.random.default_rng([seed, size])
    middles = law.apart * rng.standard_normal((CLASSES, FEATURES))
    made: tuple[list[Made], list[Made]] = [], []
    for number in range(size + NEW):
        of_load = 0.7 * law.scatter(rng, 1, FEATURES)[0]
        for label, middle in enumerate(middles):
            if unit == COMPONENT:
                drawn = middle + law.scatter(rng, EACH, FEATURES)
            else:  # a load moves all classes, and each of them a little on its own
                of_class = of_load + 0.5 * law.scatter(rng, 1, FEATURES)[0]
                drawn = middle + of_class + 0.5 * rng.standard_normal((EACH, FEATURES))
            for turn, features in enumerate(drawn):
                about = (
                    {"component": f"{label}-{number}"} if unit == COMPONENT else {"condition": {"load": str(number)}}
                )
                one = Recording(f"{label}-{number}-{turn}", nothing, Fraction(1), f"class {label}", **about)
                made[number >= size].append(Made(one, features))
    return made


if __name__ == "__main__":
    main()
