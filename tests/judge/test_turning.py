"""A recording is judged at the speed that fits it: what is stated, near it, or found where nothing is stated."""

from dataclasses import replace

import numpy as np
import pytest

from dualres.judge.model import Model
from dualres.judge.turning import WindowSpeeds, labelled_speeds, window_speeds
from dualres.judge.verdict import diagnose_recording, window_scores
from dualres.learn.workflow import fit_model
from dualres.recordings.recording import Recording
from dualres.recordings.speed import Speed
from tests.model.made_orders import made_orders
from tests.model.made_views import made_views
from tests.models import model_of

RATE = 16_000
FAULTS = {"good": 0.0, "inner": 5.43, "outer": 3.57}  # impacts per revolution


def machine(label, hz, seed, *, stated=None, seconds=4.0):
    """A shaft that turns at `hz`, recorded for some seconds; `stated` is the speed that is said, in Hz."""
    rng, t = np.random.default_rng(seed), np.arange(int(seconds * RATE)) / RATE
    signal = rng.standard_normal(len(t)) + 0.3 * np.sin(2 * np.pi * hz * t)
    if FAULTS[label]:
        impacts = np.zeros(len(t))
        in_load = 1 + 0.9 * np.cos(2 * np.pi * hz * t) if label == "inner" else np.ones(len(t))
        at = np.cumsum(rng.normal(1, 0.01, int(seconds * hz * FAULTS[label]))) / (hz * FAULTS[label])
        impacts[(at[at < seconds] * RATE).astype(int)] = 12
        ring = np.exp(-np.arange(80) / 12) * np.sin(1.3 * np.arange(80))
        signal = signal + np.convolve(impacts * in_load, ring)[: len(t)]
    speed = None if stated is None else Speed((stated,))
    return replace(Recording.from_array(signal, RATE, f"{label} {hz} {seed}", label), speed=speed)


@pytest.fixture(scope="module")
def model() -> Model:
    labelled = [
        machine(label, hz, 10 * i + j, stated=hz)
        for i, label in enumerate(FAULTS)
        for j, hz in enumerate((22.0, 24.5, 27.0))
    ]
    return fit_model(labelled, estimate=False).model


def hz_of(found: WindowSpeeds | None) -> float:
    assert found is not None
    speed = found.found()
    assert speed is not None
    return speed.mean_hz


def test_a_model_tells_which_speeds_were_labelled(model):
    low, high = labelled_speeds(model)
    assert (round(low, 3), round(high, 3)) == (22, 27)
    assert labelled_speeds(model_of(made_orders(labelled=False))) is None
    assert labelled_speeds(model_of(made_views())) is None


@pytest.mark.parametrize("label", ["inner", "outer"])
@pytest.mark.parametrize("off", [0.965, 1.035])
def test_a_stated_speed_that_is_off_is_put_right(model, label, off):
    found = window_speeds(model, machine(label, 25.5, 99, stated=25.5 * off))
    assert abs(hz_of(found) / 25.5 - 1) < 0.012


def test_an_exact_one_stays_what_it_is(model):
    assert hz_of(window_speeds(model, machine("outer", 25.5, 99, stated=25.5))) == 25.5


def test_a_measured_one_is_not_searched_for(model):
    off = replace(machine("outer", 25.5, 99), speed=Speed((26.3,), source="measured"))
    found = window_speeds(model, off)
    assert hz_of(found) == 26.3
    assert found.search is None


def test_where_none_is_stated_it_is_found_or_not_used(model):
    found = window_speeds(model, machine("outer", 33.0, 99)).found()
    assert abs(found.mean_hz / 33.0 - 1) < 0.02
    assert found.source == "estimated"
    noise = machine("good", 25.0, 99)
    assert window_speeds(model, noise).found() is None
    assert np.isnan(window_speeds(model, noise).hz(0, 3)).all()


def test_a_verdict_says_the_speed(model):
    verdict = diagnose_recording(model, machine("inner", 34.0, 5, stated=34.5))
    assert verdict.label == "inner"
    said = verdict.as_data()["speed"]
    assert said.pop("margin") > 0.1
    assert said == {"rpm": round(verdict.speed.rpm, 2), "source": "refined", "spread": 0.02}
    assert abs(verdict.speed.rpm / 2040 - 1) < 0.005
    assert verdict.speed_words == f"at {verdict.speed.rpm:.0f} rpm, stated and refined by vibration"
    exact = diagnose_recording(model, machine("inner", 34.0, 5, stated=34.0))
    assert exact.speed_words == "at 2040 rpm, as stated"
    unclear = diagnose_recording(model, machine("good", 25.0, 99))
    assert unclear.as_data()["speed"] is None
    assert unclear.speed_words == "its speed is not clear"
    without = diagnose_recording(model, replace(machine("good", 25.0, 99), speedless=True))
    assert "speed" not in without.as_data()
    assert without.speed_words == ""


def test_each_window_has_its_own_speed_where_it_changes(model):
    recording = machine("outer", 25.0, 1)
    turning = replace(recording, speed=Speed((20.0, 30.0), (0.0, 4.0), "measured"))
    hz = window_speeds(model, turning).hz(0, 3)
    np.testing.assert_allclose(hz, 20 + 2.5 * (0.256 + 0.256 * np.arange(3)), rtol=1e-9)
    assert np.abs(window_scores(model, turning) - window_scores(model, recording)).max() > 0.01


def test_segments_are_searched_one_by_one(model):
    slow, fast = machine("outer", 24.0, 1, seconds=6.0), machine("outer", 26.0, 2, seconds=6.0)
    joined = Recording.from_array(np.concatenate([slow.signal, fast.signal]), RATE, speed=1500.0)
    speeds = window_speeds(model, joined, place=lambda numbers: (numbers >= 23).astype(int))
    assert [round(speeds.found(at).mean_hz / hz, 2) for at, hz in enumerate((24.0, 26.0))] == [1, 1]
    assert len(set(speeds.hz(0, 46).round(6))) == 2
