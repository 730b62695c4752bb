"""What an estimate says, in sentences that are read at a glance. They are made from what a card keeps of it."""

from collections.abc import Mapping, Sequence
from typing import Any

from dualres.judge.questions import COMPONENT, NOT_KNOWN, RECORDING, measured, plural, questions_of, word_of

NOTE = "  note: "  # how a sentence begins that is none of the score


def expected(estimates: Sequence[Mapping[str, Any]]) -> list[str]:
    """All sentences of a card's `estimates`, one after the other, and what nobody knows."""
    unknown = [one for one in questions_of(estimates) if one.macro_f1 is None]
    said = [f"Expected {_on(one.unit)}: {NOT_KNOWN}; {one.hint}" for one in unknown]
    return [*(sentence for one in estimates for sentence in sentences(one)), *said]


def sentences(told: Mapping[str, Any]) -> list[str]:
    """The score with what was really held out; `told` is an entry of a card's `estimates`."""
    unit, few = told["unit"], told["classes_not_covered"]
    where = _on(unit) + (" of the same components" if told["same_components"] else "")
    score = measured(told)
    of_some = f" of {', '.join(told['classes'])}," if few else ""
    said = [
        f"Expected {where}: macro-F1 {score.score} ({score.sure})",
        f"  held out: {told['units']:.0f} {plural(unit)}{of_some} in {told['rounds']:.0f} rounds",
    ]
    for label in few:
        if label in told["on_another_recording"]:
            right, judged = told["on_another_recording"][label]
            easier = f"on another recording {right} of {judged} right"
            said.append(f"  {label}: not known {_on(unit)}, label another one; {easier}")
    if "without_speed" in told:
        said.append(_worth(told["macro_f1"], told["without_speed"]["macro_f1"]))
    if "by_labels" in told:
        said.append(_worth(told["macro_f1"], told["by_labels"]["macro_f1"], "geometry", "by labels alone"))
    return [*said, *(f"{NOTE}{note}" for note in told["notes"])]


def _worth(known: float, found: float, what: str = "speed", otherwise: str = "where it has to be found") -> str:
    """What knowing something was worth, by macro-F1 with it and otherwise."""
    shown, without = round(100 * known, 1), round(100 * found, 1)
    worth = f"was worth {shown - without:.1f}" if shown >= without else f"cost {without - shown:.1f}"
    return f"  Knowing the {what} {worth} points: {shown:.1f} with it, {without:.1f} {otherwise}"


def _on(unit: str) -> str:
    if unit == RECORDING:
        return "on another recording"
    return f"{'on' if unit == COMPONENT else 'at'} an unseen {word_of(unit)}"
