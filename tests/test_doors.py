"""One model and a few recordings, through every door: the same probabilities to the last bit."""

import json
from functools import partial

import numpy as np
import pytest
import torch
from scipy.io import wavfile
from typer.testing import CliRunner

from dualres import DualResClassifier, cli
from dualres.bench.datasets.folds import Fold
from dualres.bench.profile import measure
from dualres.bench.profile.plan import NATIVE, PREPARED
from dualres.config import POLYPHASE, ModelConfig, Recipe
from dualres.export.test_vectors import stream_shares
from dualres.judge.model import Model, load, save
from dualres.judge.verdict import STRETCH, diagnose_recording
from dualres.kernel import compiled
from dualres.learn import estimate as estimating
from dualres.learn.fold_support import evaluate
from dualres.learn.holdout import Rounds
from dualres.learn.settings import FitSettings
from dualres.model.network import DualRes
from dualres.model_file.card import Card
from dualres.recordings.readers import read
from dualres.recordings.recording import Recording

CLASSES = ("good", "worn", "broken")
# seconds and Hz: a single window, some, more than a stretch; resampled and not
KINDS = [(0.6, 64_000), (3.0, 64_000), (20.0, 64_000), (0.7, 12_800), (4.1, 48_000), (20.5, 12_800), (3.3, 51_200)]


@pytest.fixture(scope="module", params=[None, compiled.OFF], ids=["kernel", "numpy"])
def backend(request):
    with pytest.MonkeyPatch.context() as patch:
        if request.param:
            patch.setenv(compiled.SETTING, request.param)
        elif compiled.variant() is None:
            pytest.skip("the compiled library is not built")
        yield request.param


@pytest.fixture(scope="module")
def model(backend, tmp_path_factory):
    """With weights of some size, as a file gives it."""
    network = DualRes(3, seed=4).eval()
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.mul_(1.5)
    card = Card(CLASSES, ModelConfig(), Recipe(updates=1), 4, POLYPHASE, dict.fromkeys(CLASSES, 1.0))
    path = tmp_path_factory.mktemp("model") / "m.safetensors"
    save(Model((network,), card), path)
    return load(path)


@pytest.fixture(scope="module")
def recordings(backend):
    kinds = KINDS if backend is None else KINDS[:1] + KINDS[3:4]  # NumPy takes its time
    return [
        Recording(
            f"r{i}", partial(_noise, int(seconds * rate), i), rate=Recording.from_array([0.0, 1.0], rate).rate,
            label=CLASSES[i % 3],
        )
        for i, (seconds, rate) in enumerate(kinds)
    ]  # fmt: skip


def _noise(samples: int, seed: int) -> np.ndarray:
    """Counts, so that a WAV file holds them exactly; bursts, so that windows differ."""
    noise = np.random.default_rng(seed).standard_normal(samples) * (1 + np.sin(np.arange(samples) / 5000) ** 8)
    return np.round(3000 * noise).clip(-32768, 32767).astype(np.float32)


@pytest.fixture(scope="module")
def expected(model, recordings):
    """By the judge."""
    return {r.id: list(diagnose_recording(model, r).probabilities.values()) for r in recordings}


def test_long_recordings_come_in_stretches_and_limits_are_the_first_windows(model, recordings, backend):
    windows = [diagnose_recording(model, r).windows for r in recordings]
    assert min(windows) == 1
    assert (max(windows) > STRETCH) == (backend is None)
    (long,) = (r for r in recordings if r.id == f"r{min(2, len(recordings) - 1)}")
    assert diagnose_recording(model, long, 1).windows == 1


def test_the_command_line(model, recordings, expected, tmp_path):
    save(model, tmp_path / "m.safetensors")
    for r in recordings:
        wavfile.write(tmp_path / f"{r.id}.wav", int(r.rate), r.signal.astype(np.int16))
    done = CliRunner().invoke(cli.app, ["diagnose", str(tmp_path / "m.safetensors"), str(tmp_path), "--json"])
    said = [json.loads(line) for line in done.stdout.splitlines() if ".wav" in line]
    assert len(said) == len(recordings)
    for one in said:
        assert list(one["probabilities"].values()) == expected[one["file"].rpartition("/")[2].removesuffix(".wav")]
    first = read(tmp_path / "r0.wav")
    assert list(diagnose_recording(model, first).probabilities.values()) == expected["r0"]


def test_the_estimator_the_profile_and_a_model_that_never_saw_a_file(model, recordings, expected):
    classifier = DualResClassifier(updates=1)
    classifier.model_, classifier.classes_ = model, np.array(CLASSES)
    assert classifier.predict_proba(recordings).tolist() == list(expected.values())
    for r in recordings:
        work = measure.calls(model, measure.subject(r, None, long=False, config=model.card.config))
        for name in (PREPARED, NATIVE):
            assert work[name]().mean(0).tolist() == expected[r.id]
    fresh = Model(model.networks, model.card)
    for r in recordings:
        assert list(diagnose_recording(fresh, r).probabilities.values()) == expected[r.id]


def test_the_benchmark_and_the_demo(model, recordings, expected):
    """They evaluate a fold; a job's recordings were resampled beforehand."""
    fold = Fold("T1", "toy", "none", {c: (f"x{c}",) for c in CLASSES}, tuple(expected), 0, 1.0, None)
    assert [list(s) for s in evaluate(model, fold, recordings).scores] == list(expected.values())
    prepared = [measure.subject(r, None, long=False, config=model.card.config).prepared for r in recordings]
    assert [list(s) for s in evaluate(model, fold, prepared).scores] == list(expected.values())


def test_the_estimate(model, recordings, expected, monkeypatch):
    """What a round holds out is judged by the model that was fitted without it."""
    monkeypatch.setattr(estimating, "fit_recordings", lambda *_, **__: (model, []))
    rounds = Rounds((frozenset({"r0"}), frozenset({"r1"})), "recording", ())
    found = estimating.estimate(FitSettings(tuple(recordings)), rounds)
    said = {name: list(scores) for one in found.judged for name, scores in zip(one.recordings, one.scores, strict=True)}
    assert said == {name: expected[name] for name in ("r0", "r1")}


def test_the_checks_of_an_export(model, recordings, expected):
    """What an exported stream is held to; the C code itself agrees within the tolerance that it states."""
    for r in recordings:
        windows, shares = stream_shares(model, r.signal, r.rate, int16=False)
        assert shares.tolist() == expected[r.id]
        assert windows == diagnose_recording(model, r).windows
