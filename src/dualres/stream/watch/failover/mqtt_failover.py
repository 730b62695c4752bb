"""MQTT for processes that stand by for each other: samples of a session that one of them has at a time."""

from __future__ import annotations

import platform
import threading
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from dualres.errors import ConfigError
from dualres.stream.watch.failover.leader_election import BEAT_S, Turn, TurnLostError
from dualres.stream.watch.sources.mqtt import OURS, REQUEST_EVERY_S, Header, Mqtt
from dualres.stream.watch.sources.source import Put, Say, SourceOptions, StreamPosition

if TYPE_CHECKING:
    from paho.mqtt.client import Client, MQTTMessage, MQTTMessageInfo

CONNECTED_S = 30.0  # within which the broker has to let us in
TOO_LARGE = ("Packet too large", "Protocol error")  # how Mosquitto says that a message is
AGAIN_S = 5.0  # after which a checkpoint that was refused is sent once more


class MqttFailover(Mqtt):
    """`claim` first, then `run`, which ends with a TurnLostError when the connection does: what came of samples since
    the last checkpoint is then another's business, so nothing may be acknowledged any more."""

    reconnects = False
    after_disconnect = "another may take over"
    receive_maximum = 65_535  # as many as came since a checkpoint; the agent takes no more than it has room for

    def __init__(self, name: str, options: SourceOptions) -> None:
        super().__init__(name, options)
        self._turn = Turn(self._broker, self.client_id, OURS)
        self._client.will_set(self._turn.holder_topic, None, 1, retain=True)
        self._admitted, self._lost, self._ready = threading.Event(), threading.Event(), threading.Event()
        self._refusals: set[int] = set()  # by the numbers of their messages
        self._bytes_sent = 0  # bytes of a checkpoint that the broker has not answered yet
        self._client.on_publish = self._on_publish

    def claim(self, say: Say, stopped: threading.Event) -> bytes | None:
        """Wait for our turn and take the session; what the one before us left. After a TurnLostError, `abandon` it."""
        say(f"{self._broker}: stands by for {self.client_id}")
        if not self._turn.wait(stopped):
            raise TurnLostError(f"{self._broker}: stopped while it stood by")
        self._connect(say)
        if not self._admitted.wait(CONNECTED_S):
            raise TurnLostError(f"{self._broker}: does not let us in")
        self._beat()
        return self._turn.checkpoint()

    def run(self, put: Put, say: Say, stopped: threading.Event, positions: Mapping[str, StreamPosition]) -> None:
        self._put, self._say = put, say
        self._ready.set()
        beat = time.monotonic()
        while not stopped.wait(REQUEST_EVERY_S) and not self._lost.is_set():
            self._request_headers()
            if time.monotonic() - beat >= BEAT_S:
                beat = time.monotonic()
                self._beat()
        lost = self._lost.is_set()
        self._leave()
        if lost:
            raise TurnLostError(f"the session {self.client_id} may be another's now")

    def abandon(self) -> None:
        """Instead of `run`."""
        self._put = lambda chunk: None
        self._ready.set()
        self._leave()

    def _leave(self) -> None:
        if self._admitted.is_set() and not self._lost.is_set():
            self._client.publish(self._turn.holder_topic, None, retain=True)  # who stands by need not wait
        super()._leave()

    def store(self, data: bytes) -> Callable[[], bool]:
        """Leave a checkpoint for the next holder of the session instead of the last one; whether the broker has it."""
        message, at = self._send(data), time.monotonic()

        def stored() -> bool:
            nonlocal message, at
            if message.mid in self._refusals:  # until somebody allows it
                if time.monotonic() - at >= AGAIN_S:
                    self._refusals.clear()
                    message, at = self._send(data), time.monotonic()
                return False
            return not message.rc and message.is_published()  # where there was no connection, it never will be

        return stored

    def _send(self, data: bytes) -> MQTTMessageInfo:
        self._bytes_sent = len(data)
        return self._client.publish(self._turn.checkpoint_topic, data, 1, retain=True)

    def _on_publish(self, client: Client, _: object, mid: int, reason: Any, properties: object) -> None:
        self._bytes_sent = 0
        if reason.is_failure:
            self._refusals.add(mid)
            self._say_once(
                f"{self._broker}: does not take the checkpoint ({reason}); nothing is acknowledged until it does"
            )

    def _beat(self) -> None:
        self._client.publish(self._turn.holder_topic, platform.node().encode() or b"?", retain=True)

    def _on_connect(self, client: Client, _: object, flags: Any, reason: Any, properties: object) -> None:
        super()._on_connect(client, _, flags, reason, properties)
        if not reason.is_failure:
            self._admitted.set()

    def _on_disconnect(self, client: Client, _: object, flags: object, reason: Any, properties: object) -> None:
        super()._on_disconnect(client, _, flags, reason, properties)
        if self._bytes_sent and reason.getName() in TOO_LARGE:
            self._say(
                f"{self._broker}: hung up on a checkpoint of {self._bytes_sent:,} bytes; let it take messages of that "
                "size (message_size_limit, max_packet_size)"
            )
        self._lost.set()

    def _on_message(self, client: Client, _: object, message: MQTTMessage) -> None:
        self._ready.wait()  # until the checkpoint is read
        super()._on_message(client, _, message)

    def _check(self, header: Header) -> None:
        super()._check(header)
        if not header.stamped and not header.whole:
            raise ConfigError('--standby needs messages that are "stamped" or "whole": others may be judged twice')
