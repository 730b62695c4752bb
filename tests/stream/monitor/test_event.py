import json

from dualres.judge.trust.calibration import NO_PROMISE, Answer
from dualres.recordings.speed import Speed
from dualres.stream import Event


def test_events_are_plain_data():
    event = Event("pump", "block", 2, 100, 200, 0.5, "good", {"good": 0.75, "worn": 0.25}, 19, 7)
    expected = {"stream": "pump", "kind": "block", "number": 2, "start": 100, "stop": 200, "seconds": 0.5}
    expected |= {"label": "good", "probabilities": {"good": 0.75, "worn": 0.25}, "windows": 19, "missing": 7}
    assert json.loads(json.dumps(event.as_data())) == expected


def test_an_answer_s_keys_stand_beside_the_others():
    answer = Answer(NO_PROMISE, ("good",), 0.1, reason="too few")
    event = Event("pump", "block", 0, 0, 100, 0.0, "good", {"good": 1.0}, 1, 0, answer)
    data = json.loads(json.dumps(event.as_data()))
    assert (data["answer"], data["set"], data["reason"]) == ("no_promise", ["good"], "too few")


def test_the_speed_of_a_block_stands_as_in_a_verdict():
    event = Event("pump", "block", 0, 0, 100, 0.0, "good", {"good": 1.0}, 1, 0, speed=Speed((25.0,)), speed_margin=0.25)
    data = json.loads(json.dumps(event.as_data()))
    assert data["speed"] == {"rpm": 1500.0, "source": "stated", "spread": 0.02, "margin": 0.25}
    assert "speed_margin" not in data
