"""A machine running well as the measure of its faults."""

import json
from dataclasses import replace

import numpy as np
import pytest

from dualres import Recording, diagnose_recording, fit_model, load, save
from dualres.config import Recipe
from dualres.errors import ConfigError, RecordingError
from dualres.judge.backends import weights_of
from dualres.judge.healthy_baseline import WEIGHT, with_baseline
from dualres.judge.model import Model
from dualres.judge.turning import turned_windows, unsearched_speeds
from dualres.judge.verdict import at_model_rate
from dualres.kernel.views import views_of
from dualres.learn.closed_form import fit_views
from dualres.learn.fit import fit_recordings
from dualres.learn.settings import FitSettings
from dualres.model.kinds import NetworkRecipe, kind_of, resolved
from dualres.model.reference.orders import Looks, order_modulation
from dualres.model.views.order_weights import BY_HZ, BY_ORDER
from dualres.recordings.speed import Speed
from dualres.recordings.windows import every_window
from tests.cli.runner import done, run

RATE = 16_000


def hum(label, seed, tilt=0.0):
    """Noise, struck every 20 ms by a worn machine; another sensor's place tilts the spectrum."""
    rng = np.random.default_rng(seed)
    noise, t = rng.standard_normal(2 * RATE), np.arange(2 * RATE) / RATE
    since = t % 0.02
    blows = (3.0 if label == "worn" else 0.4) * np.exp(-since / 0.002) * np.sin(2 * np.pi * 2000 * since)
    signal = blows + noise
    return np.append(signal[0], signal[1:] - tilt * signal[:-1])


def recordings(labels, seed=0, tilt=0.0):
    return [
        Recording.from_array(hum(label, seed + i, tilt), RATE, id=f"{label} {i}", label=label)
        for i, label in enumerate(labels)
    ]


@pytest.fixture(scope="module", params=["orders", "views"])
def model(request):
    known = recordings(["good", "good", "good", "worn", "worn", "worn"])
    return fit_model(known, recipe=request.param, estimate=False).model


def turning(labels, seed, tilt=0.0, hz=(20.0, 25.0)):
    """Machines of which somebody states the speed."""
    return [replace(r, speed=Speed((hz[i % 2],))) for i, r in enumerate(recordings(labels, seed, tilt))]


@pytest.fixture(scope="module")
def by_order():
    return fit_model(turning(["good", "good", "good", "worn", "worn", "worn"], 0), estimate=False).model


def test_classes_are_expected_half_of_the_way_towards_the_new_machine(model):
    healthy = recordings(["good", "good"], seed=50, tilt=0.8)
    moved = with_baseline(model, healthy)
    assert (moved.label, moved.recordings, moved.seconds) == ("good", 2, pytest.approx(2 * 1.792))
    windows = np.concatenate([every_window(at_model_rate(model, r.load(), r.rate), 32_768) for r in healthy])
    seen_of = resolved(kind_of(model.weights).baseline).views
    for head, seen in seen_of(model.weights, model.seen(windows), None).items():
        before, after = (m.weights.class_view(head, 0) for m in (model, moved.model))
        other_before, other_after = (m.weights.class_view(head, 1) for m in (model, moved.model))
        np.testing.assert_allclose(after - before, WEIGHT * (seen.mean(0) - before), atol=1e-4)
        np.testing.assert_allclose(other_after - other_before, after - before, atol=1e-4)
    assert moved.model.card.unlabelled_s == moved.seconds


def test_heads_on_an_axis_of_orders_hear_the_machine_at_its_own_speeds(by_order):
    """Those on an axis of Hz hear it there."""
    healthy = turning(["good", "good"], seed=50, tilt=0.8, hz=(22.0, 24.0))
    moved = with_baseline(by_order, healthy).model.weights
    walks = [turned_windows(by_order, r, speeds=unsearched_speeds(by_order, r)) for r in healthy]
    blocks = [moments.axes[0] for walk in walks for moments in walk]
    looks = Looks(*map(np.concatenate, zip(*(block.seen for block in blocks), strict=True)))
    hz = np.concatenate([block.hz for block in blocks])
    assert len(set(hz)) == 2
    for head, speeds in (("modulation", np.full(len(hz), 25.0)), ("order_modulation", hz)):
        before = by_order.weights.class_view(head, 0)
        way = WEIGHT * (order_modulation(looks.swings, speeds).mean(0) - before)
        np.testing.assert_allclose(moved.class_view(head, 0) - before, way, atol=1e-4)


def test_a_machine_whose_speed_is_refused_tells_heads_on_an_axis_of_orders_nothing(by_order):
    healthy = [replace(r, speedless=True) for r in turning(["good"], seed=50, tilt=0.8)]
    moved = with_baseline(by_order, healthy).model.weights
    for heads, same in ((BY_HZ, False), (set(BY_ORDER) - set(BY_HZ), True)):
        for head in heads:
            assert np.array_equal(moved.array(head, "centre"), by_order.weights.array(head, "centre")) == same


def test_a_class_view_is_the_mean_of_what_was_learned_from():
    windows = np.random.default_rng(0).standard_normal((6, 32_768)).astype(np.float32)
    labels = np.array([0, 0, 0, 1, 1, 1])
    weights = weights_of(fit_views(windows, labels, 2))
    for head, view in views_of(weights, windows).items():
        if head != "rhythm":  # which also learned from other speeds
            np.testing.assert_allclose(weights.class_view(head, 1), view[labels == 1].mean(0), atol=2e-4)


def test_the_baseline_of_the_machine_that_was_learned_from_changes_little(model):
    same = with_baseline(model, recordings(["good"] * 3))
    for recording in recordings(["good", "worn"], seed=90):
        before, after = (diagnose_recording(m, recording) for m in (model, same.model))
        assert before.label == after.label == recording.label
        assert abs(before.probability - after.probability) < 0.1


def test_it_can_be_kept(model, tmp_path):
    moved = with_baseline(model, recordings(["good"], seed=7, tilt=0.5)).model
    save(moved, tmp_path / "moved.safetensors")
    kept = load(tmp_path / "moved.safetensors")
    assert kept.card.unlabelled_s == pytest.approx(1.792)
    recording = recordings(["worn"], seed=8)[0]
    assert diagnose_recording(kept, recording).probabilities == diagnose_recording(moved, recording).probabilities


def test_what_makes_no_baseline_is_refused(model):
    with pytest.raises(ConfigError, match="no class is 'fine'; name it by --healthy-class, one of good, worn"):
        with_baseline(model, recordings(["good"]), "fine")
    with pytest.raises(ConfigError, match="at least one recording"):
        with_baseline(model, [])
    named = fit_model(recordings(["a", "a", "b", "b"]), estimate=False).model
    with pytest.raises(ConfigError, match="is not clear; name it by --healthy-class"):
        with_baseline(named, recordings(["good"]))
    trained = fit_model(recordings(["good", "good", "b", "b"]), recipe=Recipe(1), estimate=False).model
    with pytest.raises(ConfigError, match="needs a model of orders, the default of dualres fit, or of views"):
        with_baseline(trained, recordings(["good"]))


def test_the_command_takes_it_and_says_so(model, tmp_path):
    save(model, tmp_path / "m.safetensors")
    for name in ("well", "today"):
        (tmp_path / name).mkdir()
    np.save(tmp_path / "well" / "a.npy", hum("good", 300).astype(np.float32))
    np.save(tmp_path / "today" / "b.npy", hum("worn", 301).astype(np.float32))
    asked = ("diagnose", tmp_path / "m.safetensors", tmp_path / "today", "--rate", RATE)
    result = done(*asked, "--healthy", tmp_path / "well", "--json")
    said = json.loads(result.stdout.splitlines()[0])
    assert said["healthy"] == {"class": "good", "recordings": 1, "seconds": pytest.approx(1.792)}
    assert "1 recordings of good, 1.8 s of this machine running well" in result.output
    assert "healthy" not in json.loads(run(*asked, "--json").stdout.splitlines()[0])
    refused = run(*asked, "--healthy-class", "good")
    assert "give these, too" in str(refused.exception)


@pytest.mark.parametrize("axes", ["apart", "shared"])
def test_every_axis_has_its_own_baseline(model, axes):
    """Two axes of which one is heard through another path now: what is expected of the other does not move."""

    def both(labels, seed, tilt=0.0):
        pairs = zip(recordings(labels, seed), recordings(labels, seed + 100, tilt), strict=True)
        return [Recording.from_axes({"x": x.load(), "y": y.load()}, RATE, x.id, x.label) for x, y in pairs]

    known = both(["good", "good", "worn", "worn"], 0)
    settings = FitSettings(recipe=NetworkRecipe(kind_of(model.weights)))
    fitted, _ = fit_recordings(known, [r.label for r in known], ("good", "worn"), settings, axes=axes)
    healthy = both(["good", "good"], 50, tilt=0.8)
    moved = with_baseline(fitted, healthy)
    assert (moved.recordings, moved.seconds) == (2, pytest.approx(2 * 1.792))
    assert moved.model.card == replace(fitted.card, unlabelled_s=moved.seconds)
    by_axis = [[r.axes[i] for r in healthy] for i in range(2)]
    shown = by_axis if axes == "apart" else [[axis for r in healthy for axis in r.axes]]
    of_one = replace(fitted.card, channels=(), axes="")
    alone = [with_baseline(Model((one,), of_one), some) for one, some in zip(fitted.members, shown, strict=True)]
    for member, one in zip(moved.model.members, alone, strict=True):
        for name, array in one.model.weights.arrays.items():
            np.testing.assert_array_equal(member.arrays[name], array)
    with pytest.raises(RecordingError, match="has one signal, and the model judges the axes x, y"):
        with_baseline(fitted, recordings(["good"]))
