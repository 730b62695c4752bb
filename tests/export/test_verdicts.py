"""Verdicts of the exported code of every kind of model, against Python's of the whole recording."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from dualres import diagnose_recording
from dualres.export.device_network import device_of
from dualres.export.test_vectors import as_counts, stream_shares
from dualres.recordings.recording import Recording
from tests.export.conftest import CLASSES, machine, model_called
from tests.variants import also

FLOATS = [
    *[("paper", 12_800), ("paper", 64_000), ("views", 64_000), ("paper members", 12_800), ("paper apart", 12_800)],
    *also(*(("paper", rate) for rate in (48_000, "200000/3")), *(("views", rate) for rate in (12_800, "200000/3"))),
    *also(("paper members", 64_000), *(("views members", rate) for rate in (12_800, 64_000))),
    *also(("paper apart", 64_000), *(("paper shared", rate) for rate in (12_800, 64_000))),
    *also(*((which, rate) for which in ("views apart", "views shared") for rate in (12_800, 64_000))),
    ("orders", 12_800),
    *also(("orders", "200000/3"), ("orders members", 12_800), ("orders apart", 12_800), ("orders shared", 64_000)),
    *also(("orders search", 64_000), ("orders search members", 12_800)),
]
COUNTS = [
    *[("paper", 12_800), ("paper apart", 12_800)],
    *also(("paper", 64_000), ("paper members", 12_800), ("views members", 64_000)),
    *also(("paper shared", 64_000), ("views apart", 64_000), ("views shared", 12_800)),
    *also(("orders", 64_000), ("orders members", 12_800), ("orders shared", 12_800)),
]


def signals(model, seconds, rate):
    """(axes, samples), no two alike, each with an offset of its own."""
    each = [machine(seconds, rate, seed) for seed in range(max(1, len(model.card.channels)))]
    t = np.arange(len(each[0])) / float(Fraction(rate))
    return np.stack([one + np.sin(2 * np.pi * 1500 * a * t) + 3 * a for a, one in enumerate(each)]).astype(np.float32)


def frames(given):
    return given[0] if len(given) == 1 else given.T


@pytest.mark.parametrize(("which", "rate"), FLOATS)
def test_the_verdict_is_python_s(library_of, which, rate):
    model, device = model_called(which), library_of(which, rate)
    for offset in (0.0, 500.0):
        given = signals(model, 1.7, rate) + np.float32(offset)
        axes = dict(zip(model.card.channels, given, strict=True)) if model.card.axes else None
        recording = Recording.from_axes(axes, rate) if axes else Recording.from_array(given[0], rate)
        verdict = diagnose_recording(model, replace(recording, speedless=True))  # nothing tells the device a speed
        result = device.judge(frames(given))
        assert result.windows == verdict.windows == 5
        assert result.label.decode() == verdict.label == CLASSES[result.best]
        assert sum(result.probabilities) == pytest.approx(1)
        wanted = np.array([*verdict.probabilities.values()])
        assert np.abs(np.array(result.probabilities) - wanted).max() < (1e-4 if which == "paper" else 1e-3)
    if model.card.apart > 1:  # every axis has its own networks: in another order, another verdict
        turned = device.judge(frames(given[::-1]))
        assert np.abs(np.array(turned.probabilities) - wanted).max() > 1e-3


@pytest.mark.parametrize(("which", "rate"), COUNTS)
def test_counts_give_python_s_verdict(library_of, which, rate):
    model = model_called(which)
    counts = as_counts(2000 * signals(model, 1.2, rate))
    counts = counts[0] if len(counts) == 1 else counts
    hz = 22.0 if which.startswith("orders") else 0.0
    windows, shares = stream_shares(model, counts, Fraction(rate), int16=True, hz=hz)
    result = library_of(which, rate, int16=True).judge(counts if counts.ndim == 1 else counts.T, hz)
    assert result.windows == windows == 3
    assert np.abs(np.array(result.probabilities) - shares).max() < device_of(model).share_tolerance
