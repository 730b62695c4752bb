"""The rule by which the folds of simulated machines were frozen: three of each machine, by load, speed and specimen.

M10L holds out a load of machine 10, M10V a speed, and M10S a specimen of every class.
"""

from collections.abc import Iterable

from dualres.bench.datasets.folds import Fold
from dualres.recordings.recording import Recording
from dualres.simulated.machines import NAME, Machine, Unit, split

LETTERS: dict[Unit, str] = {"load": "L", "speed": "V", "specimen": "S"}


def fold_name(machine: Machine, unit: Unit) -> str:
    return f"M{machine.number}{LETTERS[unit]}"


def fold_of(machine: Machine, unit: Unit) -> Fold:
    """The fold. Windows lie side by side from the start on: so four of them fit into 2.1 s, the shortest recordings."""
    learned, judged = split(machine, unit)
    support = {
        label: tuple(recording.id for recording in nested(r for r in learned if r.label == label))
        for label in machine.classes
    }
    evaluation = tuple(recording.id for recording in judged)
    return Fold(fold_name(machine, unit), NAME, unit, support, evaluation, 0, 1.0, None)


def nested(recordings: Iterable[Recording]) -> list[Recording]:
    """The recordings of a class in the order in which budgets take them.

    Next is the one whose speed, load and severity were least often there before, so that few recordings cover much.
    """
    left = list(recordings)
    taken: list[Recording] = []

    def met(recording: Recording) -> int:
        return sum(recording.condition[key] == one.condition[key] for one in taken for key in recording.condition)

    while left:
        taken.append(min(left, key=met))  # the first of several
        left.remove(taken[-1])
    return taken
