"""What a network of orders sees of a few windows of each recording: all that advice is computed from.

Where the speed of every recording is known, they are compared on an axis of orders, and elsewhere on one of Hz.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from dualres.config import ORDER_SIZES, POLYPHASE, ModelConfig
from dualres.learn.closed_form import fit_looks
from dualres.learn.support import Labels, hz_at, views_of
from dualres.model.views.order_network import OrdersNetwork
from dualres.model.views.order_weights import BY_HZ, BY_ORDER
from dualres.recordings.recording import Recording, axes_of
from dualres.recordings.windows import at_rate, cut, spread
from dualres.utils.arrays import Exact
from dualres.utils.progress import Progress, quiet

WINDOWS = 4  # of each recording
COMPARED = ("spectra", "order_modulation", "order_envelope")  # views; on an axis of Hz at the usual speed of all
Places = npt.NDArray[np.int64]  # positions among the recordings


class OrderFeatures(NamedTuple):
    """What is seen of windows, and the speeds of their shafts."""

    spectra: Tensor  # (n, features)
    swings: Tensor  # (n, bands, bank)
    lines: Tensor  # (n, bins)
    hz: Tensor  # float64, (n,), NaN where it is not known


@dataclass(frozen=True)
class Looks:
    """Of each recording `WINDOWS` windows, one recording after the other."""

    seen: OrderFeatures
    config: ModelConfig

    def __len__(self) -> int:
        return len(self.seen.spectra) // WINDOWS

    def of(self, places: Places) -> OrderFeatures:
        """What is seen of the recordings there."""
        windows = (places[:, None] * WINDOWS + np.arange(WINDOWS)).ravel()
        return OrderFeatures(*(view[windows] for view in self.seen))

    @cached_property
    def by_order(self) -> bool:
        """Whether the speed of every recording is known."""
        return bool(torch.isfinite(self.seen.hz).all())

    def averages(self) -> tuple[tuple[Exact, Exact], ...]:
        """Of each view: the mean of each recording's windows, (recordings, features), and how far windows of one
        recording differ, (features,)."""
        found = []
        *looks, hz = self.seen
        turning = hz if self.by_order else torch.full_like(hz, ORDER_SIZES.usual_hz)
        views = OrdersNetwork(2, self.config).views((looks[0], looks[1], looks[2]), turning)
        for name in COMPARED:
            windows = views[name].double().numpy().reshape(len(self), WINDOWS, -1)
            mean = windows.mean(1)
            found.append((mean, np.sqrt(((windows - mean[:, None]) ** 2).mean((0, 1)))))
        return tuple(found)

    @torch.inference_mode()
    def probabilities(self, learned: Places, labels: Labels, classes: int, judged: Places) -> Exact:
        """Of every class, (judged, classes), by a network that learned from some, labelled 0 .. classes - 1."""
        network, heads = OrdersNetwork(classes, self.config), BY_ORDER if self.by_order else BY_HZ
        (*known, known_hz), (*others, hz) = self.of(learned), self.of(judged)
        turning = known_hz.numpy() if self.by_order else None
        every = np.repeat(labels, WINDOWS)
        fit_looks((known[0], known[1], known[2]), every, network, hz=turning, only=heads, fast=True)
        said = network.classify((others[0], others[1], others[2]), hz if self.by_order else None)
        return np.asarray(said.exp().double().numpy().reshape(len(judged), WINDOWS, classes).mean(1))


def looks_of(recordings: Sequence[Recording], progress: Progress = quiet) -> Looks:
    """Windows spread over each recording, or its first axis; of one that holds fewer, some are looked at again."""
    config, seen = ModelConfig(), []
    network = OrdersNetwork(2, config)
    for done, recording in enumerate(recordings):
        progress("Look at the recordings", done, len(recordings), recording.id)
        signal = at_rate(axes_of(recording)[0], config.rate, config.window, POLYPHASE)
        starts = spread(len(signal), config.window, WINDOWS)
        again = [starts[i % len(starts)] for i in range(WINDOWS)]
        windows = cut(signal, again, config.window, recording.id)
        seen.append((*views_of(network.looks, windows, "cpu"), torch.from_numpy(hz_at(recording, again, config))))
    progress("Look at the recordings", len(recordings), len(recordings), "")
    return Looks(OrderFeatures(*(torch.cat(views) for views in zip(*seen, strict=True))), config)
