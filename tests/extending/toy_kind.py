"""A kind of network from outside, by NumPy alone: which class' mean levels of 32 bands are nearest."""

import numpy as np

from dualres.explain.contributions import Contributions, Explanation
from dualres.explain.regions import SPECTRA, Region
from dualres.model.kinds import NetworkKind, register_kind
from dualres.model.weights import NetworkWeights

BANDS, TOKENS = 32, 4
HALF_RATE = 32_000  # Hz


class Centroids(NetworkWeights):
    """The mean levels of each class, in nats."""

    kind = "toy/centroids"

    @property
    def classes(self) -> int:
        return len(self.arrays["centroids"])


def shapes(config, classes):
    return {"centroids": (classes, BANDS)}


def levels(windows):
    """Raw windows (n, window) to log-powers (n, bands)."""
    power = np.abs(np.fft.rfft(windows.astype(np.float64)))[:, 1:] ** 2
    return np.log(power.reshape(len(windows), BANDS, -1).mean(-1) + 1e-12)


def logits(network, windows):
    """Less the squared distance to each class, (n, classes)."""
    return -((levels(windows)[:, None] - network.exact("centroids")) ** 2).sum(-1)


def fit(tasks, config, recipe):
    """Of each task's windows and labels a network, as `logits` takes it."""
    from dualres.learn.trained.task import FittedNetwork

    def learned(task):
        seen = levels(task.windows)
        means = np.stack([seen[task.labels == c].mean(0) for c in range(task.classes)])
        return Centroids(config, {"centroids": means.astype(np.float32)})

    return [FittedNetwork(learned(task)) for task in tasks]


def shares(network, windows, label, rival, *, neutral=None):
    """What each band adds to the difference of two logits; all of them add up to it."""
    one, other = network.exact("centroids")[[label, rival]]
    of_bands = 2 * (one - other) * (levels(windows) - (one + other) / 2)
    said, none = of_bands.sum(1), np.zeros(len(windows))
    over_time = np.repeat(said[:, None] / TOKENS, TOKENS, axis=1)
    return Contributions(
        regions=tuple(Region(SPECTRA, i * HALF_RATE / BANDS, (i + 1) * HALF_RATE / BANDS) for i in range(BANDS)),
        of_regions=of_bands,
        of_tokens=over_time,
        memory=none,
        constant=none,
        heads={"levels": said},
        through_memory=np.zeros_like(of_bands),
    )


KIND = register_kind(
    NetworkKind(
        method=Centroids.kind,
        title="nearest centroid",
        recipes={"centroids": None},
        config_fields=("rate", "window"),
        weights=Centroids,
        shapes=shapes,
        logits=logits,
        fit=fit,
        explanation=Explanation(shares),
    )
)
