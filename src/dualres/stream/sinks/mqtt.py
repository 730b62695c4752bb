"""A topic on which verdicts are published; {stream} in it stands for the stream's name."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Sequence
from typing import Any

from dualres.stream.broker import KEEPALIVE_S, Broker
from dualres.stream.sinks.sink import NotDeliveredError, Sink
from dualres.stream.spool import Record

TIMEOUT_S = 10.0


class MqttSink(Sink):
    """Published with quality of service 1: the broker may get a verdict twice, and its id tells."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self._broker = Broker.parsed(name)
        self._client = self._broker.client("")
        self._there = threading.Event()
        self._client.on_connect = lambda *arguments: None if arguments[3].is_failure else self._there.set()
        self._client.on_disconnect = lambda *_: self._there.clear()
        self._client.on_publish = self._answered
        self._refused: dict[int, str] = {}  # why, by the numbers of messages
        self._begun = False

    def _answered(self, client: object, _: object, mid: int, reason: Any, properties: object) -> None:
        if reason.is_failure:
            self._refused[mid] = str(reason)

    def send(self, records: Sequence[Record]) -> None:
        if not self._begun:
            self._client.connect_async(self._broker.host, self._broker.port, KEEPALIVE_S)
            self._client.loop_start()
            self._begun = True
        if not self._there.wait(TIMEOUT_S):
            raise NotDeliveredError("no broker answers")
        sent = [self._client.publish(self._topic(one), json.dumps(one.data), qos=1) for one in records]
        for one in sent:
            try:
                one.wait_for_publish(TIMEOUT_S)
            except (RuntimeError, ValueError) as error:
                raise NotDeliveredError(str(error)) from error
            if not one.is_published():
                raise NotDeliveredError("the broker acknowledges nothing")
            if reason := self._refused.pop(one.mid, ""):
                raise NotDeliveredError(f"the broker refuses a verdict ({reason})")

    def close(self) -> None:
        self._client.disconnect()
        self._client.loop_stop()

    def _topic(self, record: Record) -> str:
        return self._broker.topic.replace("{stream}", re.sub(r"[+#]", "_", str(record.data["stream"])))
