"""Which labelled recording is most like the one that was judged, as the model hears them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from dualres.explain.regions import SPECTRA
from dualres.explain.tokens import log_spectra
from dualres.judge.backends import views_of, weights_of
from dualres.judge.model import Model
from dualres.judge.windows import model_windows
from dualres.model.views.weights import ViewsWeights
from dualres.recordings.recording import Recording
from dualres.utils.arrays import Exact

Portrait = Mapping[str, Exact]  # what a model hears of a recording, the mean over its windows, by the name of a head


@dataclass(frozen=True)
class Neighbour:
    """A labelled recording, and how far it is from the one that was judged: 0 for the same, and no unit."""

    recording: Recording
    portrait: Portrait
    distance: float


def portrait(model: Model, recording: Recording, limit: int | None = None) -> Portrait:
    """Of the half-overlapping windows, the first `limit` if given. The paper's network has log-magnitudes alone."""
    config, weights = model.card.config, weights_of(model.members[0])
    sums: dict[str, Exact] = {}
    count = 0
    for windows in model_windows(model, recording, limit):
        if isinstance(weights, ViewsWeights):
            seen = {name: view.sum(0, dtype=np.float64) for name, view in views_of(weights, windows).items()}
        else:
            seen = {SPECTRA: sum(log_spectra(window, config).mean(0, dtype=np.float64) for window in windows)}
        sums = {name: view + sums.get(name, 0.0) for name, view in seen.items()}
        count += len(windows)
    return {name: np.asarray(total / count) for name, total in sums.items()}


PortraitMaker = Callable[[Model, Recording], Portrait]


def neighbours(
    model: Model, heard: Portrait, labelled: Iterable[Recording], *, portrait_of: PortraitMaker = portrait
) -> list[Neighbour]:
    """The labelled recordings, the most similar first."""
    found = []
    for recording in labelled:
        known = portrait_of(model, recording)
        found.append(Neighbour(recording, known, _distance(model, heard, known)))
    return sorted(found, key=lambda one: one.distance)


def halfway(labelled: Iterable[Neighbour], label: str, rival: str) -> Exact | None:
    """Log-magnitudes between two classes, as `explain_recording` takes them; None where one has no recording."""
    of_class: dict[str, list[Exact]] = {label: [], rival: []}
    for one in labelled:
        of_class.get(str(one.recording.label), []).append(one.portrait[SPECTRA])
    if not all(of_class.values()):
        return None
    return np.asarray(np.mean([np.mean(portraits, axis=0) for portraits in of_class.values()], axis=0))


def _distance(model: Model, one: Portrait, other: Portrait) -> float:
    """The geometric mean over heads of the distance that each measures to a class, here to a recording."""
    weights = weights_of(model.members[0])
    if not isinstance(weights, ViewsWeights):
        return float(np.linalg.norm(one[SPECTRA] - other[SPECTRA]))
    logs = []
    for name in one:
        scale, directions = (
            weights.arrays[f"heads.{name}.{part}"].astype(np.float64) for part in ("scale", "directions")
        )
        z = (one[name] - other[name]) * scale
        logs.append(np.log(max(float(z @ z - ((directions @ z) ** 2).sum()), 1e-12)) / 2)
    return float(np.exp(np.mean(logs)))
