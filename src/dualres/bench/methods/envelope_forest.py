"""The honest state of practice: statistics, spectrum and envelope of a window, and a random forest on them."""

from __future__ import annotations

import numpy as np

from dualres.bench.methods import forest
from dualres.bench.methods.catalog import MethodEntry
from dualres.bench.methods.feature_method import FeatureMethod
from dualres.bench.methods.features import (
    envelope_orders,
    envelope_shape,
    in_parts,
    shape_statistics,
    spectral_shape,
    spectrum_orders,
)
from dualres.bench.methods.method import Method
from dualres.judge.backends import Scores, Windows
from dualres.learn.support import Labels
from dualres.model_file.integrity import Arrays
from dualres.utils.arrays import Exact

TREES = 100  # scikit-learn's default, as everything else of the forest is
SETTINGS = (
    "Nine statistics of the raw window, its RMS among them; centroid, width and 24 logarithmic bands of its spectrum; "
    "kurtosis of the Hilbert envelope of the whole band, and the strongest line of its spectrum in 24 logarithmic "
    f"bands from 4 Hz to 1 kHz. A random forest by scikit-learn's defaults, {TREES} trees."
)
WITH_SPEED = (
    " Besides, by the stated speed, the strongest line in each quarter of an order: of the envelope up to order 12, of "
    "the spectrum up to order 64. Lines of bearings' faults lie among them; no method is told the geometry, so none of "
    "them is named."
)


class EnvelopeForest(FeatureMethod):
    """With the speed, lines of envelope and spectrum over orders, too."""

    blank_width = 16

    def features(self, windows: Windows, hz: Exact | None) -> Exact:
        return in_parts(windows, hz, self._of_centred)

    def _of_centred(self, centred: Exact, hz: Exact) -> Exact:
        each = [shape_statistics(centred), spectral_shape(centred), envelope_shape(centred)]
        if self.asks_for_speed:
            each += [envelope_orders(centred, hz), spectrum_orders(centred, hz)]
        return np.concatenate(each, axis=1)

    def classifier(self, features: Exact, labels: Labels, classes: int, seed: int) -> Arrays:
        from sklearn.ensemble import RandomForestClassifier

        return forest.arrays_of(RandomForestClassifier(TREES, random_state=seed).fit(features, labels))

    def decide(self, learned: Arrays, features: Exact, classes: int) -> Scores:
        return forest.probabilities(learned, features)


def _entry(name: str, title: str, settings: str, *, asks_for_speed: bool) -> MethodEntry:
    def make(entry: MethodEntry, *_: object) -> Method:
        return EnvelopeForest(entry, asks_for_speed=asks_for_speed)

    return MethodEntry(name, title, "forest", make, nominal_ms=(8, 8), trains=False, settings=settings)


ENTRIES = (
    _entry("envelope-forest", "Envelope, forest", SETTINGS, asks_for_speed=False),
    _entry("envelope-forest/orders", "Envelope orders, forest", SETTINGS + WITH_SPEED, asks_for_speed=True),
)
