"""Linear discriminant analysis of log-spectra; its covariance is shrunk as Ledoit and Wolf say."""

from __future__ import annotations

import numpy as np

from dualres.bench.methods.catalog import MethodEntry
from dualres.bench.methods.feature_method import FeatureMethod
from dualres.bench.methods.features import TINY, envelope_orders, in_parts, log_spectrum, spectrum_orders
from dualres.bench.methods.method import Method
from dualres.judge.backends import Scores, Windows
from dualres.learn.support import Labels
from dualres.model.reference.probabilities import softmax
from dualres.model_file.integrity import Arrays
from dualres.utils.arrays import Exact

SETTINGS = (
    "Each window is centred and divided by its RMS. Features are the logarithm of the mean power of Hann frames of "
    "2,048 samples that overlap by half. scikit-learn's LinearDiscriminantAnalysis by least squares with automatic "
    "shrinkage (Ledoit and Wolf)."
)
WITH_SPEED = (
    " Besides, by the stated speed, the strongest line in each quarter of an order: of the envelope up to order 12, of "
    "the spectrum up to order 64."
)


class ShrunkLda(FeatureMethod):
    """With the speed, lines of envelope and spectrum over orders, too."""

    def features(self, windows: Windows, hz: Exact | None) -> Exact:
        return in_parts(windows, hz, self._of_centred)

    def _of_centred(self, centred: Exact, hz: Exact) -> Exact:
        standard = centred / np.maximum(np.sqrt((centred**2).mean(1, keepdims=True)), TINY)
        each = [log_spectrum(standard)]
        if self.asks_for_speed:
            each += [envelope_orders(standard, hz), spectrum_orders(standard, hz)]
        return np.concatenate(each, axis=1)

    def classifier(self, features: Exact, labels: Labels, classes: int, seed: int) -> Arrays:
        from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

        found = LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto").fit(features, labels)
        return {"coefficients": np.ascontiguousarray(found.coef_), "intercept": found.intercept_}

    def decide(self, learned: Arrays, features: Exact, classes: int) -> Scores:
        decisions = features @ learned["coefficients"].T + learned["intercept"]
        # Between two classes there is one value, positive for the second.
        return softmax(np.hstack([np.zeros_like(decisions), decisions]) if classes == 2 else decisions)


def _entry(name: str, title: str, settings: str, *, asks_for_speed: bool) -> MethodEntry:
    def make(entry: MethodEntry, *_: object) -> Method:
        return ShrunkLda(entry, asks_for_speed=asks_for_speed)

    return MethodEntry(name, title, "linear", make, nominal_ms=(4, 4), trains=False, settings=settings)


ENTRIES = (
    _entry("lda", "Shrunk LDA", SETTINGS, asks_for_speed=False),
    _entry("lda/orders", "Shrunk LDA, orders", SETTINGS + WITH_SPEED, asks_for_speed=True),
)
