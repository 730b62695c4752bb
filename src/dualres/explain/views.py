"""A network of views, taken apart.

A head says -k log d_c^2 of class c, with d_c^2 = |z|^2 - |A z|^2 - 2 s_c z + o_c. Between two classes c and r all that
is quadratic is the same, so that d_c^2 - d_r^2 = -2 (s_c - s_r) z + o_c - o_r is a sum over features. The logarithms
differ by

    -k (log d_c^2 - log d_r^2) = g (d_c^2 - d_r^2),    g = -k (log d_c^2 - log d_r^2) / (d_c^2 - d_r^2),

one factor for all features: the sum stays exact. Each feature is counted from a neutral point, halfway between what the
two classes looked like. What the network says of that point itself is the constant; a fitted head says nothing of it
but what rounding leaves. The normalisation of the probabilities is the same for both classes. Mean spectra are means
over tokens, so that their share is a sum over tokens as well.
"""

from dataclasses import dataclass

import numpy as np

from dualres.config import SMALLEST_DISTANCE
from dualres.explain.contributions import Contributions, Explanation, Portrait, log_spectra
from dualres.explain.regions import LOW_LINES, REPETITION, SPECTRA, groupings
from dualres.judge.backends import Windows
from dualres.kernel.views import views_of
from dualres.model.views.weights import HEAD, ViewsWeights
from dualres.utils.arrays import Exact

VIEW_OF_HEAD = {"spectra": SPECTRA, "repetition": REPETITION, "rhythm": REPETITION, "lines": LOW_LINES}


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

    @classmethod
    def of(cls, weights: ViewsWeights, name: str, label: int, rival: int) -> "Head":
        own = {tensor: weights.array(name, tensor) for tensor in HEAD}
        own["slopes"], own["offsets"] = own["slopes"][[label, rival]], own["offsets"][[label, rival]]
        neutral = (weights.class_view(name, label) + weights.class_view(name, rival)) / 2
        sharpness = float(own.pop("sharpness"))
        return cls(**own, sharpness=sharpness, neutral=neutral)

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


def view_shares(
    weights: ViewsWeights, windows: Windows, label: int, rival: int, *, neutral: Exact | None = None
) -> Contributions:
    """Of raw windows (n, window), between two classes by their numbers; the network knows what is neutral."""
    config, groups = weights.config, groupings(weights.config)
    views = {name: view.astype(np.float64) for name, view in views_of(weights, windows).items()}
    heads = {name: Head.of(weights, name, label, rival) for name in views}
    per_unit = heads["spectra"].per_unit()
    heard = np.reshape([log_spectra(one, config, np.float64) @ per_unit for one in windows], (-1, config.tokens))
    over_time = (heard - heads["spectra"].neutral @ per_unit) / config.tokens  # as differences of squared distances
    of_view = {name: np.zeros((len(windows), len(group.regions))) for name, group in groups.items()}
    constant, said = np.zeros(len(windows)), {}
    tokens = np.zeros((len(windows), config.tokens))
    for name, head in heads.items():
        factor = head.factor(views[name])
        shares = factor[:, None] * (views[name] - head.neutral) * head.per_unit()
        neutral = factor * head.of_neutral()
        of_view[VIEW_OF_HEAD[name]] += groups[VIEW_OF_HEAD[name]].sums(shares)
        constant += neutral
        timed = factor[:, None] * over_time if name == "spectra" else np.zeros_like(tokens)
        untimed = neutral if name == "spectra" else shares.sum(1) + neutral
        tokens += timed + untimed[:, None] / config.tokens
        said[name] = shares.sum(1) + neutral
    regions = tuple(region for group in groups.values() for region in group.regions)
    found = np.concatenate([of_view[name] for name in groups], axis=1)
    return Contributions(regions, found, tokens, np.zeros(len(windows)), constant, said, np.zeros_like(found))


def portrait_distance(weights: ViewsWeights, one: Portrait, other: Portrait) -> float:
    """The geometric mean over heads of the distance that each measures to a class, here to a recording."""
    logs = []
    for name in one:
        z = (one[name] - other[name]) * weights.array(name, "scale")
        along = weights.array(name, "directions") @ z
        logs.append(np.log(max(float(z @ z - (along**2).sum()), 1e-12)) / 2)
    return float(np.exp(np.mean(logs)))


EXPLANATION = Explanation(view_shares, views=views_of, distance=portrait_distance)
