"""From a recording to a verdict: resample, window, score, average."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import softmax

from dualres.file import Model
from dualres.kernel.inference import TOGETHER
from dualres.model.network import DualRes
from dualres.recordings.recording import Recording
from dualres.recordings.resample import POLYPHASE
from dualres.recordings.windows import every_window, stretches
from dualres.scorers import scorer

Probabilities = npt.NDArray[np.float64]

WINDOWS_AT_ONCE = 4 * TOGETHER  # enough for a few threads or a GPU, and a file of any length needs little memory


@dataclass(frozen=True)
class Verdict:
    """What a model says of one recording."""

    recording: str
    label: str
    probabilities: dict[str, float]  # of every class, mean over the windows
    windows: int

    @property
    def probability(self) -> float:
        return self.probabilities[self.label]

    @property
    def runner_up(self) -> str:
        """The second most probable class."""
        return sorted(self.probabilities, key=self.probabilities.__getitem__)[-2]


def diagnose_recording(model: Model, recording: Recording, limit: int | None = None) -> Verdict:
    """One verdict from the half-overlapping windows of a recording, the first `limit` of them if given."""
    per_window = model_probabilities(model, recording, limit)
    mean = per_window.mean(0)
    return Verdict(
        recording=recording.id,
        label=model.classes[int(mean.argmax())],
        probabilities=dict(zip(model.classes, mean.tolist(), strict=True)),
        windows=len(per_window),
    )


def model_probabilities(model: Model, recording: Recording, limit: int | None = None) -> Probabilities:
    """Class probabilities of every half-overlapping window, (windows, classes): the mean of the members'."""
    return _mean_probabilities(model.networks, recording, limit, model.card.resampler)


def window_probabilities(
    network: DualRes, recording: Recording, limit: int | None = None, resampler: str = POLYPHASE
) -> Probabilities:
    """As `model_probabilities`, by one network without a card."""
    return _mean_probabilities([network], recording, limit, resampler)


def _mean_probabilities(
    networks: Sequence[DualRes], recording: Recording, limit: int | None, resampler: str
) -> Probabilities:
    """The recording is resampled once, whatever the number of networks."""
    config, scorers = networks[0].config, [scorer(network) for network in networks]
    some = stretches(recording, config.rate, config.window, resampler, WINDOWS_AT_ONCE, limit)
    parts = []
    for stretch in some:
        windows = every_window(stretch, config.window)
        of_members = [softmax(score(windows).astype(np.float64), axis=1) for score in scorers]
        parts.append(np.mean(of_members, axis=0))
    return np.concatenate(parts)
