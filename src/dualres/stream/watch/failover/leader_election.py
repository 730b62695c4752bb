"""Whose turn it is: of several processes that are meant for one session at a broker, one works and the others stand by.

A broker lets one connection have a session. Whoever connects last has it, and from then on the one before can neither
acknowledge nor publish anything by it. So it does no harm if two believe that it is their turn: the later one is right.
Who has the session says so every few seconds, and by its last will the broker says when its connection is gone.
"""

from __future__ import annotations

import re
import threading
import time
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from dualres.errors import DualResError
from dualres.stream.watch.broker import KEEPALIVE_S, Broker

if TYPE_CHECKING:
    from paho.mqtt.client import Client, MQTTMessage

BEAT_S = 5.0
SILENT_S = 20.0  # after which whoever says nothing has not got the session any more
FREE_S = 1.0  # after which a session that nobody claims is free
ANSWER_S = 60.0  # for the checkpoint at the broker


class TurnLostError(DualResError):
    """Another process may have the session now."""


class Turn:
    def __init__(self, broker: Broker, session: str, below: str) -> None:
        """`session` is the client's id, and `below` the beginning of topics that nobody else uses."""
        self._broker, self.session = broker, session
        name = re.sub(r"[/+#]", "_", session)
        self.holder_topic, self.checkpoint_topic = f"{below}{name}/holder", f"{below}{name}/left"
        self._question = f"{below}{name}/question/{uuid4().hex}"

    def wait(self, stopped: threading.Event) -> bool:
        """Until nobody has the session, as far as one can see; False if stopped."""
        holder = _SessionHolder()
        client = self._broker.client("")
        client.on_connect = lambda client, *_: client.subscribe(self.holder_topic, 1)
        client.on_subscribe = lambda *_: holder.begin()
        client.on_message = holder.message
        client.on_disconnect = lambda *_: holder.forget()
        client.connect_async(self._broker.host, self._broker.port, KEEPALIVE_S)
        client.loop_start()
        while not holder.free and not stopped.wait(0.1):
            pass
        client.disconnect()
        client.loop_stop()
        return not stopped.is_set()

    def checkpoint(self) -> bytes | None:
        """What the one before us left. To be asked when we have the session, for then nobody adds to it."""
        payloads: list[bytes] = []
        answered = threading.Event()

        def message(client: Client, _: object, message: MQTTMessage) -> None:
            if message.topic == self._question:
                answered.set()  # what is retained came before it
            else:
                payloads.append(bytes(message.payload))

        client = self._broker.client("")
        client.on_connect = lambda client, *_: client.subscribe([(self.checkpoint_topic, 1), (self._question, 1)])
        client.on_subscribe = lambda client, *_: client.publish(self._question, b"?", 1)
        client.on_message = message
        client.connect_async(self._broker.host, self._broker.port, KEEPALIVE_S)
        client.loop_start()
        in_time = answered.wait(ANSWER_S)
        client.disconnect()
        client.loop_stop()
        if not in_time:
            raise TurnLostError(f"{self._broker}: does not say what was left for {self.session}")
        return payloads[-1] if payloads else None


class _SessionHolder:
    """Of the one who has the session; in the thread of a client."""

    def __init__(self) -> None:
        self._since: float | None = None
        self._occupied = False

    def begin(self) -> None:
        self._since = time.monotonic()

    def forget(self) -> None:
        self._since, self._occupied = None, False

    def message(self, client: Any, _: object, message: MQTTMessage) -> None:
        self._occupied = bool(message.payload)
        if self._occupied:
            self._since = time.monotonic()

    @property
    def free(self) -> bool:
        since = self._since
        return since is not None and time.monotonic() - since >= (SILENT_S if self._occupied else FREE_S)
