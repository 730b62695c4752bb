import threading
from signal import SIGHUP

import pytest

from dualres.errors import ConfigError
from dualres.stream.watch.agent import Agent
from dualres.stream.watch.failover import checkpoint, mqtt_failover, standby
from dualres.stream.watch.failover import leader_election as turn
from dualres.stream.watch.failover.mqtt_failover import MqttFailover
from dualres.stream.watch.failover.standby import Standby
from dualres.stream.watch.spool import Spool
from tests.stream.conftest import noise
from tests.stream.watch.agents import RATE, Remembering, by_number, expected, until
from tests.stream.watch.mosquitto import Device, Mosquitto, needs_mosquitto
from tests.stream.watch.sources.collected import options

pytest.importorskip("paho.mqtt", reason="MQTT needs paho-mqtt")
pytestmark = needs_mosquitto


@pytest.fixture
def broker(tmp_path, monkeypatch):
    monkeypatch.setattr(turn, "FREE_S", 0.1)
    monkeypatch.setattr(turn, "SILENT_S", 2.0)
    monkeypatch.setattr(mqtt_failover, "BEAT_S", 0.2)
    monkeypatch.setattr(mqtt_failover, "REQUEST_EVERY_S", 0.1)
    monkeypatch.setattr(standby, "PAUSE_S", 0.1)
    monkeypatch.setattr(checkpoint, "EVERY_S", 0.1)
    with Mosquitto(tmp_path / "broker") as broker:
        yield broker


class Process:
    """One that stands by, in a thread; all its turns tell one list of verdicts."""

    def __init__(self, model, broker, folder):
        self.records, self.said = [], []
        self._spool = (folder / "a.sqlite", 1 << 30)
        self.source, self._model, self._broker = None, model, broker
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._began = threading.Event()

    def _run(self):
        with Spool(*self._spool) as spool:
            self.standby = Standby(self._source, spool, self._agent, self.said.append)
            self._began.set()
            self.standby.run()

    def _source(self):
        self.source = MqttFailover(self._broker.url("plant/+"), options(client="g"))
        return self.source

    def _agent(self, source, checkpoints):
        sink = Remembering()
        sink.records = self.records
        self.checkpoints = checkpoints
        return Agent(self._model, [source], [sink], self.standby._spool, checkpoints=checkpoints, say=self.said.append)

    @property
    def told(self):
        return [record.data for record in self.records]

    def __enter__(self):
        self._thread.start()
        assert self._began.wait(10)
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        self.standby.stop()
        self._thread.join(20)
        assert not self._thread.is_alive()
        assert self.standby.source_errors == []


def has_turn(process):
    """And has subscribed: a broker gives us nothing of what came before that."""
    for word in ("our turn", "connected as"):
        until(lambda word=word: any(word in text for text in process.said))


@pytest.fixture
def signal():
    return noise(8 * RATE)


def send(device, signal, start, stop):
    for at in range(int(start * RATE), int(stop * RATE), 1000):
        device.deliver(signal[at : min(at + 1000, int(stop * RATE))], at)


def test_another_process_goes_on_to_the_last_bit(views, broker, tmp_path, signal):
    with Device(broker) as device, Process(views, broker, tmp_path / "1") as first:
        has_turn(first)
        with Process(views, broker, tmp_path / "2") as second:
            send(device, signal, 0, 3)
            until(lambda: len(first.told) > 8 and not first.checkpoints._waiting)
            send(device, signal, 3, 4)
            assert second.told == []
            first.stop()
            send(device, signal, 4, 8)
            whole = expected(views, signal, finish=False)
            until(lambda: by_number([*first.told, *second.told]).keys() == whole.keys())
    assert by_number([*first.told, *second.told]) == whole
    assert {**by_number(first.told), **by_number(second.told)} == whole, "what both say is the same"
    assert "it is our turn; 1 streams go on" in second.said
    assert min(one["number"] for one in second.told if one["kind"] == "window") > 0


def test_who_loses_its_turn_stands_by_and_gets_another(views, broker, tmp_path, signal, monkeypatch):
    with Device(broker) as device, Process(views, broker, tmp_path / "1") as first:
        has_turn(first)
        send(device, signal, 0, 3)
        until(lambda: len(first.told) > 8 and not first.checkpoints._waiting)
        thief = MqttFailover(broker.url("plant/+"), options(client="g"))
        monkeypatch.setattr(thief._turn, "wait", lambda stopped: True)  # it believes that the first is dead
        assert thief.claim(print, threading.Event())
        until(lambda: any("may be another's now" in text for text in first.said))
        thief.abandon()
        until(lambda: sum("our turn" in text for text in first.said) == 2)
        send(device, signal, 3, 8)
        whole = expected(views, signal, finish=False)
        until(lambda: by_number(first.told).keys() == whole.keys())
    assert by_number(first.told) == whole


def test_who_gets_its_own_turn_back_loses_nothing_that_the_broker_forgot(views, broker, tmp_path, signal):
    with Device(broker) as device, Process(views, broker, tmp_path / "1") as first:
        has_turn(first)
        send(device, signal, 0, 3)
        until(lambda: len(first.told) > 8 and not first.checkpoints._waiting)
        broker.await_save()
        send(device, signal, 3, 5)
        until(lambda: len(first.told) > 17)
        before = by_number(first.told)
        broker.kill()
        broker.start()
        until(lambda: sum("our turn" in text for text in first.said) == 2, turn.SILENT_S + 20)
        send(device, signal, 5, 8)
        until(lambda: max(one["stop"] for one in first.told) > 7 * RATE)
    assert {key: by_number(first.told)[key] for key in before} == before


def test_while_checkpoints_are_refused_nothing_is_lost(views, broker, tmp_path, signal):
    """Nothing is acknowledged; when they are allowed, all that was sent is judged, to the last bit."""
    rules = tmp_path / "rules"
    rules.write_text("topic readwrite #\ntopic deny dualres/watch/+/left\n")
    with (
        Mosquitto(tmp_path / "strict", None, f"acl_file {rules}") as strict,
        Device(strict) as device,
        Process(views, strict, tmp_path / "1") as process,
    ):
        has_turn(process)
        send(device, signal, 0, 3)
        until(lambda: any("does not take the checkpoint (Not authorized)" in text for text in process.said))
        rules.write_text("topic readwrite #\n")
        strict.process.send_signal(SIGHUP)  # by which it reads the rules again
        send(device, signal, 3, 8)
        whole = expected(views, signal, finish=False)
        until(lambda: by_number(process.told).keys() == whole.keys(), 40)
        until(lambda: not process.checkpoints._waiting and not process.checkpoints._pending)
    assert by_number(process.told) == whole


def test_what_cannot_be_understood_is_told_and_streams_begin_anew(views, broker, tmp_path, signal):
    left = f"dualres/watch/{MqttFailover(broker.url('plant/+'), options(client='g')).client_id}/left"
    with Device(broker) as device:
        until(device._client.is_connected)
        device._client.publish(left, b"nonsense", 1, retain=True).wait_for_publish(5)
        with Process(views, broker, tmp_path / "1") as process:
            has_turn(process)
            send(device, signal, 0, 2)
            until(lambda: process.told)
    assert [text for text in process.said if "begin anew" in text]
    assert "it is our turn; 0 streams go on" in process.said


def test_a_wrong_source_is_an_error_at_once(tmp_path):
    with Spool(tmp_path / "a.sqlite") as spool:
        standby = Standby(lambda: MqttFailover("mqtt://host", options(client="g")), spool, None, print)
        with pytest.raises(ConfigError):
            standby.run()
