"""Windows that MiniRocket is tried on, and what aeon makes of them."""

import numpy as np
import pytest
import torch

from dualres.bench.methods.neural import WINDOW
from dualres.model.spectra import normalise

SHORTER = 2048  # samples; a fit takes a tenth of the time


def windows_of(classes, each, window=WINDOW, seed=0):
    """One tone per class in noise, with an offset and a gain of its own in each window."""
    rng = np.random.default_rng(seed)
    labels = np.repeat(np.arange(classes), each)
    tones = np.sin(2 * np.pi * 0.01 * (labels[:, None] + 1) * np.arange(window) + rng.uniform(0, 6, (len(labels), 1)))
    noisy = tones + 0.5 * rng.standard_normal((len(labels), window))
    return (rng.uniform(1, 9, (len(labels), 1)) * noisy + rng.normal(size=(len(labels), 1))).astype(np.float32), labels


def signals_of(windows):
    return normalise(torch.from_numpy(windows)).numpy()


def by_aeon(signals, seed):
    """aeon's transformer, fitted; levels are the last of its parameters."""
    pytest.importorskip("aeon")
    from aeon.transformations.collection.convolution_based import MiniRocket

    before = np.random.get_state()  # noqa: NPY002
    try:
        return MiniRocket(10_000, max_dilations_per_kernel=32, random_state=seed).fit(signals[:, None])
    finally:
        np.random.set_state(before)  # noqa: NPY002, for aeon seeds the generator that everybody shares
