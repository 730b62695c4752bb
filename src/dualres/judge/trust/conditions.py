"""Under what conditions a recording was made, as promises need to know it."""

from collections.abc import Collection, Mapping

from dualres.judge.questions import SPEED
from dualres.recordings.recording import Recording
from dualres.recordings.speed import COLUMNS, SAME_SPEED, Speed, speed_in


def known_of(recording: Recording) -> dict[str, str]:
    """Under what conditions it was recorded, and its component, as far as a list says it."""
    return {**recording.condition, **({"component": recording.component} if recording.component else {})}


def stated_of(recording: Recording) -> dict[str, str]:
    """The same, and the speed that a file, a tachometer or a person states where no list does."""
    known = known_of(recording)
    if recording.speed is None or not recording.speed_told or speed_in(known):
        return known
    return {**known, SPEED: f"{recording.speed.rpm:.5g}"}


def as_labelled(condition: Mapping[str, str], labelled: Mapping[str, Collection[str]]) -> dict[str, str]:
    """The condition with its speed under the labelled name, and as the labelled value that it cannot be told from.

    Two days of one machine differ by a few revolutions, and a model that learned at 1797 rpm knows 1790. A speed that
    is another than all labelled ones stays what it is.
    """
    said, found = speed_in(condition), dict(condition)
    for name in COLUMNS if said else ():
        if said and name in labelled:
            apart = {value: _apart(said, speed_in({name: value})) for value in labelled[name]}
            nearest = min(apart, key=lambda value: apart[value], default="")
            if nearest and apart[nearest] < SAME_SPEED:
                found[name] = nearest
            else:
                found.setdefault(name, f"{said.rpm:.5g} rpm")
    return found


def _apart(one: Speed, other: Speed | None) -> float:
    """By which factor two speeds differ, at least 1."""
    ratio = one.rpm / other.rpm if other else float("inf")
    return max(ratio, 1 / ratio)
