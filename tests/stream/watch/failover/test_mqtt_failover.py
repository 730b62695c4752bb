import socket
import threading
import time

import numpy as np
import pytest

from dualres.stream.watch.failover import leader_election as turn
from dualres.stream.watch.failover import mqtt_failover
from dualres.stream.watch.failover.leader_election import TurnLostError
from dualres.stream.watch.failover.mqtt_failover import MqttFailover
from tests.stream.watch.mosquitto import Device, Mosquitto, needs_mosquitto
from tests.stream.watch.sources.collected import Collected, options

pytest.importorskip("paho.mqtt", reason="MQTT needs paho-mqtt")
pytestmark = needs_mosquitto
SIGNAL = np.arange(10, dtype="<f4")


@pytest.fixture
def broker(tmp_path, monkeypatch):
    monkeypatch.setattr(turn, "FREE_S", 0.1)
    monkeypatch.setattr(mqtt_failover, "REQUEST_EVERY_S", 0.1)
    with Mosquitto(tmp_path / "broker") as broker:
        yield broker


def source(broker, topic="plant/+", group="g"):
    return MqttFailover(broker.url(topic), options(client=group, shard=(1, 1)))


class Collecting(Collected):
    """A source that has claimed its session; why it ended."""

    def __init__(self, source, say=lambda text: None):
        self.ended, run = [], source.run

        def remembering(*arguments):
            try:
                run(*arguments)
            except TurnLostError as error:
                self.ended.append(error)

        def heard(text):
            say(text)
            self.said.append(text)

        source.run = remembering
        super().__init__(source)
        self.left = source.claim(heard, threading.Event())

    def __enter__(self):
        """From here on nothing that is sent is missed; a broker gives us nothing of what came before we subscribed."""
        super().__enter__()
        return self.until(lambda f: any("connected as" in text for text in f.said))


def test_when_one_dies_another_goes_on_with_what_it_left_and_what_it_did_not_acknowledge(broker):
    first, second, said = source(broker), source(broker), []
    with Device(broker) as device, Collecting(first) as found:
        assert found.left is None
        for i in range(6):
            device.send(SIGNAL, 10 * i)
        found.until(lambda f: len(f.chunks) == 6)
        stored = first.store(b"all up to 30")
        found.until(lambda f: stored())
        for chunk in found.chunks[:3]:
            chunk.acknowledge()
        taken = []
        waiting = threading.Thread(target=lambda: taken.append(Collecting(second, said.append)), daemon=True)
        waiting.start()
        waiting.join(1.0)
        assert not taken
        first._client.socket().shutdown(socket.SHUT_RDWR)  # as when a process is killed
        waiting.join(10)
        (again,) = taken
        device.send(SIGNAL, 60)
        with again:
            again.until(lambda f: len(f.chunks) == 4)
        found.until(lambda f: f.ended)
    assert again.left == b"all up to 30"
    assert [chunk.first for chunk in again.chunks] == [30, 40, 50, 60]
    assert "stands by for g-1-of-1" in said[0]


def test_who_is_overtaken_acknowledges_nothing_any_more_and_does_not_come_back(broker, monkeypatch):
    with Device(broker) as device, Collecting(source(broker)) as found:
        device.send(SIGNAL, 0)
        found.until(lambda f: f.chunks)
        monkeypatch.setattr(turn, "SILENT_S", 0.0)  # the second believes that the first is dead
        with Collecting(source(broker)) as again:
            again.until(lambda f: f.chunks)
            found.until(lambda f: f.ended)
            found.chunks[0].acknowledge()
        with Collecting(source(broker)) as third:
            third.until(lambda f: f.chunks)
    assert again.ended == []
    assert "may be another's now" in str(found.ended[0])


@pytest.mark.parametrize(
    ("line", "rules", "why"),
    [
        ("", "topic deny dualres/watch/+/left", "does not take the checkpoint (Not authorized)"),
        ("message_size_limit 1500", "", "hung up on a checkpoint of 2,000 bytes"),
        ("max_packet_size 1500", "", "hung up on a checkpoint of 2,000 bytes"),
    ],
    ids=["not allowed", "message too large", "packet too large"],
)
def test_a_checkpoint_that_is_refused_is_not_stored_and_told(tmp_path, monkeypatch, line, rules, why):
    monkeypatch.setattr(turn, "FREE_S", 0.1)
    monkeypatch.setattr(mqtt_failover, "REQUEST_EVERY_S", 0.1)
    (tmp_path / "rules").write_text(f"topic readwrite #\n{rules}\n")
    with (
        Mosquitto(tmp_path / "broker", None, f"acl_file {tmp_path / 'rules'}", line) as broker,
        Device(broker) as device,
    ):
        first = source(broker)
        with Collecting(first) as found:
            device.send(SIGNAL, 0)
            found.until(lambda f: f.chunks)
            stored = first.store(bytes(2000))
            found.until(lambda f: any(why in text for text in f.said))
            found.until(lambda f: f.ended)  # Mosquitto hangs up on who does what is not allowed
            assert not stored()
        with Collecting(source(broker)) as again:
            again.until(lambda f: f.chunks)
    assert again.left is None


def test_a_checkpoint_that_is_refused_is_tried_again(broker, monkeypatch):
    """By a broker that does not hang up."""
    from paho.mqtt.packettypes import PacketTypes
    from paho.mqtt.reasoncodes import ReasonCode

    monkeypatch.setattr(mqtt_failover, "AGAIN_S", 0.0)
    first = source(broker)
    with Collecting(first) as found:
        stored = first.store(b"a checkpoint")
        found.until(lambda f: stored())
        number = first._client._last_mid
        first._on_publish(first._client, None, number, ReasonCode(PacketTypes.PUBACK, "Quota exceeded"), None)
        assert not stored()
        found.until(lambda f: stored())
        assert first._client._last_mid == number + 1
    assert [text for text in found.said if "does not take the checkpoint (Quota exceeded)" in text]


def test_an_orderly_end_lets_the_next_one_begin_at_once(broker):
    for _ in range(2):
        began = time.monotonic()
        with Collecting(source(broker)) as found:
            assert time.monotonic() - began < turn.SILENT_S / 2
        assert found.ended == []


def test_of_shared_messages_none_stays_with_a_process_that_is_dead(broker):
    topic, wholes = "$share/s/burst/+", [SIGNAL + i for i in range(20)]
    first, second = source(broker, topic, "a"), source(broker, topic, "b")
    with Device(broker, "burst/1", stamped=False, whole=True) as device, Collecting(second) as of_second:
        with Collecting(first) as of_first:
            for whole in wholes[:10]:
                device.publish(whole.tobytes())
            of_first.until(lambda f: len(f.chunks) + len(of_second.chunks) == 10)
            first._client.socket().shutdown(socket.SHUT_RDWR)
            of_first.until(lambda f: f.ended)
        for whole in wholes[10:]:
            device.publish(whole.tobytes()).wait_for_publish(5)
        of_second.until(lambda f: len(f.chunks) == 10)  # the broker goes on to give the dead one its share
        with Collecting(source(broker, topic, "a")) as again:
            again.until(lambda f: len(f.chunks) == 10)
    found = sorted(chunk.data for chunk in [*of_second.chunks, *again.chunks])
    assert found == sorted(whole.tobytes() for whole in wholes)


def test_messages_that_could_be_judged_twice_are_refused(broker):
    with Device(broker, stamped=False) as device, Collecting(source(broker)) as found:
        device.send(SIGNAL, 0)
        found.until(lambda f: any("--standby needs messages" in text for text in f.said))


def test_what_processes_tell_each_other_is_no_stream(broker):
    with Device(broker) as device, Collecting(source(broker, "#")) as found:
        device.send(SIGNAL, 0)
        found.until(lambda f: f.chunks)
        device.send(SIGNAL, 10)
        found.until(lambda f: len(f.chunks) == 2)
    assert {chunk.stream for chunk in found.chunks} == {"plant/p1"}


def test_a_broker_that_is_away_is_no_turn(broker, monkeypatch):
    monkeypatch.setattr("dualres.stream.watch.failover.mqtt_failover.CONNECTED_S", 0.2)
    one = source(broker)
    monkeypatch.setattr(one._turn, "wait", lambda stopped: True)
    broker.stop()
    with pytest.raises(TurnLostError, match="does not let us in"):
        one.claim(lambda text: None, threading.Event())
    one.abandon()
