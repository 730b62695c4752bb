import json
import signal
import threading
import time
from contextlib import contextmanager
from functools import partial

import pytest

from dualres.errors import ConfigError
from dualres.stream.watch.sinks import mqtt
from dualres.stream.watch.sinks.catalogue import sink_of
from dualres.stream.watch.sinks.sink import NotDeliveredError
from tests.stream.watch.agents import until
from tests.stream.watch.mosquitto import Mosquitto, needs_mosquitto
from tests.stream.watch.sinks.records import record

pytest.importorskip("paho.mqtt", reason="MQTT needs paho-mqtt")


@needs_mosquitto
def test_verdicts_are_published_on_a_topic_for_each_stream(tmp_path, monkeypatch):
    monkeypatch.setattr(mqtt, "TIMEOUT_S", 1.0)
    with Mosquitto(tmp_path) as broker:
        sink = sink_of(broker.url("verdicts/{stream}"))
        with received_by(broker) as got:
            sink.send([record(0), record(1, "a+b")])
            until(lambda: len(got) == 2)
        broker.stop()
        with pytest.raises(NotDeliveredError):
            sink.send([record(2)])
        sink.close()
    assert got == [("verdicts/pump", record(0).data), ("verdicts/a_b", record(1, "a+b").data)]


NAMES = ["a\nb", "\x1b[2J\r", "\x7f\x85", " ", "ü\u2028", "\ufffe", "\ufdd0", 'q"\\', "a/$b", "x" * 4000]


@needs_mosquitto
def test_no_name_of_a_stream_is_in_the_way(tmp_path):
    with Mosquitto(tmp_path) as broker, received_by(broker) as got:
        sink = sink_of(broker.url("verdicts/{stream}"))
        for name in NAMES:
            sink.send([record(0, name)])
        until(lambda: len(got) == len(NAMES))
        sink.close()
        alone = sink_of(broker.url("{stream}"))
        alone.send([record(0, "$SYS/verdicts"), record(0, "verdicts/b")])
        until(lambda: len(got) == len(NAMES) + 1)
        alone.close()
    assert [verdict["stream"] for _, verdict in got] == [*NAMES, "verdicts/b"]


@pytest.mark.parametrize("topic", ["verdicts/#", "verdicts/+/{stream}"])
def test_a_topic_that_stands_for_many_is_refused(topic):
    with pytest.raises(ConfigError, match=r"write \{stream\}"):
        sink_of(f"mqtt://host/{topic}")


@contextmanager
def received_by(broker):
    """A list that fills with the topics and verdicts that are published."""
    from paho.mqtt.client import Client
    from paho.mqtt.enums import CallbackAPIVersion

    got, subscribed = [], threading.Event()
    listener = Client(CallbackAPIVersion.VERSION2)
    listener.on_message = lambda client, _, one: got.append((one.topic, json.loads(one.payload)))
    listener.on_subscribe = lambda *_: subscribed.set()
    listener.connect("127.0.0.1", broker.port)
    listener.subscribe("verdicts/#", qos=1)
    listener.loop_start()
    assert subscribed.wait(10)
    yield got
    listener.disconnect()
    listener.loop_stop()


@needs_mosquitto
def test_verdicts_that_a_broker_refuses_wait_until_it_takes_them(tmp_path):
    rules = tmp_path / "rules"
    rules.write_text("topic readwrite #\ntopic deny verdicts/pump\n")
    with Mosquitto(tmp_path / "broker", None, f"acl_file {rules}") as broker, received_by(broker) as got:
        sink = sink_of(broker.url("verdicts/{stream}"))
        for _ in range(2):
            with pytest.raises(NotDeliveredError, match=r"refuses a verdict .Not authorized"):
                sink.send([record(0)])
        rules.write_text("topic readwrite #\n")
        broker.process.send_signal(signal.SIGHUP)  # by which it reads the rules again
        for one in (record(0), record(1), record(2, "fan")):
            until(partial(delivered, sink, [one]))
        until(lambda: len({verdict["id"] for _, verdict in got}) == 3)
        sink.close()
    assert [verdict["id"] for _, verdict in got].count(record(0).data["id"]) == 1, (
        "what was refused was not published, nor sent again behind our back"
    )


@needs_mosquitto
@pytest.mark.parametrize("limit", ["message_size_limit 500", "max_packet_size 600"])
def test_a_verdict_that_is_too_large_for_a_broker_is_told_at_once_and_does_not_stay_in_the_way(tmp_path, limit):
    with Mosquitto(tmp_path, None, limit) as broker, received_by(broker) as got:
        sink, large = sink_of(broker.url("verdicts/{stream}")), record(0)
        large.data["condition"] = {"note": "x" * 1000}
        began = time.monotonic()
        with pytest.raises(NotDeliveredError, match=r"connection is lost: (Packet too large|Protocol error)"):
            sink.send([large])
        assert time.monotonic() - began < mqtt.TIMEOUT_S / 2
        sink.send([record(1)])
        until(lambda: got == [("verdicts/pump", record(1).data)])
        sink.close()


@needs_mosquitto
def test_a_broker_that_does_not_let_us_in_is_told(tmp_path, monkeypatch):
    passwords = tmp_path / "passwords"
    passwords.write_text("")
    with Mosquitto(tmp_path / "broker", None, "allow_anonymous false", f"password_file {passwords}") as broker:
        sink = sink_of(broker.url("verdicts"))
        with pytest.raises(NotDeliveredError, match="refuses us: Not authorized"):
            sink.send([record(0)])
        sink.close()


def delivered(sink, records):
    try:
        sink.send(records)
    except NotDeliveredError:
        return False
    return True
