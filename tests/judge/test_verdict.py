from dataclasses import replace
from functools import partial

import numpy as np
import pytest
import torch

from dualres.config import POLYPHASE, SOXR, Recipe
from dualres.errors import RecordingError
from dualres.judge.model import Model
from dualres.judge.verdict import (
    Verdict,
    diagnose_recording,
    recording_scores,
    signal_scores,
    verdict_of,
    window_scores,
)
from dualres.model.network import DualRes
from dualres.model_file.card import Card
from dualres.recordings.recording import Recording
from dualres.recordings.resample import resample


@pytest.fixture
def model(small):
    classes = ("good", "worn", "broken")
    card = Card(classes, small, Recipe(), 0, POLYPHASE, {})
    return Model((DualRes(3, small, seed=0).eval(),), card)


def noise(seconds, rate, seed=0):
    return np.random.default_rng(seed).standard_normal(int(seconds * rate)).astype(np.float32)


def test_a_verdict_is_the_mean_of_the_half_overlapping_windows(model, small):
    recording = Recording.from_array(noise(3, 1500), 1500, id="pump")
    signal = resample(recording.signal, recording.rate, small.rate)
    starts = range(0, len(signal) - 256 + 1, 128)
    with torch.no_grad():
        each = [model.network(torch.from_numpy(signal[s : s + 256])[None]).softmax(-1)[0].numpy() for s in starts]
    verdict = diagnose_recording(model, recording)
    assert verdict.recording == "pump"
    assert verdict.windows == len(starts) == 45
    assert list(verdict.probabilities) == ["good", "worn", "broken"]
    np.testing.assert_allclose(list(verdict.probabilities.values()), np.mean(each, 0), atol=1e-6)
    assert verdict.label == model.classes[int(np.mean(each, 0).argmax())]
    assert sum(verdict.probabilities.values()) == pytest.approx(1)


def test_members_probabilities_are_averaged_not_their_logits(model, small):
    networks = (*model.networks, DualRes(3, small, seed=1).eval())
    with torch.no_grad():
        networks[1].head.weight.mul_(20)  # far apart, so that the mean of the logits is something else
    ensemble = Model(networks, replace(model.card, members=2))
    recording = Recording.from_array(noise(1, 2000), 2000)
    windows = torch.from_numpy(np.stack([recording.signal[s : s + 256] for s in range(0, 2000 - 256 + 1, 128)]))
    with torch.no_grad():
        logits = [network(windows) for network in networks]
    by_hand = ((logits[0].softmax(-1) + logits[1].softmax(-1)) / 2).numpy()
    assert np.abs(by_hand - ((logits[0] + logits[1]) / 2).softmax(-1).numpy()).max() > 0.01
    np.testing.assert_allclose(window_scores(ensemble, recording), by_hand, atol=1e-6)
    verdict = diagnose_recording(ensemble, recording)
    np.testing.assert_allclose(list(verdict.probabilities.values()), by_hand.mean(0), atol=1e-6)


def test_the_scores_of_a_recording_are_the_means_of_its_windows(model):
    signal = noise(1, 1500)
    recording = Recording.from_array(signal, 1500)
    each = window_scores(model, recording)
    mean, windows = recording_scores(model, recording)
    assert np.array_equal(mean, each.mean(0))
    assert windows == len(each)
    assert np.array_equal(mean, signal_scores(model, signal, 1500)[0])
    assert mean.tolist() == list(diagnose_recording(model, recording).probabilities.values())


def test_at_most_so_many_windows(model):
    recording = Recording.from_array(noise(3, 2000), 2000)
    every, first = window_scores(model, recording), window_scores(model, recording, 5)
    assert first.shape == (5, 3)
    np.testing.assert_allclose(first, every[:5], atol=1e-6)


def test_verdict_and_runner_up():
    verdict = Verdict("pump", "worn", {"good": 0.3, "worn": 0.6, "broken": 0.1}, 4)
    assert verdict.probability == 0.6
    assert verdict.runner_up == "good"


def test_recordings_that_cannot_be_judged_are_refused_by_name(model):
    with pytest.raises(RecordingError, match=r"pump: 0.100 s long"):
        diagnose_recording(model, Recording.from_array(noise(0.1, 2000), 2000, id="pump"))
    with pytest.raises(RecordingError, match="pump: its samples are beyond what float32 can be computed with"):
        verdict_of(model, "pump", np.array([[0.5, 0.5, 0.0], [np.nan, np.nan, np.nan]]))


def test_a_verdict_resamples_as_the_card_says(model):
    recording = Recording.from_array(noise(3, 1500), 1500)
    by_soxr = replace(model, card=replace(model.card, resampler=SOXR))
    one, other = (list(diagnose_recording(m, recording).probabilities.values()) for m in (model, by_soxr))
    at_rate = resample(recording.signal, recording.rate, model.card.config.rate, SOXR)
    np.testing.assert_allclose(other, signal_scores(model, at_rate, model.card.config.rate)[0], atol=1e-6)
    assert one != other


@pytest.fixture
def triaxial(model, small):
    networks = tuple(DualRes(3, small, seed=seed).eval() for seed in range(3))
    return Model(networks, replace(model.card, channels=("x", "y", "z"), axes="apart"))


def test_a_verdict_of_several_axes_is_the_mean_of_their_own(triaxial, model):
    signals = {name: noise(1, 1500, seed) for seed, name in enumerate("xyz")}
    alone = [
        window_scores(Model((network,), model.card), Recording.from_array(signal, 1500))
        for network, signal in zip(triaxial.networks, signals.values(), strict=True)
    ]
    fused = window_scores(triaxial, Recording.from_axes(signals, 1500))
    np.testing.assert_allclose(fused, np.mean(alone, axis=0), atol=1e-6)
    swapped = Recording.from_axes({name: signals[name] for name in "zxy"}, 1500)
    np.testing.assert_array_equal(window_scores(triaxial, swapped), fused)
    assert diagnose_recording(triaxial, swapped, limit=3).windows == 3


def test_three_equal_axes_have_the_verdict_of_one(model):
    signal, card = noise(1, 1500), partial(replace, model.card, channels=("x", "y", "z"))
    three, one = Recording.from_axes(dict.fromkeys("xyz", signal), 1500), Recording.from_array(signal, 1500)
    for networks, axes in ((model.networks * 3, "apart"), (model.networks, "shared")):
        fused = recording_scores(Model(networks, card(axes=axes)), three)
        np.testing.assert_allclose(fused[0], recording_scores(model, one)[0], atol=1e-7)
        assert fused[1] == recording_scores(model, one)[1]


def test_axes_that_a_model_does_not_know_are_not_judged(triaxial, model):
    signal = noise(1, 1500)
    one, two = Recording.from_array(signal, 1500), Recording.from_axes({"x": signal, "y": signal}, 1500)
    with pytest.raises(RecordingError, match="array: has one signal, and the model judges the axes x, y, z"):
        window_scores(triaxial, one)
    with pytest.raises(RecordingError, match=r"has 2 axes \(x, y\), and the model judges the axes x, y, z"):
        window_scores(triaxial, two)
    with pytest.raises(RecordingError, match=r"has 2 axes \(x, y\), and the model judges one signal"):
        window_scores(model, two)
