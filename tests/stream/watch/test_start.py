"""A watcher that Python starts; what the command does with it is in tests/cli/test_watch.py."""

import json
import threading

import pytest

from dualres.errors import ConfigError
from dualres.judge.model import save
from dualres.stream.watch import WatchSettings, start, start_watch
from tests.stream.conftest import noise
from tests.stream.watch.agents import RATE, by_number, expected
from tests.stream.watch.sources.collected import wav


@pytest.fixture
def settings(views, tmp_path):
    """Of a file that is judged to its end; any of it may be given in another way."""
    save(views, tmp_path / "model.safetensors")
    (tmp_path / "pump.wav").write_bytes(wav(noise(2 * RATE), RATE))
    usual = {
        "model": tmp_path / "model.safetensors",
        "sources": [str(tmp_path / "pump.wav")],
        "sinks": [str(tmp_path / "out.jsonl")],
        "state": tmp_path / "state",
        "block_s": 1.0,
        "follow": False,
    }
    return lambda **given: WatchSettings(**{**usual, **given})


def test_a_file_is_judged_to_its_end(settings, views, tmp_path, monkeypatch):
    made = []
    sink_of = start.sink_of
    monkeypatch.setattr(start, "sink_of", lambda name: made.append(name) or sink_of(name))
    states = []
    with start_watch(settings(), report=states.append) as watch:
        watch.run()
    verdicts = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert by_number(verdicts) == expected(views, noise(2 * RATE), block_s=1.0)
    assert made == [str(tmp_path / "out.jsonl")], "nothing is made to be thrown away"
    assert (watch.undelivered, watch.source_errors, watch.stream_errors) == ({}, [], [])
    assert states[-1].windows == sum(one["kind"] == "window" for one in verdicts)
    assert (watch.folder, watch.model_rate, watch.promise) == (tmp_path / "state", None, None)


def test_a_memory_is_carried_on_where_that_is_asked_for(settings, papers, tmp_path):
    save(papers, tmp_path / "model.safetensors")
    with start_watch(settings(carry_memory=True)) as watch:
        watch.run()
    verdicts = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    carried = expected(papers, noise(2 * RATE), block_s=1.0, carry_memory=True)
    assert by_number(verdicts) == carried
    assert carried != expected(papers, noise(2 * RATE), block_s=1.0)


def test_it_stops_when_another_thread_says_so(settings, tmp_path):
    with start_watch(settings(follow=True, events="blocks")) as watch:
        threading.Timer(0.05, watch.stop).start()
        watch.run()
    with start_watch(settings(events="blocks")) as watch:  # the same state goes on
        watch.run()
    numbers = [json.loads(line)["number"] for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert numbers == list(range(len(numbers)))
    assert len(numbers) > 1


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"events": "some"}, "there are all, windows, blocks"),
        ({"dtype": "f64"}, "there are f32, i16"),
        ({"rate": 8000, "block_s": 0}, "a block of 0.0 s"),
        ({"sinks": ["x.txt"]}, "a sink is"),
        ({"sources": ["mqtt://host"], "group": "g", "standby": True}, "write mqtt://host/topic"),
        ({"false_alarms": "often"}, "'1 per year'"),
        ({"speed": "fast"}, "1797rpm"),
        ({"carry_memory": True}, "has no memory to carry on"),
    ],
)
def test_mistakes_are_errors_before_anything_is_judged(settings, given, reason):
    with pytest.raises(ConfigError, match=reason):
        start_watch(settings(**given))
