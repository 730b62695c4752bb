"""The speed that comes beside samples, or by an option, reaches the verdicts on blocks."""

import json
from dataclasses import replace

import numpy as np
import pytest

from dualres.judge.model import save
from dualres.stream.alarm.alarm import fault_score
from dualres.stream.monitor.monitor import Monitor
from dualres.stream.watch import WatchSettings, start_watch
from dualres.stream.watch.sources.mqtt import side_of
from tests.judge.test_turning import machine
from tests.stream.watch.agents import RATE, by_number, chunks_of, end, expected, run

BLOCK_S = 2.0  # seven windows


@pytest.fixture(scope="module")
def signal():
    """A shaft that turns at 24 Hz, at the agents' rate."""
    return machine("outer", 24.0 * 16_000 / RATE, 1, seconds=3.2).signal.astype(np.float32)


def blocks(told):
    return [one for one in told if one["kind"] == "block"]


def test_what_is_published_beside_samples_changes_what_blocks_say(orders, signal, tmp_path):
    sides = ({}, side_of(json.loads('{"rpm": 1430}')), side_of({"speed_hz": 27.5}))
    told = []
    for number, side in enumerate(sides):
        chunks = [replace(one, side=side) for one in chunks_of(signal, 1000)]
        told.append(blocks(run(orders, [*chunks, end()], tmp_path / f"{number}.sqlite", block_s=BLOCK_S).told))
    assert len({json.dumps(each[0]["probabilities"]) for each in told}) == 3
    sources = [each[0]["speed"]["source"] for each in told]
    assert sources == ["estimated", "refined", "refined"]
    for each in told[:2]:
        assert abs(each[0]["speed"]["rpm"] / 1440 - 1) < 0.02
    assert abs(told[2][0]["speed"]["rpm"] / 1650 - 1) < 0.06


def test_it_changes_in_the_middle_whatever_waits_together(orders, signal, tmp_path):
    sides = [{"rpm": "1430"} if i < 20 else {"rpm": "1460", "load": "3"} for i in range(100)]
    chunks = [replace(one, side=side) for one, side in zip(chunks_of(signal, 700), sides, strict=False)]
    sink = run(orders, [*chunks, end()], tmp_path / "spool.sqlite", block_s=BLOCK_S)
    monitor, events = Monitor(orders, RATE, block_s=BLOCK_S), []
    for at, side in zip(range(0, len(signal), 700), sides, strict=False):
        events += monitor.push(signal[at : at + 700], speed=float(side["rpm"]))
    events += monitor.finish()
    assert by_number(sink.told) == by_number([event.as_data() for event in events])


@pytest.fixture
def watched(orders, signal, tmp_path):
    save(orders, tmp_path / "model.safetensors")
    (tmp_path / "in").mkdir()

    def watch(*, stated=None, **given):
        beside = {} if stated is None else {"rpm": stated}
        np.savez(tmp_path / "in" / "pump.npz", vibration=signal, fs=RATE, **beside)
        usual = {"model": tmp_path / "model.safetensors", "sources": [str(tmp_path / "in")], "follow": False}
        usual |= {"sinks": [str(tmp_path / "out.jsonl")], "state": tmp_path / f"state{len(list(tmp_path.iterdir()))}"}
        with start_watch(WatchSettings(**{**usual, "rate": RATE, "block_s": BLOCK_S, **given})) as watching:
            watching.run()
        lines = (tmp_path / "out.jsonl").read_text().splitlines()
        (tmp_path / "out.jsonl").unlink()
        return [json.loads(line) for line in lines]

    return watch


def test_a_file_states_the_speed_of_its_stream(watched, orders, signal):
    stated = watched(stated=1430.0)
    monitor = Monitor(orders, RATE, block_s=BLOCK_S)
    events = monitor.push(signal, speed=1430) + monitor.finish()
    assert by_number(stated) == by_number([event.as_data() for event in events])
    assert blocks(watched())[0]["speed"]["source"] == "estimated"


def test_an_option_states_it_of_all_or_forbids_it(watched, orders, signal):
    assert by_number(watched(stated=1430.0)) == by_number(watched(speed="1430rpm"))
    assert blocks(watched(speed="1430rpm", stated=1700.0))[0]["speed"] == blocks(watched(stated=1700.0))[0]["speed"]
    without = watched(speed="none", stated=1430.0)
    assert all("speed" not in one for one in without)
    monitor = Monitor(orders, RATE, block_s=BLOCK_S, speedless=True)
    events = monitor.push(signal) + monitor.finish()
    assert by_number(without) == by_number([event.as_data() for event in events])
    assert by_number(without) != expected(orders, signal, block_s=BLOCK_S)


def test_alarms_are_learned_at_the_same_speed(watched, orders, signal, monkeypatch, tmp_path):
    given = []
    monkeypatch.setattr(
        "dualres.stream.watch.alarms.fault_score", lambda *g: given.append(fault_score(*g)) or given[-1]
    )
    folder = tmp_path / "healthy"
    folder.mkdir()
    np.save(folder / "one.npy", signal)
    learned = {}
    for speed in (None, 1430.0, "none"):
        given.clear()
        watched(speed=speed, false_alarms="1 per hour", healthy=[folder])
        learned[speed] = given[0]
        monitor = Monitor(orders, RATE, block_s=BLOCK_S, speedless=speed == "none")
        events = monitor.push(signal, speed=speed if speed == 1430.0 else None)
        block = next(event for event in events if event.kind == "block")
        assert learned[speed] == fault_score(block, ["good"])
    assert len(set(learned.values())) == 3
