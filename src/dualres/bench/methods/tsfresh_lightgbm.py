"""tsfresh's efficient features of a window at the rate of its recording, and LightGBM on them.

Both libraries come with the extra `peers`. Features take seconds of a processor for each window.
"""

from __future__ import annotations

import warnings
from fractions import Fraction

import numpy as np

from dualres.bench.methods.catalog import MethodEntry
from dualres.bench.methods.feature_method import FeatureMethod, FittedFeatures
from dualres.config import POLYPHASE, ModelConfig
from dualres.judge.backends import Scores, Windows
from dualres.learn.support import Labels
from dualres.learn.trained.task import Task
from dualres.model_file.integrity import Arrays
from dualres.recordings.resample import resample
from dualres.utils.arrays import Exact
from dualres.utils.optional_imports import need

MOST_WINDOWS = 2  # of a judged recording
SETTINGS = (
    "tsfresh's EfficientFCParameters of each raw window, taken back to the rate of its recording; what is not finite "
    "counts as missing. LightGBM by its defaults, except that a leaf may hold a single window (min_child_samples=1): "
    "by default it holds 20, more than most supports have of a class. The first "
    f"{MOST_WINDOWS} windows of a judged recording count, since each takes seconds of a processor."
)


class TsfreshLightgbm(FeatureMethod):
    """Its state is LightGBM's own text."""

    asks_for_rate = True
    blank_width = 16

    def learn(self, task: Task) -> FittedFeatures:
        need(f"the method {self.name}", "tsfresh", "lightgbm")
        return super().learn(task)

    def features(self, windows: Windows, hz: Exact | None) -> Exact:
        return self.features_at(windows, hz, None)

    def features_at(self, windows: Windows, hz: Exact | None, rate: float | None) -> Exact:
        import pandas as pd
        from tsfresh.feature_extraction import EfficientFCParameters
        from tsfresh.feature_extraction.extraction import _do_extraction_on_chunk as extract

        found, settings = [], EfficientFCParameters()
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")  # of constant windows and of fits that end early, one for each feature
            for window in windows:
                samples = pd.Series(at_native_rate(window, rate).astype(np.float64))
                row = extract((0, "x", samples), settings, None, show_warnings=False)
                found.append([float(value) for *_, value in row])
        values = np.array(found)
        return np.where(np.isfinite(values), values, np.nan)

    def classifier(self, features: Exact, labels: Labels, classes: int, seed: int) -> Arrays:
        from lightgbm import LGBMClassifier

        trees = LGBMClassifier(min_child_samples=1, random_state=seed, n_jobs=1, verbose=-1, deterministic=True)
        text = trees.fit(features, labels).booster_.model_to_string()
        return {"model": np.frombuffer(text.encode(), np.uint8)}

    def decide(self, learned: Arrays, features: Exact, classes: int) -> Scores:
        from lightgbm import Booster

        found = np.asarray(Booster(model_str=learned["model"].tobytes().decode()).predict(features, num_threads=1))
        return np.stack([1 - found, found], axis=1) if classes == 2 else found


def at_native_rate(window: Windows, rate: float | None) -> Windows:
    """A window (samples,) as its recording had it, where that was slower."""
    model_rate = ModelConfig().rate
    if rate is None or rate >= model_rate:
        return window
    return resample(np.array(window), Fraction(model_rate), round(rate), POLYPHASE, name="a window")


NAMED = "tsfresh-lightgbm", "tsfresh, LightGBM", "boosting"
ENTRIES = (
    MethodEntry(
        *NAMED,
        lambda entry, *_: TsfreshLightgbm(entry),
        nominal_ms=(3_000.0, 3_000.0),
        trains=False,
        needs=("tsfresh", "lightgbm"),
        most_windows=MOST_WINDOWS,
        settings=SETTINGS,
    ),
)
