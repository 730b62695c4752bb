"""The dataset of simulated machines (`dualres.simulated.machines`): nothing to download, nothing to prepare.

Three folds of each hold out a load (M10L of machine 10), a speed (M10V), and a specimen of every class (M10S).
"""

from dataclasses import replace
from fractions import Fraction
from typing import get_args

from dualres.bench.datasets.release import Release, described
from dualres.simulated.machines import CHANNEL, CLASSES, NAME, NUMBERS, Machine, Unit, family, machine, split

LETTERS: dict[Unit, str] = {"load": "L", "speed": "V", "specimen": "S"}


def fold_name(machine: Machine, unit: Unit) -> str:
    return f"M{machine.number}{LETTERS[unit]}"


def label_of(recording: str) -> str:
    return next(label for label in CLASSES if f"_{label}_" in recording)  # an id names one of them


def _rule(machine: Machine, unit: Unit) -> str:
    """What a fold learns from and judges, in words."""
    key, what = {"load": ("load", "% load"), "speed": ("speed", "rpm"), "specimen": ("severity", "specimens")}[unit]
    learned, judged = (
        " and ".join(dict.fromkeys(recording.condition[key] for recording in side)) for side in split(machine, unit)
    )
    return f"learns from {learned} {what}; judges {judged} {what}"


def _release() -> Release:
    sheets = [machine(number) for number in NUMBERS]
    rates = [Fraction(one.rate) for one in sheets]
    return replace(
        described(NAME, channel=CHANNEL, rate=max(rates), classes=CLASSES, label_of=label_of),
        slowest_rate=min(rates),
        fold_rules=tuple(_rule(one, unit) for one in sheets for unit in get_args(Unit)),
        generate=family,
    )


RELEASE = _release()
