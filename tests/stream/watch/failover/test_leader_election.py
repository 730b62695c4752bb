import threading
import time

import pytest

from dualres.stream.watch.broker import Broker
from dualres.stream.watch.failover import leader_election as turn
from dualres.stream.watch.failover.leader_election import Turn, TurnLostError
from tests.stream.watch.mosquitto import Device, Mosquitto, needs_mosquitto

pytest.importorskip("paho.mqtt", reason="MQTT needs paho-mqtt")
pytestmark = needs_mosquitto


@pytest.fixture
def broker(tmp_path):
    with Mosquitto(tmp_path / "broker") as broker:
        yield broker


@pytest.fixture
def mine(broker, monkeypatch):
    monkeypatch.setattr(turn, "FREE_S", 0.1)
    monkeypatch.setattr(turn, "SILENT_S", 1.0)
    return Turn(Broker.parsed(broker.url("plant/+")), "g/#-1-of-2", "dualres/watch/")


def retained(broker, topic, payload):
    with Device(broker) as other:
        while not other._client.is_connected():
            time.sleep(0.02)
        other._client.publish(topic, payload, 1, retain=True).wait_for_publish(5)


class Waiting:
    def __init__(self, mine):
        self.stopped, self.result = threading.Event(), None
        self.thread = threading.Thread(target=self._run, args=(mine,), daemon=True)
        self.thread.start()

    def _run(self, mine):
        self.result = mine.wait(self.stopped)

    def over(self, seconds):
        self.thread.join(seconds)
        return not self.thread.is_alive()


def test_a_session_that_nobody_claims_is_free(mine):
    assert Waiting(mine).over(5)


def test_it_waits_while_somebody_says_that_it_has_the_session(broker, mine, monkeypatch):
    monkeypatch.setattr(turn, "SILENT_S", 1.0)
    retained(broker, mine.holder_topic, b"other")
    with Device(broker) as other:
        waiting, end = Waiting(mine), time.monotonic() + 1.5
        while time.monotonic() < end:
            other._client.publish(mine.holder_topic, b"other", 1, retain=True)
            assert not waiting.over(0.1)
        monkeypatch.setattr(turn, "SILENT_S", 60.0)
        other._client.publish(mine.holder_topic, None, 1, retain=True)  # a last will, or a farewell
        assert waiting.over(10)
        assert waiting.result


def test_who_is_silent_for_long_has_lost_it(broker, mine):
    retained(broker, mine.holder_topic, b"killed with its broker")
    waiting = Waiting(mine)
    assert not waiting.over(0.5)
    assert waiting.over(5)


def test_a_stop_ends_the_waiting(broker, mine):
    broker.stop()
    waiting = Waiting(mine)
    assert not waiting.over(0.3)
    waiting.stopped.set()
    assert waiting.over(5)
    assert waiting.result is False


def test_what_was_left_is_found(broker, mine, monkeypatch):
    assert mine.checkpoint() is None
    large = bytes(range(256)) * 10_000
    retained(broker, mine.checkpoint_topic, b"older")
    retained(broker, mine.checkpoint_topic, large)
    assert mine.checkpoint() == large
    broker.stop()
    monkeypatch.setattr(turn, "ANSWER_S", 0.2)
    with pytest.raises(TurnLostError, match="does not say what was left"):
        mine.checkpoint()
