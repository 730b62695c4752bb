"""What an estimate says, in sentences that are read at a glance. They are made from what a card keeps of it."""

from collections.abc import Mapping
from typing import Any

from dualres.learn.holdout import COMPONENT, RECORDING, plural

NOTE = "  note: "  # how a sentence begins that is none of the score


def sentences(told: Mapping[str, Any]) -> list[str]:
    """The score with what was really held out, then what is not known; `told` is an entry of a card's `estimates`."""
    unit, few = told["unit"], told["classes_not_covered"]
    where = "on another recording" if unit == RECORDING else _on(unit)
    where += " of the same components" if told["same_components"] else ""
    interval = f"too few {plural(unit)} for an interval"
    if "low" in told:
        interval = f"{100 * told['level']:.0f} % interval {100 * told['low']:.0f} to {100 * told['high']:.0f}"
    of_some = f" of {', '.join(told['classes'])}," if few else ""
    said = [
        f"Expected {where}: macro-F1 {100 * told['macro_f1']:.1f} % ({interval})",
        *(f"Expected {_on(other)}: not known; {advice}" for other, advice in told["not_known"].items()),
        f"  held out: {told['units']:.0f} {plural(unit)}{of_some} in {told['rounds']:.0f} rounds",
    ]
    for label in few:
        if label in told["on_another_recording"]:
            right, judged = told["on_another_recording"][label]
            easier = f"on another recording {right} of {judged} right"
            said.append(f"  {label}: not known {_on(unit)}, label another one; {easier}")
    if "without_speed" in told:
        said.append(_worth(told["macro_f1"], told["without_speed"]["macro_f1"]))
    return [*said, *(f"{NOTE}{note}" for note in told["notes"])]


def _worth(known: float, found: float) -> str:
    """What knowing the speed was worth, by macro-F1 with it and without."""
    shown, without = round(100 * known, 1), round(100 * found, 1)
    worth = f"was worth {shown - without:.1f}" if shown >= without else f"cost {without - shown:.1f}"
    return f"  Knowing the speed {worth} points: {shown:.1f} with it, {without:.1f} where it has to be found"


def _on(unit: str) -> str:
    return f"{'on' if unit == COMPONENT else 'at'} an unseen {unit}"
