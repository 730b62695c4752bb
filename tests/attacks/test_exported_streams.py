"""A few streams through exports on every kind of device, and that a device which says something else is noticed."""

from dataclasses import replace

import numpy as np
import pytest

from tests.attacks.stress_scripts import script
from tests.export.conftest import needs_fused_products

_tally, streams = script("_tally"), script("exported_streams")
_devices = script("_devices")
ATTACKS = {attack.name: attack for attack in streams.ATTACKS}
TURN = len(streams.BUILDS)
# Two streams through one export each: with vectors where there are any, by counts on the smallest device.
SEEDS = {"x86-64": (TURN + 11, 3 * TURN + 11), "aarch64": (TURN + 1, 3 * TURN + 1), "cortex-m4": (8, 8 + TURN)}


@pytest.mark.device
@pytest.mark.parametrize("name", ATTACKS)
def test_a_device_says_what_the_monitor_says(name):
    attack = ATTACKS[name]
    if attack.missing:
        pytest.skip(f"{', '.join(attack.missing)} is not installed")
    if name.startswith("views"):
        needs_fused_products()
    result = _tally.here(attack, SEEDS[name.split("-", 1)[1]])
    assert result["failures"] == {}
    assert result["outcomes"] == {"agreed": 2}
    assert set(result["most"]) == {"logits", "probabilities"}


def test_every_stream_has_a_gap_a_step_and_windows():
    for seed, build in enumerate(streams.BUILDS):
        stream = streams.stream_of(build, np.random.default_rng(seed))
        gaps = [part for part in stream if isinstance(part, int) or streams.refused(part)]
        assert 2 <= len(gaps) <= 3
        assert all(part.shape[1] == build.count for part in stream if not isinstance(part, int))


def test_streams_of_one_mind_are_no_way_apart_and_others_are_noticed():
    logits = np.array([[2.0, 1.0, 0.0, -1.0], [0.0, 3.0, 1.0, 0.0], [1.0, 0.0, 0.0, 2.5]])
    shares = streams.softmax(logits, axis=1)
    means = np.cumsum(shares, axis=0) / np.array([[1], [2], [3]])
    verdicts = [_devices.Verdict(n + 1, 0, int(mean.argmax()), mean) for n, mean in enumerate(means)]
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
