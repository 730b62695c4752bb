"""Which questions about a model the labels allow, and what to label so that the others could be asked.

How well will it do on a component that it has not seen, at another load or speed, at another value of any column, on
another recording of what it knows? A fit in closed form takes a second or so, and asks all of these. A training by
updates takes minutes: it asks the hardest, or what somebody asks for.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from dualres.audit.claims import condition_named
from dualres.judge.questions import COMPONENT, HARDEST_FIRST, LOAD, RECORDING, SPEED, usual_hardness, word_of
from dualres.learn.holdout import HoldOutError, Rounds, missing, plan_rounds, rounds_of
from dualres.learn.settings import FitSettings
from dualres.recordings.recording import Recording
from dualres.recordings.speed import COLUMNS as SPEEDS

MOST_OTHERS = 2  # columns beside load and speed that are held out unasked, for each takes as many fits


@dataclass(frozen=True)
class Questions:
    """What to hold out for an estimate."""

    plans: tuple[Rounds, ...] = ()  # what is harder as a rule comes first, or what was wanted first
    wanted: frozenset[str] = frozenset()  # units that somebody asked for; none where the labels chose
    promised: frozenset[str] = frozenset()  # units about which verdicts may promise something


def questions_for(settings: FitSettings) -> Questions:
    """What the labels allow and a fit can afford; each plan says of all other units why they are not held out."""
    recordings, quick = settings.recordings, settings.chosen.recipe is None
    possible, not_known = _possible(recordings)
    wanted = [plan_rounds(recordings, unit) for unit in settings.held_out]
    if wanted:
        chosen = wanted
    elif quick and possible:
        chosen = _affordable(possible)
    else:
        chosen = [plan_rounds(recordings)]
    plans = {plan.unit: plan for plan in chosen}
    # What was measured on unseen units is no measure for another recording of a known one.
    if quick and RECORDING in possible:
        plans.setdefault(RECORDING, possible[RECORDING])
    hints = not_known | {unit: f"--held-out {unit} measures it" for unit in possible}
    others = {unit: hint for unit, hint in hints.items() if unit not in plans}
    of_wanted = frozenset(plan.unit for plan in wanted)
    promised = of_wanted | {unit for unit in plans if word_of(unit) in HARDEST_FIRST}
    return Questions(tuple(replace(plan, not_known=others) for plan in plans.values()), of_wanted, promised)


def _possible(recordings: Sequence[Recording]) -> tuple[dict[str, Rounds], dict[str, str]]:
    """How each unit could be held out, and what to label for the others."""
    possible: dict[str, Rounds] = {}
    not_known: dict[str, str] = {}
    for unit in _units(recordings):
        try:
            plan = rounds_of(recordings, unit)
        except HoldOutError:
            not_known[unit] = missing(recordings, unit)
            continue
        if unit == RECORDING and not all(_several_of_each(other, plan) for other in possible.values()):
            not_known[unit] = "label a second recording of a component"
        elif word_of(unit) in HARDEST_FIRST or not any(_same(plan, other) for other in possible.values()):
            possible[unit] = plan
    return possible, not_known


def _units(recordings: Sequence[Recording]) -> list[str]:
    """What may be new to a model, as the recordings call it, what is harder as a rule first."""
    columns = [set(r.condition) for r in recordings]
    load = condition_named(recordings, LOAD)
    speed = next((name for name in SPEEDS if any(name in its for its in columns)), SPEED)
    others = sorted(set.intersection(*columns) - {load, *SPEEDS})
    values = {name: len({r.condition[name] for r in recordings}) for name in others}
    telling = [name for name in others if 1 < values[name] < len(recordings)]  # else it says nothing, or is a name
    return sorted([COMPONENT, load, speed, *telling, RECORDING], key=usual_hardness)


def _affordable(possible: Mapping[str, Rounds]) -> list[Rounds]:
    others = [unit for unit in possible if word_of(unit) not in HARDEST_FIRST]
    return [plan for unit, plan in possible.items() if unit not in others[MOST_OTHERS:]]


def _several_of_each(plan: Rounds, recordings: Rounds) -> bool:
    """Whether some unit has two recordings, so that one can be held out and the other learned from."""
    units = plan.units
    return len({(units[name], alone) for name, alone in recordings.units.items()}) > len(set(units.values()))


def _same(one: Rounds, other: Rounds) -> bool:
    return set(one.held_out) == set(other.held_out)
