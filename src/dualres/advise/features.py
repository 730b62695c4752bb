"""What the views see of a few windows of each recording: all that advice is computed from."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch

from dualres.config import POLYPHASE, ModelConfig
from dualres.learn.closed_form import ViewFeatures, fit_seen, seen_in
from dualres.learn.support import Labels
from dualres.recordings.recording import Recording, axes_of
from dualres.recordings.windows import at_rate, cut, spread
from dualres.utils.arrays import Exact
from dualres.utils.progress import Progress, quiet

WINDOWS = 4  # of each recording
Places = npt.NDArray[np.int64]  # positions among the recordings


@dataclass(frozen=True)
class Looks:
    """Of each recording `WINDOWS` windows, one recording after the other."""

    seen: ViewFeatures
    config: ModelConfig

    def __len__(self) -> int:
        return len(self.seen.spectra) // WINDOWS

    def of(self, places: Places) -> ViewFeatures:
        """What is seen of the recordings there."""
        windows = (places[:, None] * WINDOWS + np.arange(WINDOWS)).ravel()
        return ViewFeatures(*(view[windows] for view in self.seen))

    def averages(self) -> tuple[tuple[Exact, Exact], ...]:
        """Of the spectra and of what repeats: the mean of each recording's windows, (recordings, features), and how far
        windows of one recording differ, (features,)."""
        found = []
        for view in self.seen.of_views()[:2]:
            windows = view.double().numpy().reshape(len(self), WINDOWS, -1)
            mean = windows.mean(1)
            found.append((mean, np.sqrt(((windows - mean[:, None]) ** 2).mean((0, 1)))))
        return tuple(found)

    def probabilities(self, learned: Places, labels: Labels, classes: int, judged: Places) -> Exact:
        """Of every class, (judged, classes), by views that learned from some recordings, labelled 0 .. classes - 1."""
        network = fit_seen(self.of(learned), np.repeat(labels, WINDOWS), classes, self.config, fast=True)
        each = network.classify(*self.of(judged).of_views()).exp().double().numpy()
        return np.asarray(each.reshape(len(judged), WINDOWS, classes).mean(1))


def looks_of(recordings: Sequence[Recording], progress: Progress = quiet) -> Looks:
    """Windows spread over each recording, or its first axis; of one that holds fewer, some are looked at again."""
    config, seen = ModelConfig(), []
    for done, recording in enumerate(recordings):
        progress("Look at the recordings", done, len(recordings), recording.id)
        signal = at_rate(axes_of(recording)[0], config.rate, config.window, POLYPHASE)
        starts = spread(len(signal), config.window, WINDOWS)
        again = [starts[i % len(starts)] for i in range(WINDOWS)]
        seen.append(seen_in(cut(signal, again, config.window, recording.id), config))
    progress("Look at the recordings", len(recordings), len(recordings), "")
    return Looks(ViewFeatures(*(torch.cat(views) for views in zip(*seen, strict=True))), config)
