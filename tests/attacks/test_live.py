"""A live stream survives kills of the agent, a restart of the broker and a full disk."""

from functools import partial

import numpy as np
import pytest

from dualres.judge.model import load
from dualres.kernel.compiled import variant
from tests.attacks.stress_scripts import script
from tests.stream.watch.mosquitto import needs_mosquitto

pytest.importorskip("paho.mqtt", reason="MQTT needs paho-mqtt")
_tally, live, _undisturbed = script("_tally"), script("live"), script("_undisturbed")
RATE = 12_800


@needs_mosquitto
@pytest.mark.skipif(not variant(), reason="to the last bit only with the compiled library")
@pytest.mark.parametrize(
    "plan",
    [
        live.Plan(kills=3, restarts=1, away_s=0, full=True),
        live.Plan(kills=1, restarts=0, away_s=0, full=False, broker_kills=1),
        live.Plan(kills=1, restarts=0, away_s=0, full=False, downtime_s=60.0, rate=1000),
        live.Plan(kills=2, restarts=0, away_s=0, full=False, shards=2),
        live.Plan(kills=0, restarts=0, away_s=0, full=False, shards=2, machines=2, deaths=1, calm_s=2.0),
    ],
    ids=["kills", "lost", "downtime", "shared", "takeover"],
)
def test_a_small_storm(plan):
    storm = _tally.Attack("small", "", partial(live.storms, plan), longest_s=300.0)
    result = _tally.here(storm, [3])
    assert result["failures"] == {}
    assert [how.split()[0] for how in result["outcomes"]] == ["survived"]


def test_what_is_lost_altered_or_added_is_a_failure(tmp_path):
    model = load(live.write_model(tmp_path / "model.safetensors"))
    signal = np.random.default_rng(1).standard_normal(3 * RATE).astype(np.float32)
    told = [
        {**event.as_data(), "id": f"a/1/{event.kind}/{event.number}", "stream": "a", "run": "1"}
        for event in _undisturbed.undisturbed(model, signal, [], RATE)
    ]
    _undisturbed.check(told, signal, model, gaps_allowed=False, rate=RATE)
    with pytest.raises(_undisturbed.UnfinishedError, match="1 of"):
        _undisturbed.check(told[:4] + told[5:], signal, model, gaps_allowed=False, rate=RATE)
    altered = {**told[4], "probabilities": {**told[4]["probabilities"], "good": 0.5}}
    with pytest.raises(AssertionError, match="altered"):
        _undisturbed.check([*told[:4], altered, *told[5:]], signal, model, gaps_allowed=False, rate=RATE)
    with pytest.raises(AssertionError, match="not the same"):
        _undisturbed.check([*told, altered], signal, model, gaps_allowed=False, rate=RATE)
    with pytest.raises(AssertionError, match="of no sample"):
        _undisturbed.check([*told, {**told[4], "id": "a/1/window/99"}], signal, model, gaps_allowed=False, rate=RATE)
    gap = {**told[4], "missing": 100}
    with pytest.raises(AssertionError, match="were acknowledged"):
        _undisturbed.check([*told[:4], gap, *told[5:]], signal, model, gaps_allowed=False, rate=RATE)
    with pytest.raises(AssertionError, match="altered"):
        _undisturbed.check([*told[:4], gap, *told[5:]], signal, model, gaps_allowed=True, rate=RATE)
