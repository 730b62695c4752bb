"""A topic on which verdicts are published; {stream} in it stands for the stream's name."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from dualres.errors import ConfigError
from dualres.stream.watch.broker import KEEPALIVE_S, Broker
from dualres.stream.watch.records import VerdictRecord
from dualres.stream.watch.sinks.sink import NotDeliveredError, Sink

if TYPE_CHECKING:
    from paho.mqtt.client import Client, MQTTMessageInfo

TIMEOUT_S = 10.0
LOOK_S = 0.1  # how often to look whether the connection is still there
# In a topic: wildcards, what Mosquitto hangs up for, and a $ at its beginning, where topics are the broker's own.
_UNFIT = re.compile(r"[+#\x00-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]|^\$")
TopicMessage = tuple[str, str]  # a topic and what is published on it


class MqttSink(Sink):
    """Published with quality of service 1: the broker may get a verdict twice, and its id tells."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self._broker = Broker.parsed(name)
        if re.search(r"[+#]", self._broker.topic):
            raise ConfigError(
                f"--to {name}: verdicts go to one topic; write {{stream}} where streams differ, not + or #"
            )
        self._broker.client("")  # an error now where there is no client
        self._connection: _Connection | None = None

    def send(self, records: Sequence[VerdictRecord]) -> None:
        """All at once. After a failure by a new connection, for the client would go on to send what it has, and a
        broker that does not like it would hang up again and again."""
        if self._connection is None:
            self._connection = _Connection(self._broker)
        try:
            self._connection.publish([(self._topic(one), json.dumps(one.data)) for one in records])
        except NotDeliveredError:
            self.close()
            raise

    def close(self) -> None:
        if self._connection:
            self._connection.close()
        self._connection = None

    def _topic(self, record: VerdictRecord) -> str:
        return self._broker.topic.replace("{stream}", _UNFIT.sub("_", str(record.data["stream"])))


class _Connection:
    def __init__(self, broker: Broker) -> None:
        self._ready, self._lost = threading.Event(), ""  # and why
        self._refusals: dict[int, str] = {}  # why, by the numbers of messages
        self._broker, self._client = broker, broker.client("", again=False)
        self._client.on_connect, self._client.on_disconnect = self._on_connect, self._on_disconnect
        self._client.on_publish = self._on_publish
        self._client.connect_async(broker.host, broker.port, KEEPALIVE_S)
        self._client.loop_start()

    def publish(self, messages: Sequence[TopicMessage]) -> None:
        """Until the broker has all; else a NotDeliveredError."""
        if not self._ready.wait(TIMEOUT_S) and not self._lost:
            raise NotDeliveredError(f"no broker answers ({self._broker.obstacle() or 'no reason was given'})")
        for message in [self._client.publish(topic, text, qos=1) for topic, text in messages]:
            self._await(message)
            if reason := self._refusals.pop(message.mid, ""):
                raise NotDeliveredError(f"the broker refuses a verdict ({reason})")

    def _await(self, message: MQTTMessageInfo) -> None:
        deadline = time.monotonic() + TIMEOUT_S
        try:
            while not self._lost and not message.is_published() and time.monotonic() < deadline:
                message.wait_for_publish(LOOK_S)
            delivered = message.is_published()
        except (RuntimeError, ValueError) as error:
            raise NotDeliveredError(self._lost or str(error)) from error
        if not delivered:
            raise NotDeliveredError(self._lost or "the broker acknowledges nothing")

    def close(self) -> None:
        self._client.disconnect()
        self._client.loop_stop()

    def _on_connect(self, client: Client, _: object, flags: object, reason: Any, properties: object) -> None:
        if reason.is_failure:
            self._lost = f"the broker refuses us: {reason}"
        self._ready.set()

    def _on_disconnect(self, client: Client, _: object, flags: object, reason: Any, properties: object) -> None:
        self._lost = self._lost or f"the connection is lost: {reason}"
        self._ready.set()

    def _on_publish(self, client: Client, _: object, mid: int, reason: Any, properties: object) -> None:
        if reason.is_failure:
            self._refusals[mid] = str(reason)
