"""From a recording to a verdict: resample, window, score, average."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import softmax

from dualres.kernel.score import TOGETHER
from dualres.model.artifact import Model
from dualres.model.network import DualRes
from dualres.recordings.recording import Recording
from dualres.recordings.resample import POLYPHASE
from dualres.recordings.windows import every_window, stretches
from dualres.score import scorer

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
    per_window = window_probabilities(model.network, recording, limit, model.card.resampler)
    mean = per_window.mean(0)
    return Verdict(
        recording=recording.id,
        label=model.classes[int(mean.argmax())],
        probabilities=dict(zip(model.classes, mean.tolist(), strict=True)),
        windows=len(per_window),
    )


def window_probabilities(
    network: DualRes, recording: Recording, limit: int | None = None, resampler: str = POLYPHASE
) -> Probabilities:
    """Class probabilities of every half-overlapping window, (windows, classes)."""
    config, score = network.config, scorer(network)
    some = stretches(recording, config.rate, config.window, resampler, WINDOWS_AT_ONCE, limit)
    logits = np.concatenate([score(every_window(stretch, config.window)) for stretch in some])
    return np.asarray(softmax(logits.astype(np.float64), axis=1))
