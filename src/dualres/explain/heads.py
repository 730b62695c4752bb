"""Heads that say how far a window is from each class, taken apart.

A head says -k log d_c^2 of class c, with d_c^2 = |z|^2 - |A z|^2 - 2 s_c z + o_c. Between two classes c and r all that
is quadratic is the same, so that d_c^2 - d_r^2 = -2 (s_c - s_r) z + o_c - o_r is a sum over features. The logarithms
differ by

    -k (log d_c^2 - log d_r^2) = g (d_c^2 - d_r^2),    g = -k (log d_c^2 - log d_r^2) / (d_c^2 - d_r^2),

one factor for all features: the sum stays exact. Each feature is counted from a neutral point, halfway between what the
two classes looked like. What the network says of that point itself is the constant; a fitted head says nothing of it
but what rounding leaves. The normalisation of the probabilities is the same for both classes. Mean spectra are means
over tokens, so that their share is a sum over tokens as well.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from dualres.config import SMALLEST_DISTANCE, ModelConfig
from dualres.explain.contributions import Contributions, Portrait, log_spectra
from dualres.explain.regions import SPECTRA, Grouping
from dualres.judge.backends import Windows
from dualres.model.views.weights import HEAD, ViewsWeights
from dualres.utils.arrays import Exact


@dataclass(frozen=True)
class Head:
    """One head, asked about two classes: its tensors in float64."""

    centre: Exact
    scale: Exact
    directions: Exact
    slopes: Exact  # (2, features)
    offsets: Exact  # (2,)
    sharpness: float
    neutral: Exact  # halfway between the two classes, (features,)
    apart: Exact  # the first less the second of them, (features,)

    @classmethod
    def of(cls, weights: ViewsWeights, name: str, label: int, rival: int) -> "Head":
        own = {tensor: weights.array(name, tensor) for tensor in HEAD}
        own["slopes"], own["offsets"] = own["slopes"][[label, rival]], own["offsets"][[label, rival]]
        first, second = weights.class_view(name, label), weights.class_view(name, rival)
        sharpness = float(own.pop("sharpness"))
        return cls(**own, sharpness=sharpness, neutral=(first + second) / 2, apart=first - second)

    def factor(self, view: Exact) -> Exact:
        """By which a difference of squared distances becomes one of logits, (n,)."""
        own, other = self._distances(view).T
        apart = own - other
        logs = np.log(np.maximum(own, SMALLEST_DISTANCE)) - np.log(np.maximum(other, SMALLEST_DISTANCE))
        same = np.abs(apart) <= 1e-9 * np.abs(own)  # then the factor is the logarithm's derivative
        slope = np.where(own > SMALLEST_DISTANCE, 1 / np.maximum(own, SMALLEST_DISTANCE), 0.0)
        return np.asarray(-self.sharpness * np.where(same, slope, logs / np.where(same, 1.0, apart)))

    def per_unit(self) -> Exact:
        """What a feature adds to the difference of squared distances for each unit that it is above neutral."""
        return np.asarray(-2 * (self.slopes[0] - self.slopes[1]) * self.scale)

    def of_neutral(self) -> float:
        """The difference of squared distances at the neutral point."""
        z = (self.neutral - self.centre) * self.scale
        return float(self.offsets[0] - self.offsets[1] - 2 * (self.slopes[0] - self.slopes[1]) @ z)

    def logit(self, view: Exact) -> Exact:
        """What the head says of the first class less what it says of the second, as the network does: (n,)."""
        own, other = np.log(np.maximum(self._distances(view), SMALLEST_DISTANCE)).T
        return np.asarray(-self.sharpness * (own - other))

    def _distances(self, view: Exact) -> Exact:
        z = (view - self.centre) * self.scale
        common = (z**2).sum(1) - ((z @ self.directions.T) ** 2).sum(1)
        return np.asarray(common[:, None] - 2 * z @ self.slopes.T + self.offsets)


@dataclass(frozen=True)
class Asked:
    """A head with what it takes of n windows."""

    head: Head
    view: Exact  # (n, features)
    heard: str  # the name of the view, by which its features have regions
    counts: Exact | float = 1.0  # by what it says is multiplied before heads are added up, (n,)


def shares_of_heads(
    windows: Windows, config: ModelConfig, asked: Mapping[str, Asked], groups: Mapping[str, Grouping]
) -> Contributions:
    """Of heads by their names, the first of which hears mean spectra of the windows (n, window)."""
    of_view, weight, above, apart = (
        {name: np.zeros((len(windows), len(group.regions))) for name, group in groups.items()} for _ in range(4)
    )
    constant, said = np.zeros(len(windows)), {}
    tokens = np.zeros((len(windows), config.tokens))
    for name, one in asked.items():
        factor = one.counts * one.head.factor(one.view)
        group, beyond = groups[one.heard], one.view - one.head.neutral
        shares = factor[:, None] * beyond * one.head.per_unit()
        neutral = factor * one.head.of_neutral()
        of_view[one.heard] += group.sums(shares)
        weight[one.heard] += group.sums(np.abs(shares))
        above[one.heard] += group.sums(np.abs(shares) * beyond)
        apart[one.heard] += group.sums(np.abs(shares) * one.head.apart)
        constant += neutral
        timed = factor[:, None] * _over_time(windows, config, one.head) if one.heard == SPECTRA else 0.0
        untimed = neutral if one.heard == SPECTRA else shares.sum(1) + neutral
        tokens += timed + untimed[:, None] / config.tokens
        said[name] = shares.sum(1) + neutral
    regions = tuple(region for group in groups.values() for region in group.regions)
    found, whole, higher, between = (
        np.concatenate([of[name] for name in groups], axis=1) for of in (of_view, weight, above, apart)
    )
    whole = np.maximum(whole, np.finfo(np.float64).tiny)
    nothing = np.zeros(len(windows)), constant, said, np.zeros_like(found)
    return Contributions(regions, found, tokens, *nothing, above=higher / whole, apart=between / whole)


def _over_time(windows: Windows, config: ModelConfig, head: Head) -> Exact:
    """What each token adds to the difference of squared distances of the head of mean spectra, (n, tokens)."""
    per_unit = head.per_unit()
    heard = np.reshape([log_spectra(one, config, np.float64) @ per_unit for one in windows], (-1, config.tokens))
    return np.asarray((heard - head.neutral @ per_unit) / config.tokens)


def portrait_distance(weights: ViewsWeights, one: Portrait, other: Portrait) -> float:
    """The geometric mean over heads of the distance that each measures to a class, here to a recording."""
    logs = []
    for name in one:
        z = (one[name] - other[name]) * weights.array(name, "scale")
        along = weights.array(name, "directions") @ z
        logs.append(np.log(max(float(z @ z - (along**2).sum()), 1e-12)) / 2)
    return float(np.exp(np.mean(logs)))
