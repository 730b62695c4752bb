"""Which labelled recording is most like the one that was judged, as the model hears them."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from dualres.explain.contributions import Portrait
from dualres.explain.reasons import explanation_of, judged_speed, knows_orders, turning_windows
from dualres.explain.regions import SPECTRA
from dualres.judge.backends import weights_of
from dualres.judge.model import Model
from dualres.recordings.recording import Recording
from dualres.recordings.speed import Speed
from dualres.utils.arrays import Exact


@dataclass(frozen=True)
class Neighbour:
    """A labelled recording, and how far it is from the one that was judged: 0 for the same, and no unit."""

    recording: Recording
    portrait: Portrait
    distance: float


def portrait(model: Model, recording: Recording, limit: int | None = None) -> Portrait:
    """Of the half-overlapping windows, the first `limit` if given, at the speed at which they are judged."""
    return portrait_at(model, recording, judged_speed(model, recording, limit), limit)


def portrait_at(model: Model, recording: Recording, speed: Speed | None, limit: int | None = None) -> Portrait:
    """The same at a speed of the shaft; None where that is not known."""
    weights, look = weights_of(model.members[0]), explanation_of(model).views
    sums: dict[str, Exact] = {}
    count = 0
    for windows, hz in turning_windows(model, recording, speed, limit):
        seen = look(weights, windows, *([hz] if knows_orders(model) else []))
        sums = {name: view.sum(0, dtype=np.float64) + sums.get(name, 0.0) for name, view in seen.items()}
        count += len(windows)
    return {name: np.asarray(total / count) for name, total in sums.items()}


PortraitMaker = Callable[[Model, Recording], Portrait]


def neighbours(
    model: Model, heard: Portrait, labelled: Iterable[Recording], *, portrait_of: PortraitMaker = portrait
) -> list[Neighbour]:
    """The labelled recordings, the most similar first."""
    found, weights, distance = [], weights_of(model.members[0]), explanation_of(model).distance
    for recording in labelled:
        known = portrait_of(model, recording)
        found.append(Neighbour(recording, known, distance(weights, heard, known)))
    return sorted(found, key=lambda one: one.distance)


def halfway(labelled: Iterable[Neighbour], label: str, rival: str) -> Exact | None:
    """Log-magnitudes between two classes, as `explain_recording` takes them; None where one has no recording."""
    of_class: dict[str, list[Exact]] = {label: [], rival: []}
    for one in labelled:
        of_class.get(str(one.recording.label), []).append(one.portrait[SPECTRA])
    if not all(of_class.values()):
        return None
    return np.asarray(np.mean([np.mean(portraits, axis=0) for portraits in of_class.values()], axis=0))
