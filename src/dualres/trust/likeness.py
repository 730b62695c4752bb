"""How like the labelled recordings another one is, in what the network itself looks at, and in how it was recorded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import astuple, dataclass, fields
from fractions import Fraction

import numpy as np
import numpy.typing as npt
from scipy.special import logsumexp

from dualres.file import Model
from dualres.kernel.pack import Floats, Weights
from dualres.kernel.views_weights import HEAD, ViewsWeights
from dualres.recordings.axes import in_order
from dualres.recordings.looks import bandwidth
from dualres.recordings.recording import Recording, Samples
from dualres.recordings.windows import every_window, stretches
from dualres.scorers import scorer, views_of, weights_of

MOST_WINDOWS = 24  # of a recording, from its start: a look costs the same however long it is
SMALLEST_DISTANCE = 1e-6  # squared, as in `dualres.model.discriminant`
QUIETEST = 1e-9  # a level below it is silence

Values = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Look:
    """A recording as it compares with what was labelled; all but `rate` are means over windows."""

    distance: float  # nats; the further from every class, the larger
    spectrum: float  # nats; the same of mean spectra alone, 0 where the network has no head for them
    level: float  # log of the rms
    bandwidth: float  # octaves above 1 Hz, of the frequency below which 99 % of the power lies
    rate: float  # octaves above 1 Hz, of the sensor

    def rounded(self) -> list[float]:
        return [round(value, 4) for value in astuple(self)]


PARTS = tuple(field.name for field in fields(Look))


def look_at(model: Model, recording: Recording) -> Look:
    """How a recording looks to a model; the mean over its axes where it has several."""
    signals = in_order(recording, model.card.channels)
    found = [_look(model, axis, signal) for axis, signal in enumerate(signals)]
    return Look(*np.mean([astuple(one) for one in found], axis=0).tolist())


def _look(model: Model, axis: int, signal: Recording) -> Look:
    config = model.card.config
    some = stretches(signal, config.rate, config.window, model.card.resampler, MOST_WINDOWS, MOST_WINDOWS)
    return look_at_windows(model, axis, every_window(next(some), config.window), signal.rate)


def look_at_windows(model: Model, axis: int, windows: Samples, rate: Fraction) -> Look:
    """How windows of one axis (n, window) look to a model, recorded at `rate` Hz."""
    members = [weights_of(member) for member in model.members_of(axis)]
    distance, spectrum = np.mean([_distances(member, windows) for member in members], axis=(0, 1)).tolist()
    level, width = np.mean([recorded(window, model.card.config.rate) for window in windows], axis=0).tolist()
    return Look(distance, spectrum, level, width, float(np.log2(float(rate))))


def recorded(window: Samples, rate: float) -> tuple[float, float]:
    """Level and bandwidth of a window at `rate` Hz, as a look has them."""
    level = max(float(window.astype(np.float64).std()), QUIETEST)
    return float(np.log(level)), float(np.log2(max(bandwidth(window, rate), 1.0)))


def nearest(arrays: Mapping[str, Floats], views: Mapping[str, Floats]) -> Values:
    """Logs of squared distances to the nearest class, by all heads of views and by spectra alone, (windows, 2)."""
    logs = {head: np.log(_to_classes(arrays, head, view)) for head, view in views.items()}
    every = np.mean(list(logs.values()), axis=0)  # (windows, classes)
    return np.stack([every.min(1), logs["spectra"].min(1)], axis=1)


def _distances(member: Weights | ViewsWeights, windows: Samples) -> Values:
    """As `nearest`. The paper's network has one readout, whose logits are large where it is near something known."""
    if isinstance(member, ViewsWeights):
        return nearest(member.arrays, views_of(member, windows))
    energy = -logsumexp(scorer(member)(windows).astype(np.float64), axis=1)
    return np.stack([energy, np.zeros_like(energy)], axis=1)


def _to_classes(arrays: Mapping[str, Floats], head: str, view: Floats) -> Values:
    """Squared distances (windows, classes), as `dualres.model.discriminant.Discriminant` has them."""
    own = {name: arrays[f"heads.{head}.{name}"].astype(np.float64) for name in HEAD}
    z = (view - own["centre"]) * own["scale"]
    along = z @ own["directions"].T
    common = (z**2).sum(1, keepdims=True) - (along**2).sum(1, keepdims=True)
    distances: Values = np.maximum(common - 2 * z @ own["slopes"].T + own["offsets"], SMALLEST_DISTANCE)
    return distances
