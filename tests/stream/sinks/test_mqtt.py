import json
import threading

import pytest

from dualres.stream.sinks import mqtt
from dualres.stream.sinks.catalogue import sink_of
from dualres.stream.sinks.sink import NotDeliveredError
from tests.stream.mosquitto import Mosquitto, needs_mosquitto
from tests.stream.sinks.records import record

pytest.importorskip("paho.mqtt", reason="MQTT needs paho-mqtt")


@needs_mosquitto
def test_verdicts_are_published_on_a_topic_for_each_stream(tmp_path, monkeypatch):
    from paho.mqtt.client import Client
    from paho.mqtt.enums import CallbackAPIVersion

    monkeypatch.setattr(mqtt, "TIMEOUT_S", 1.0)
    got, all_there, subscribed = [], threading.Event(), threading.Event()

    def message(client, _, one):
        got.append((one.topic, json.loads(one.payload)))
        if len(got) == 2:
            all_there.set()

    with Mosquitto(tmp_path) as broker:
        listener = Client(CallbackAPIVersion.VERSION2)
        listener.on_message, listener.on_subscribe = message, lambda *_: subscribed.set()
        listener.connect("127.0.0.1", broker.port)
        listener.subscribe("verdicts/#", qos=1)
        listener.loop_start()
        assert subscribed.wait(10)
        sink = sink_of(broker.url("verdicts/{stream}"))
        sink.send([record(0), record(1, "a+b")])
        assert all_there.wait(10)
        listener.disconnect()
        listener.loop_stop()
        broker.stop()
        with pytest.raises(NotDeliveredError):
            sink.send([record(2)])
        sink.close()
    assert got == [("verdicts/pump", record(0).data), ("verdicts/a_b", record(1, "a+b").data)]
