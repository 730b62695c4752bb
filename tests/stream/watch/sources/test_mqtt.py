import json
import time
from fractions import Fraction
from zlib import crc32

import numpy as np
import pytest

from dualres.errors import ConfigError
from dualres.stream.monitor.chunk import Form
from dualres.stream.watch.broker import Broker
from dualres.stream.watch.sources import mqtt
from dualres.stream.watch.sources.mqtt import Header, Mqtt, Receipts
from tests.stream.watch.mosquitto import Device, Mosquitto, needs_mosquitto
from tests.stream.watch.sources.collected import Collected, options

pytest.importorskip("paho.mqtt", reason="MQTT needs paho-mqtt")
SIGNAL = np.arange(1000, dtype="<f4")


@pytest.fixture
def broker(tmp_path):
    with Mosquitto(tmp_path / "broker") as broker:
        yield broker


def source(broker, topic="plant/+", client="tests", **given):
    made = Mqtt(broker.url(topic), options(client=client, **given))
    made._client.reconnect_delay_set(0.05, 1)
    return made


class Connected(Collected):
    """A source of a broker, from when it is connected."""

    def __init__(self, broker, topic="plant/+", **given):
        super().__init__(source(broker, topic, **given))

    def __enter__(self):
        return super().__enter__().until(lambda f: f.said)


def acknowledge(found):
    for chunk in found.chunks:
        chunk.acknowledge()


@needs_mosquitto
def test_every_topic_is_a_stream_with_a_header_and_side_inputs(broker):
    a, b = Device(broker, "plant/a", condition={"load": 3}), Device(broker, "plant/b", rate=8000, dtype="i16")
    with a, b, Connected(broker) as found:
        a.send(SIGNAL[:400], 0)
        found.until(lambda f: len(f.chunks) == 1)
        a.publish(json.dumps({"speed": 1500}), "/side")
        a.send(SIGNAL[400:], 400)
        b.send(SIGNAL, 0)
        found.until(lambda f: len(f.chunks) == 3)
        acknowledge(found)
    of_a = [c for c in found.chunks if c.stream == "plant/a"]
    assert found.samples("plant/a").tolist() == SIGNAL.tolist()
    assert [(c.start, c.first) for c in of_a] == [("1", 0), ("1", 400)]
    assert [dict(c.side) for c in of_a] == [{"load": "3"}, {"load": "3", "speed": "1500"}]
    assert {c.form for c in found.chunks if c.stream == "plant/b"} == {Form.of(8000, "i16")}


@needs_mosquitto
def test_what_was_not_acknowledged_comes_again_and_the_rest_does_not(broker):
    with Device(broker) as device:
        with Connected(broker) as found:
            for i in range(10):
                device.send(SIGNAL[:10], 10 * i)
            found.until(lambda f: len(f.chunks) == 10)
            for chunk in found.chunks[:4]:
                chunk.acknowledge()
            time.sleep(0.3)
        device.send(SIGNAL[:10], 100)  # while nobody is there
        with Collected(source(broker)) as again:
            again.until(lambda f: len(f.chunks) == 7)
            for chunk in found.chunks:
                chunk.acknowledge()  # of a connection that is gone: these must do nothing
            acknowledge(again)
            time.sleep(0.3)
        with Connected(broker) as nothing:
            time.sleep(0.3)
    assert [c.first for c in again.chunks] == [*range(40, 110, 10)]
    assert nothing.chunks == []


@needs_mosquitto
def test_samples_wait_for_their_header(broker):
    with Connected(broker) as found, Device(broker) as device:
        device._client.on_connect = None
        device.send(SIGNAL, 0)
        time.sleep(0.5)
        before = list(found.chunks)
        device.introduce()
        found.until(lambda f: len(f.chunks) == 1)
    assert before == [] or before == found.chunks  # the header may have been first


@needs_mosquitto
def test_a_broker_that_comes_back_is_found_again(broker):
    with Device(broker) as device, Connected(broker) as found:
        device.send(SIGNAL, 0)
        found.until(lambda f: len(f.chunks) == 1)
        acknowledge(found)
        time.sleep(0.2)
        broker.stop()
        broker.start()
        found.until(lambda f: sum("connected as" in text for text in f.said) == 2)
        device.send(SIGNAL, 1000)
        found.until(lambda f: [c.first for c in f.chunks] == [0, 1000])
    assert [text for text in found.said if "connection is lost" in text]


@needs_mosquitto
def test_shards_share_the_streams(broker):
    topics = [f"plant/{i}" for i in range(8)]
    devices = [Device(broker, topic) for topic in topics]
    first, second = (Connected(broker, shard=(k, 2), client="g") for k in (1, 2))
    with first, second:
        for device in devices:
            device.send(SIGNAL, 0)
        first.until(lambda f: len(f.chunks) + len(second.chunks) == 8)
    for device in devices:
        device.__exit__()
    assert {c.stream for c in first.chunks} == {t for t in topics if crc32(t.encode()) % 2 == 0}
    assert {c.stream for c in second.chunks} == {t for t in topics if crc32(t.encode()) % 2 == 1}


@needs_mosquitto
def test_samples_stay_in_order_while_those_of_another_shard_are_let_go_at_once(broker):
    mine, other = Device(broker, "plant/a"), Device(broker, "plant/d")
    assert [crc32(device.topic.encode()) % 2 for device in (mine, other)] == [0, 1]
    numbers = iter(range(0, 10_000, 10))

    def send(count):
        for _ in range(count):
            first = next(numbers)
            mine.send(SIGNAL[:10], first).wait_for_publish()
            other.send(SIGNAL[:10], first).wait_for_publish()

    with mine, other:
        with Connected(broker, shard=(1, 2)):
            pass
        send(300)  # while nobody is there
        with Collected(source(broker, shard=(1, 2))) as found:
            found.until(lambda f: len(f.chunks) >= 128)
            send(600)  # while nothing is committed
            done, end = 0, time.monotonic() + 20
            while done < 900 and time.monotonic() < end:
                for chunk in found.chunks[done:]:
                    chunk.acknowledge()
                    done += 1
                time.sleep(0.02)
    assert [c.first for c in found.chunks] == [*range(0, 9000, 10)]


@needs_mosquitto
@pytest.mark.parametrize("rate", [None, Fraction(8000)], ids=["no rate", "another rate"])  # which a model may remember
def test_a_header_comes_even_when_the_broker_is_busy_sending_all_else(broker, rate, monkeypatch):
    monkeypatch.setattr(mqtt, "REQUEST_EVERY_S", 0.3)
    many = np.zeros(20_000, "<f4")
    with Device(broker) as device:
        with Connected(broker):
            pass
        sent = [device.send(many, many.size * i) for i in range(300)]  # more than fits into the socket's buffers
        sent[-1].wait_for_publish(20)
    with Collected(source(broker, rate=rate)) as found:  # and no more will come
        found.until(lambda f: len(f.chunks) >= 256)
    assert [(c.form.rate, c.first) for c in found.chunks] == [(12_800, i * many.size) for i in range(len(found.chunks))]


@needs_mosquitto
def test_where_no_header_comes_the_rate_that_was_given_is_believed(broker, monkeypatch):
    monkeypatch.setattr(mqtt, "REQUEST_EVERY_S", 0.2)
    with Device(broker) as device, Connected(broker, rate=Fraction(8000)) as found:
        device._client.publish("plant/b", SIGNAL.tobytes(), qos=1)
        found.until(lambda f: f.chunks)
        device._client.publish("plant/b", SIGNAL.tobytes(), qos=1)
        found.until(lambda f: len(f.chunks) == 2)
    assert {(c.stream, c.form.rate, c.first) for c in found.chunks} == {("plant/b", 8000, None)}


@needs_mosquitto
def test_a_stream_without_a_header_holds_up_no_other(broker, monkeypatch):
    monkeypatch.setattr(mqtt, "REQUEST_EVERY_S", 0.05)
    with Device(broker, "plant/a") as device, Connected(broker) as found:
        for _ in range(mqtt.RECEIVE_MAXIMUM):
            device._client.publish("plant/b", SIGNAL.tobytes(), qos=1)
        device.send(SIGNAL, 0)
        found.until(lambda f: f.chunks)
    assert [text for text in found.said if "plant/b: left out" in text and "no header comes" in text]
    assert {c.stream for c in found.chunks} == {"plant/a"}


@needs_mosquitto
def test_a_shared_subscription_takes_whole_messages_only(broker):
    with Device(broker, "burst/a", stamped=False, whole=True) as whole, Device(broker, "burst/b") as torn:
        first, second = (Connected(broker, "$share/g/burst/+", client=str(k)) for k in (1, 2))
        with first, second:
            for i in range(20):
                whole.publish((SIGNAL + i).tobytes())
            torn.send(SIGNAL, 0)
            first.until(lambda f: len(f.chunks) + len(second.chunks) == 20)
            first.until(lambda f: any("tears" in text for text in [*f.said, *second.said]))
        both = [*first.chunks, *second.chunks]
        assert first.chunks
        assert second.chunks
        assert len({c.start for c in both}) == 20
        assert all(c.last and c.first == 0 for c in both)


@needs_mosquitto
def test_messages_that_are_odd_in_other_ways_are_told_once(broker):
    with Device(broker, "plant/a") as device, Connected(broker) as found:
        for size in range(1, 10):
            device._client.publish("plant/a", bytes(size), qos=1)
        device.send(SIGNAL, 0)
        found.until(lambda f: f.chunks)
    assert len([text for text in found.said if "plant/a: left out" in text]) == 1


@needs_mosquitto
def test_what_nobody_can_read_is_told_and_acknowledged(broker):
    with Device(broker) as device, Connected(broker) as found:
        device.publish(b"short")
        found.until(lambda f: any("no stamp" in text for text in f.said))
        device.publish(b"{", "/header")
        found.until(lambda f: any("cannot be understood" in text for text in f.said))
        device.publish(b"[" * 100_000, "/side")
        found.until(lambda f: any("levels deep" in text for text in f.said))
        device.send(SIGNAL, 0)
        found.until(lambda f: len(f.chunks) == 1)


@pytest.mark.parametrize(
    "payload",
    [b"", b"[]", b"{}", b'{"rate": -1}', b'{"rate": 8000, "dtype": "f64"}', b'{"rate": 8000, "channels": []}'],
)
def test_odd_headers_are_refused(payload):
    with pytest.raises(ConfigError):
        Header.parsed(payload)


@pytest.mark.parametrize(
    "url", ["mqtt://host", "mqtt:///topic", "mqtt://user:secret@host/topic", "mqtt://host:x/topic"]
)
def test_odd_addresses_are_refused(url):
    with pytest.raises(ConfigError) as error:
        Broker.parsed(url)
    assert "secret" not in str(error.value)


def test_topics_may_have_wildcards():
    assert Broker.parsed("mqtt://host/plant/+/x/#").topic == "plant/+/x/#"
    assert Broker.parsed("mqtts://host/$share/g/plant/+") == Broker("host", 8883, "$share/g/plant/+", True)


def test_acknowledgements_keep_the_order_in_which_messages_came():
    sent = []
    receipts = Receipts(lambda number, qos: sent.append((number, qos)))
    first, second, third = (receipts.of(number, 1) for number in (7, 3, 9))
    second()
    third()
    assert sent == []
    first()
    first()
    assert sent == [(7, 1), (3, 1), (9, 1)]


def test_messages_that_need_no_acknowledgement_hold_up_nobody():
    sent = []
    receipts = Receipts(lambda number, qos: sent.append(number))
    for acknowledge in (receipts.of(0, 0), receipts.of(1, 1))[::-1]:
        acknowledge()
    assert sent == [1]


def test_messages_of_an_earlier_connection_are_not_acknowledged():
    sent = []
    receipts = Receipts(lambda number, qos: sent.append(number))
    before = receipts.of(1, 1)
    receipts.forget()
    now = receipts.of(1, 1)
    before()
    assert sent == []
    now()
    assert sent == [1]
