"""An agent whose own connection to the broker is cut while messages are under way."""

import socket
import threading
import time

import pytest

from dualres.stream.watch.agent import Agent
from dualres.stream.watch.sources.mqtt import Mqtt
from dualres.stream.watch.spool import Spool
from tests.stream.conftest import noise
from tests.stream.watch.agents import RATE, Remembering, essence, expected, until
from tests.stream.watch.mosquitto import Device, Mosquitto, needs_mosquitto
from tests.stream.watch.sources.collected import Collected, options

pytest.importorskip("paho.mqtt", reason="MQTT needs paho-mqtt")
pytestmark = needs_mosquitto
WHOLES = [noise(RATE, seed) for seed in range(12)]


class Watching:
    """An agent in a thread, whose connection a test may cut."""

    def __init__(self, model, broker, folder, topic="burst/+"):
        self.sink, self.said, self.source = Remembering(), [], Mqtt(broker.url(topic), options(client="g"))
        self.source._client.reconnect_delay_set(0.05, 1)
        self._arguments = model, folder / "spool.sqlite"
        self._thread = threading.Thread(target=self._run, daemon=True)

    def _run(self):
        model, path = self._arguments
        with Spool(path) as spool:
            self.agent = Agent(model, [self.source], [self.sink], spool, say=self.said.append)
            self.agent.run()

    def __enter__(self):
        self._thread.start()
        self.until(lambda: any("connected as" in text for text in self.said))
        return self

    def __exit__(self, *_):
        self.agent.stop()
        self._thread.join(20)
        assert not self._thread.is_alive()

    def until(self, condition):
        until(condition, about=lambda: self.said)

    def cut(self):
        """As a network does; the agent connects again by itself."""
        connections = sum("connected as" in text for text in self.said)
        self.source._client.socket().shutdown(socket.SHUT_RDWR)
        self.until(lambda: sum("connected as" in text for text in self.said) > connections)

    def verdicts(self):
        """Of every run, its windows and blocks."""
        found = {}
        for one in self.sink.told:
            run = found.setdefault(one["run"], {})
            assert run.setdefault((one["kind"], one["number"]), essence(one)) == essence(one)
        return found


@pytest.mark.parametrize("stamped", [False, True])
def test_whole_messages_that_come_again_are_judged_once_and_acknowledged(views, tmp_path, stamped):
    """They were judged, and the broker does not know it yet."""
    with Mosquitto(tmp_path / "broker") as broker, Device(broker, "burst/1", stamped=stamped, whole=True) as device:
        with Watching(views, broker, tmp_path) as watching:
            receipts = watching.source._receipts
            send, kept = receipts._send, []
            receipts._send = lambda *receipt: kept.append(receipt)  # acknowledgements that get lost on their way
            for number, whole in enumerate(WHOLES[:6]):
                device.send(whole, number)
            watching.until(lambda: len(watching.verdicts()) == 6 and len(kept) == 6)
            receipts._send = send
            watching.cut()  # all six come again, by other numbers
            for number, whole in enumerate(WHOLES[6:], start=6):
                device.send(whole, number)
            watching.until(lambda: len(watching.verdicts()) == 12)
            watching.cut()
            watching.until(lambda: watching.agent._status.duplicates == 6 * RATE)
            watching.until(lambda: not receipts._open)
        with Collected(Mqtt(broker.url("burst/+"), options(client="g"))) as nothing:
            nothing.until(lambda f: f.said)
            time.sleep(0.5)
    wanted = sorted(sorted(expected(views, whole).items()) for whole in WHOLES)
    assert sorted(sorted(run.items()) for run in watching.verdicts().values()) == wanted
    assert len(watching.sink.told) == sum(map(len, wanted)), "no verdict is told twice"
    assert nothing.chunks == [], "the broker was told of all"


def test_a_stream_goes_on_over_many_cuts(views, tmp_path):
    signal = noise(8 * RATE)
    with (
        Mosquitto(tmp_path / "broker") as broker,
        Device(broker, "burst/1") as device,
        Watching(views, broker, tmp_path) as watching,
    ):
        for number, at in enumerate(range(0, len(signal), 1024)):
            device.send(signal[at : at + 1024], at)
            if number % 25 == 10:
                watching.cut()
        whole = expected(views, signal, finish=False)
        watching.until(lambda: sum(map(len, watching.verdicts().values())) == len(whole))
    (found,) = watching.verdicts().values()
    assert found == whole
