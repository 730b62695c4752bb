import numpy as np
import pytest

from dualres.errors import ConfigError, RecordingError
from dualres.stream import Monitor
from dualres.stream.alarm.alarm import fault_score
from dualres.stream.watch.alarms import alarms_at
from tests.stream.conftest import noise
from tests.stream.watch.agents import RATE


def write(path, seconds, seed=0):
    np.save(path, noise(seconds * RATE, seed))


def test_alarms_are_learned_from_healthy_recordings(views, tmp_path, monkeypatch):
    given = []
    learned = alarms_at.__globals__["Alarm"].learned
    monkeypatch.setattr(
        "dualres.stream.watch.alarms.Alarm.learned",
        lambda scores, **how: given.append(scores) or learned(scores, **how),
    )
    for seed in range(2):
        write(tmp_path / f"{seed}.npy", 6, seed)
    alarms = alarms_at("1 per 100 blocks", views, [tmp_path], block_s=2.0, hz=RATE)
    for seed, scores in enumerate(given[0]):
        blocks = [one for one in Monitor(views, RATE, block_s=2.0).push(noise(6 * RATE, seed)) if one.kind == "block"]
        assert scores == [fault_score(one, ["good"]) for one in blocks]
    assert f"{tmp_path / '0.npy'} has 3 blocks, too few" in alarms.template.state.reason
    assert "50 blocks, about 1.7 minutes" in alarms.template.state.reason


def test_without_healthy_recordings_nothing_is_promised(views):
    state = alarms_at("1 per year", views, [], block_s=5.0).template.state
    assert state.promise is None
    assert "without scores of healthy blocks" in state.reason


@pytest.mark.parametrize("block_s", [0.5, 1.0, 5.0])
def test_the_rate_counts_blocks_as_they_come(views, block_s):
    state = alarms_at("1 per hour", views, [], block_s=block_s).template.state
    starts = [
        one.seconds for one in Monitor(views, 64_000, block_s=block_s).push(noise(12 * 64_000)) if one.kind == "block"
    ]
    assert np.expm1(state.threshold) == pytest.approx(3600 / (starts[1] - starts[0]))


def test_mistakes_are_told(views, tmp_path):
    with pytest.raises(ConfigError, match="often"):
        alarms_at("often", views, [], block_s=5.0)
    with pytest.raises(ConfigError, match="no class is 'fine'"):
        alarms_at("1 per year", views, [], block_s=5.0, label="fine")
    write(tmp_path / "short.npy", 2)
    with pytest.raises(RecordingError, match="shorter than one block"):
        alarms_at("1 per year", views, [tmp_path], block_s=5.0, hz=RATE)
