"""What every part of a few windows said, in nats of the logit of one class less that of another."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from dualres.config import ModelConfig
from dualres.explain.regions import SPECTRA, Region
from dualres.model.reference.spectra import aligned_spectra
from dualres.model.weights import NetworkWeights
from dualres.utils.arrays import Exact, Floats, Reals


@dataclass(frozen=True)
class Contributions:
    """Of n windows. The regions, the memory and the constant add up to the logit; so do the tokens."""

    regions: tuple[Region, ...]
    of_regions: Exact  # (n, regions)
    of_tokens: Exact  # (n, tokens); what has no time within a window is spread evenly over it
    memory: Exact  # (n,); zero but for the paper's network
    constant: Exact  # (n,): what the network says of the neutral point itself
    heads: Mapping[str, Exact]  # the same sum by the parts of the network, (n,) each
    # (n, regions), to first order: by how much the memory would say less without a region. It adds up to nothing, and
    # tells which regions count most; zero but for the paper's network.
    through_memory: Exact
    # (n, regions), where heads tell it: how far a region is above what is halfway between the two classes, and how far
    # the one class was above the other when they were labelled; means over features, by how much each says.
    above: Exact | None = None
    apart: Exact | None = None

    @property
    def total(self) -> Exact:
        """(n,)."""
        return np.asarray(self.of_regions.sum(1) + self.memory + self.constant)


def mean_of(several: "list[Contributions]") -> Contributions:
    """Of the networks of a model."""
    names = ("of_regions", "of_tokens", "memory", "constant", "through_memory")
    means = {name: np.asarray(np.mean([getattr(one, name) for one in several], axis=0)) for name in names}
    heads = {name: np.asarray(np.mean([one.heads[name] for one in several], axis=0)) for name in several[0].heads}
    told = {
        name: np.asarray(np.mean([getattr(one, name) for one in several], axis=0))
        for name in ("above", "apart")
        if all(getattr(one, name) is not None for one in several)
    }
    return Contributions(several[0].regions, **means, heads=heads, **told)


def log_spectra(window: Floats, config: ModelConfig, dtype: npt.DTypeLike = np.float32) -> npt.NDArray[Any]:
    """A raw window (window,) to log(1 + |STFT|) as `dtype`, (tokens, short_bins + long_bins), short frames first."""
    short, long = aligned_spectra(window.astype(dtype)[None], config)
    return np.concatenate([short[0], long[0]], axis=-1)


def mean_spectra(network: NetworkWeights, windows: Floats) -> dict[str, Exact]:
    """Mean log-magnitudes of raw windows (n, window), (n, short_bins + long_bins), with frames of a network's sizes."""
    return {SPECTRA: np.stack([log_spectra(one, network.config).mean(0, dtype=np.float64) for one in windows])}


Portrait = Mapping[str, Exact]  # what a model hears of a recording, the mean over its windows, by the name of a view


def by_spectra(network: Any, one: Portrait, other: Portrait) -> float:
    """How far two portraits are apart in mean spectra."""
    return float(np.linalg.norm(one[SPECTRA] - other[SPECTRA]))


@dataclass(frozen=True)
class Explanation:
    """What explaining a kind of network takes; `network` is always without PyTorch.

    Of a kind that knows orders, `shares` and `views` take the shafts' revolutions per second, too: `hz` (n,), or None
    where they are not known.
    """

    # (network, windows, label, rival, neutral=None): of raw windows (n, window), between two classes by their numbers.
    shares: Callable[..., Contributions]
    counts_from: bool = False  # whether `shares` counts frequencies from the `neutral` log-magnitudes that it is given
    views: Callable[..., Mapping[str, Reals]] = mean_spectra  # of a network's windows, (n, features) each
    distance: Callable[[Any, Portrait, Portrait], float] = by_spectra  # 0 for the same, and no unit
