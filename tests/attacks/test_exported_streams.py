"""A few streams through exports on every kind of device, and that a device which says something else is noticed."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from dualres.export.device_speed import device_search
from tests.attacks.stress_scripts import script
from tests.export.conftest import needs_fused_products

_tally, streams = script("_tally"), script("exported_streams")
_devices = script("_devices")
ATTACKS = {attack.name: attack for attack in streams.ATTACKS}


def seeds(name):
    """Two streams through one export each: with vectors where there are any, by counts on the smallest device."""
    kind, device = name.split("-", 1)
    turn = len(streams.BUILDS if kind in {"paper", "views"} else streams.ORDERS_BUILDS)
    first, turns = {"x86-64": (turn + 11, 2), "aarch64": (turn + 1, 2), "cortex-m4": (8, 1)}[device]
    return first, first + turns * turn


@pytest.mark.device
@pytest.mark.parametrize("name", ATTACKS)
def test_a_device_says_what_the_monitor_says(name):
    attack = ATTACKS[name]
    if attack.missing:
        pytest.skip(f"{', '.join(attack.missing)} is not installed")
    if not name.startswith("paper"):
        needs_fused_products()
    result = _tally.here(attack, seeds(name))
    assert result["failures"] == {}
    assert result["outcomes"] == {"agreed": 2}
    assert set(result["most"]) == {"probabilities", "factors" if name.startswith("search") else "logits"}


def test_every_stream_has_a_gap_a_step_and_windows():
    for seed, build in enumerate(streams.BUILDS):
        stream = streams.stream_of(build, np.random.default_rng(seed))
        gaps = [part for part in stream if isinstance(part, int) or streams.refused(part)]
        assert 2 <= len(gaps) <= 3
        assert all(part.shape[1] == build.count for part in stream if not isinstance(part, int))


@pytest.mark.parametrize("number", [1, 8, len(streams.ORDERS_BUILDS) - 1])
def test_of_a_turning_shaft_most_speeds_are_told_and_all_are_off_alike(number):
    build, told = streams.ORDERS_BUILDS[number], []
    for seed in range(20):
        stream = streams.stream_of(build, *(np.random.default_rng([seed, of]) for of in (21, 23)))
        told += [part.hz for part in stream if isinstance(part, streams.Turning)]
        gaps = [part for part in stream if isinstance(part, int) or streams.refused(part)]
        assert sum(isinstance(part, streams.Turning) for part in stream) == len(gaps)
    assert 0 < told.count(0.0) < len(told) / 3
    assert all(hz == 0 or 19 < hz < 32 for hz in told)


@pytest.mark.exhaustive
def test_a_monitor_judges_each_stretch_at_the_speed_that_is_told_of_it():
    """Which two monitors do together, as one that hears a stretch alone does."""
    build = streams.Build(Fraction(64_000))
    model, rng = streams.learned(streams.ORDERS.method, build), np.random.default_rng(5)
    signal = streams.vibration(1.0, streams.CONFIG.window, build.rate, rng, hz=25.0).astype(np.float32)[:, None]
    stream = [streams.Turning(24.5), signal, 7, streams.Turning(0.0), signal, 7]
    told, untold = streams.shares_of(model, build.rate, stream, 1.02)
    alone = streams.Monitor(model, build.rate)
    alone.tell_speed(streams.Speed((1.02 * 24.5,), spread=0.0))
    assert [*alone.push(signal)[0].probabilities.values()] == told.tolist()
    speedless = streams.Monitor(model, build.rate, speedless=True)
    assert [*speedless.push(signal)[0].probabilities.values()] == untold.tolist()
    assert np.abs(told - untold).max() > 1e-3


@pytest.mark.exhaustive
def test_a_factor_that_no_search_finds_is_noticed():
    build = streams.Build(Fraction(64_000))
    model, rng = streams.learned(streams.ORDERS.method, build), np.random.default_rng(5)
    signal = streams.vibration(1.0, streams.CONFIG.window, build.rate, rng, hz=25.0).astype(np.float32)[:, None]
    stream = [streams.Turning(25.0), signal, 7]
    (window, hz), *_ = streams.windows_of(model, build.rate, stream)
    (found,) = streams.factors_fitting(model, [model.seen(window.samples)], np.array([hz]), 11)

    def said(factor):
        (mean,) = streams.shares_of(model, build.rate, stream, factor)
        return _devices.Said(np.empty((0, 4)), [_devices.Verdict(1, 0, int(mean.argmax()), factor, mean)])

    fine = streams.differences_of_search(said(found), model, build.rate, stream, 11)
    assert fine == {"probabilities": 0.0, "factors": abs(np.log(found))}
    other = device_search(11).factors[0] if found != device_search(11).factors[0] else 1.0
    with pytest.raises(AssertionError, match="the factor"):
        streams.differences_of_search(said(float(other)), model, build.rate, stream, 11)
    wrong = said(found)
    wrong.verdicts[0] = replace(wrong.verdicts[0], probabilities=wrong.verdicts[0].probabilities + 3e-5)
    with pytest.raises(AssertionError, match="a probability is off by 3e-05"):
        streams.differences_of_search(wrong, model, build.rate, stream, 11)


def test_streams_of_one_mind_are_no_way_apart_and_others_are_noticed():
    logits = np.array([[2.0, 1.0, 0.0, -1.0], [0.0, 3.0, 1.0, 0.0], [1.0, 0.0, 0.0, 2.5]])
    shares = streams.softmax(logits, axis=1)
    means = np.cumsum(shares, axis=0) / np.array([[1], [2], [3]])
    verdicts = [_devices.Verdict(n + 1, 0, int(mean.argmax()), 1.0, mean) for n, mean in enumerate(means)]
    said, monitored = _devices.Said(logits, verdicts), streams.Monitored(logits, shares)
    assert streams.differences(said, monitored) == {"logits": 0.0, "probabilities": pytest.approx(0.0, abs=1e-15)}
    with pytest.raises(AssertionError, match=r"a logit is off by 0\.00011"):
        streams.differences(replace(said, logits=said.logits + 1.1e-4), monitored)
    verdicts = [*said.verdicts[:2], replace(said.verdicts[2], probabilities=said.verdicts[2].probabilities + 3e-5)]
    with pytest.raises(AssertionError, match="a probability is off by 3e-05"):
        streams.differences(replace(said, verdicts=verdicts), monitored)
    verdicts = [replace(said.verdicts[0], best=3), *said.verdicts[1:]]
    with pytest.raises(AssertionError, match="another verdict"):
        streams.differences(replace(said, verdicts=verdicts), monitored)
    with pytest.raises(AssertionError, match="2 windows, not 3"):
        streams.differences(replace(said, verdicts=said.verdicts[:2]), monitored)
