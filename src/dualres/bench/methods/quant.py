"""QUANT: quantiles of nested intervals of a window, of its differences and its spectrum, and extremely random trees
(Dempster, Schmidt and Webb, 2023).

Features are those of aeon 1.6, to which a test holds them.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import avg_pool1d, pad

from dualres.bench.methods import forest
from dualres.bench.methods.catalog import MethodEntry
from dualres.bench.methods.feature_method import FeatureMethod
from dualres.judge.backends import Scores, Windows
from dualres.learn.support import Labels
from dualres.model.spectra import normalise
from dualres.model_file.integrity import Arrays
from dualres.utils.arrays import Exact

DEPTH = 6  # levels of intervals, each of twice as many as the one before
EVERY = 4  # of the samples of an interval, one is a quantile
TREES = 200
SHARE = 0.1  # of the features that each split looks at
AT_ONCE = 16  # windows
SETTINGS = (
    f"Each window is centred and divided by its RMS. By the authors' defaults: intervals to depth {DEPTH}, of every "
    f"{EVERY} samples one quantile, of the window, its smoothed differences, its second differences and its spectrum; "
    f"{TREES} extremely random trees by entropy, with {SHARE:.0%} of the features at each split."
)


class Quant(FeatureMethod):
    """By its authors' defaults."""

    blank_width = 16

    def features(self, windows: Windows, hz: Exact | None) -> Exact:
        parts = normalise(torch.from_numpy(np.array(windows))).split(AT_ONCE)
        return np.concatenate([quantile_features(part).numpy() for part in parts])

    def classifier(self, features: Exact, labels: Labels, classes: int, seed: int) -> Arrays:
        from sklearn.ensemble import ExtraTreesClassifier

        trees = ExtraTreesClassifier(TREES, max_features=SHARE, criterion="entropy", random_state=seed)
        return forest.arrays_of(trees.fit(features, labels))

    def decide(self, learned: Arrays, features: Exact, classes: int) -> Scores:
        return forest.probabilities(learned, features)


def quantile_features(windows: Tensor) -> Tensor:
    """Of normalised windows (n, window): (n, features)."""
    slopes = windows.diff()
    seen = (
        windows,
        avg_pool1d(pad(slopes[:, None], (2, 2), "replicate"), 5, 1)[:, 0],
        windows.diff(n=2),
        torch.fft.rfft(windows).abs(),
    )
    return torch.cat([_quantiles(one[:, a:b]) for one in seen for a, b in intervals(one.shape[1])], dim=1)


def intervals(length: int) -> Iterator[tuple[int, int]]:
    """First and last sample, exclusive: at every level all intervals, then those between them, shifted by half."""
    for level in range(min(DEPTH, int(np.log2(length)) + 1)):
        count = 2**level
        edges = torch.linspace(0, length, count + 1).long().tolist()
        own = list(pairwise(edges))
        yield from own
        if count > 1 and np.median([b - a for a, b in own]) > 1:
            shift = int(np.ceil(length / count / 2))
            yield from ((a + shift, b + shift) for a, b in own[:-1])


def _quantiles(part: Tensor) -> Tensor:
    """Of an interval (n, samples): every second one less the mean."""
    count = 1 + (part.shape[1] - 1) // EVERY
    shares = torch.linspace(0, 1, count) if count > 1 else torch.tensor([0.5])
    # As `part.quantile(shares)` is, to the last bit, but sorted by NumPy, which takes a twentieth of the time.
    ascending, rank = torch.from_numpy(np.sort(part.numpy(), axis=1)), shares * (part.shape[1] - 1)
    below, above = rank.long(), rank.ceil().long()
    found = ascending[:, below].lerp(ascending[:, above], rank - below)
    if count > 1:
        found[:, 1::2] -= part.mean(1, keepdim=True)
    return found


NAMED = "quant", "QUANT", "forest"
ENTRIES = (MethodEntry(*NAMED, lambda entry, *_: Quant(entry), nominal_ms=(30, 30), trains=False, settings=SETTINGS),)
