"""What a card says to expect, question by question: of an unseen component, at an unseen load, on another recording.

A question names what is new to the model. Each has a score that was measured by holding that out, or a hint what to
label so that it could be measured. The hardest comes first: the one with the lowest score.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dualres.recordings.speed import COLUMNS as SPEEDS

COMPONENT, LOAD, SPEED, RECORDING = "component", "load", "speed", "recording"
HARDEST_FIRST = (COMPONENT, LOAD, SPEED, RECORDING)  # where nothing was measured
NOT_KNOWN = "not known"
_NUMBERS = ("no", "one", "two", "three", "four", "five")


@dataclass(frozen=True)
class Question:
    """What is new to a model, and how well it does then as far as that is known."""

    unit: str  # as it was held out: component, recording or a column
    words: str  # "an unseen load"
    macro_f1: float | None = None  # None where nobody knows
    low: float | None = None  # ends of the interval, where there is one
    high: float | None = None
    level: float | None = None  # of that interval
    units: int = 0  # that were held out
    rounds: int = 0
    hint: str = ""  # what to label, or to ask for, where the score is not known

    @property
    def score(self) -> str:
        """In words."""
        return NOT_KNOWN if self.macro_f1 is None else f"{100 * self.macro_f1:.1f} %"

    @property
    def sure(self) -> str:
        """How far to trust the score, or what would tell it."""
        if self.macro_f1 is None:
            return self.hint
        if self.low is None or self.high is None or self.level is None:
            few = _NUMBERS[self.rounds] if 0 <= self.rounds < len(_NUMBERS) else str(self.rounds)
            return f"{few} round{'s' * (self.rounds != 1)}, no interval"
        return f"{100 * self.level:.0f} % interval {100 * self.low:.0f} to {100 * self.high:.0f}"

    def as_data(self) -> dict[str, Any]:
        """For JSON; what is not known is left out."""
        about = {"unit": self.unit, "question": self.words}
        if self.macro_f1 is None:
            return {**about, "not_known": self.hint}
        ends = {"low": self.low, "high": self.high, "level": self.level}
        known = {name: value for name, value in ends.items() if value is not None}
        return {**about, "macro_f1": self.macro_f1, **known, "units": self.units, "rounds": self.rounds}


def questions_of(estimates: Sequence[Mapping[str, Any]]) -> tuple[Question, ...]:
    """Of a card's `estimates`: first those with a score, the lowest first, then what is not known."""
    known = [measured(one) for one in estimates]
    hints = {unit: hint for one in estimates for unit, hint in one["not_known"].items()}
    for one in known:
        hints.pop(one.unit, None)
    unknown = [Question(unit, question(unit), hint=hint) for unit, hint in hints.items()]
    return (*sorted(known, key=_hardness), *unknown)


def question(unit: str, *, same_components: bool = False) -> str:
    """What is new to the model, in words."""
    if unit == RECORDING:
        return "another recording" + (" of the same components" if same_components else "")
    return f"an unseen {word_of(unit)}"


def word_of(unit: str) -> str:
    """A unit as a person calls it: load for load_hp, speed for rpm."""
    if unit in SPEEDS:
        return SPEED
    return LOAD if unit.casefold().startswith(f"{LOAD}_") else unit


def plural(unit: str) -> str:
    """Several of a unit, in words."""
    word = word_of(unit)
    return f"{word}s" if word in HARDEST_FIRST else f"values of {word}"


def measured(told: Mapping[str, Any]) -> Question:
    """What an entry of a card's `estimates` says."""
    unit = told["unit"]
    ends = {name: told[name] for name in ("low", "high", "level")} if "low" in told else {}
    words = question(unit, same_components=told["same_components"])
    return Question(unit, words, told["macro_f1"], units=int(told["units"]), rounds=int(told["rounds"]), **ends)


def usual_hardness(unit: str) -> float:
    """Smaller for what is harder as a rule; of other columns nobody knows, but another recording is the easiest."""
    word = word_of(unit)
    return HARDEST_FIRST.index(word) if word in HARDEST_FIRST else len(HARDEST_FIRST) - 1.5


def _hardness(one: Question) -> tuple[float, float]:
    return one.macro_f1 or 0.0, usual_hardness(one.unit)
