"""MQTT: every topic is a stream, a message a chunk of it, acknowledged when it is committed.

Beside the topic of a stream lies `TOPIC/header`, retained JSON that says what the bytes are, and perhaps `TOPIC/side`,
JSON with speed, load or whatever else is known at the moment. The broker keeps a session for us, so what comes while
we are away waits there.
"""

from __future__ import annotations

import json
import threading
from collections import Counter, deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING, Any
from zlib import crc32

from dualres.errors import MISFIT, ConfigError
from dualres.stream.monitor.chunk import Chunk, Form, split_stamp
from dualres.stream.watch.broker import KEEPALIVE_S, Broker
from dualres.stream.watch.sources.source import Put, Say, Source, SourceOptions, StreamPosition
from dualres.utils.json_text import json_value

if TYPE_CHECKING:
    from paho.mqtt.client import Client, MQTTMessage

HEADER, SIDE = "/header", "/side"
OURS = "dualres/watch/"  # topics below it are what processes tell each other
SHARED = "$share/"
RECEIVE_MAXIMUM = 256  # messages that the broker may send before the first of them is committed
SESSION_S = 7 * 24 * 3600  # how long the broker keeps what comes while we are away
SAMPLES_QOS, BESIDE_QOS = 1, 0  # a header must come even when as many messages as may be are unacknowledged
REQUEST_EVERY_S = 1.0  # for a header that did not come
MOST_REQUESTS, MOST_REQUESTS_WITH_RATE = 10, 4  # then samples are left out, or taken as the options say


@dataclass(frozen=True)
class Header:
    form: Form
    stamped: bool = False  # start and first index stand before the samples
    whole: bool = False  # every message is a recording of its own
    condition: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def parsed(cls, payload: bytes) -> Header:
        try:
            data = json_value(payload)
            form = Form.of(data["rate"], data.get("dtype", "f32"), int(data.get("channels", 1)))
            return cls(form, bool(data.get("stamped")), bool(data.get("whole")), side_of(data.get("condition", {})))
        except MISFIT as error:
            raise ConfigError(f"the header cannot be understood ({error})") from error


def side_of(data: Any) -> dict[str, str]:
    """Names and values of a JSON object, as text."""
    if not isinstance(data, dict):
        raise ConfigError("a JSON object with names and values is needed")
    return {str(name): value if isinstance(value, str) else json.dumps(value) for name, value in data.items()}


class Mqtt(Source):
    reconnects = True
    after_disconnect = "it is tried again and again"
    receive_maximum = RECEIVE_MAXIMUM

    def __init__(self, name: str, options: SourceOptions) -> None:
        super().__init__(name, options)
        self._broker = Broker.parsed(name)
        self._shared, self._topic = _without_group(self._broker.topic)
        number, parts = options.shard
        if self._shared and parts > 1:
            raise ConfigError(f"{name}: a shared subscription is divided by the broker; leave out --shard")
        which = sha256(f"{self._broker} {self._broker.topic}".encode()).hexdigest()[:8]
        self.client_id = f"{options.client}-{number}-of-{parts}-{which}"
        self._client = self._broker.client(self.client_id, manual_ack=True, again=self.reconnects)
        self._headers: dict[str, Header] = {}
        self._sides: dict[str, dict[str, str]] = {}
        self._headerless: dict[str, list[tuple[MQTTMessage, Callable[[], None]]]] = {}  # before the header
        self._requests: Counter[str] = Counter()  # how often for the header of a topic
        self._most_requests = MOST_REQUESTS if options.rate is None else MOST_REQUESTS_WITH_RATE
        self._requesting = True  # until the broker has answered
        self._receipts = Receipts(self._client.ack)
        self._was_connected = False
        self._notices: set[str] = set()

    def run(self, put: Put, say: Say, stopped: threading.Event, positions: Mapping[str, StreamPosition]) -> None:
        self._put = put
        self._connect(say)
        while not stopped.wait(REQUEST_EVERY_S):
            self._request_headers()
        self._leave()

    def _connect(self, say: Say) -> None:
        from paho.mqtt.packettypes import PacketTypes
        from paho.mqtt.properties import Properties

        self._say = say
        properties = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]
        properties.SessionExpiryInterval, properties.ReceiveMaximum = SESSION_S, self.receive_maximum
        client = self._client
        client.on_connect, client.on_disconnect = self._on_connect, self._on_disconnect
        client.on_connect_fail = self._on_connect_fail
        client.on_subscribe, client.on_message = self._on_subscribe, self._on_message
        client.connect_async(
            self._broker.host, self._broker.port, KEEPALIVE_S, clean_start=False, properties=properties
        )
        client.loop_start()

    def _leave(self) -> None:
        self._client.disconnect()
        self._client.loop_stop()

    def _request_headers(self) -> None:
        """Those that samples wait for. Mosquitto may hold a retained message back until it sends us the next one, if it
        was busy when we subscribed; and there is no next one while none of those that wait is acknowledged."""
        if not self._requesting and (topics := list(self._headerless)):
            self._requesting = True
            self._client.subscribe([(topic + HEADER, _qos(BESIDE_QOS)) for topic in topics])

    def _on_connect(self, client: Client, _: object, flags: Any, reason: Any, properties: object) -> None:
        if reason.is_failure:
            self._say_once(f"{self._broker}: refuses us ({reason}); it is tried again and again")
            return
        self._notices.clear()
        self._requesting = True
        if self._was_connected and not flags.session_present:
            self._say(f"{self._broker}: has forgotten our session; what came meanwhile may be missing")
        self._was_connected = True
        group = f"{SHARED}{self._shared}/" if self._shared else ""
        beside = [] if self._topic.endswith("#") else [self._topic + HEADER, self._topic + SIDE]
        client.subscribe([(topic, _qos(BESIDE_QOS)) for topic in beside] + [(group + self._topic, _qos(SAMPLES_QOS))])

    def _on_connect_fail(self, *_: object) -> None:
        if "no broker" not in self._notices:
            why = self._broker.obstacle() or "no reason was given"
            self._say_once(f"{self._broker}: no broker answers ({why}); it is tried again and again", "no broker")

    def _on_subscribe(self, *_: object) -> None:
        """To our topics, or once more to headers that samples wait for. All that was sent before was read by now, so
        the broker is not busy when it is asked again."""
        self._requesting = False
        self._say_once(f"{self._broker}: connected as {self.client_id}")
        for topic in list(self._headerless):
            self._requests[topic] += 1
            if self._requests[topic] >= self._most_requests:
                self._release(topic)

    def _on_disconnect(self, client: Client, _: object, flags: object, reason: Any, properties: object) -> None:
        self._receipts.forget()
        self._headerless.clear()  # they come again
        self._requests.clear()
        if reason.is_failure:
            self._say(f"{self._broker}: the connection is lost ({reason}); {self.after_disconnect}")

    def _on_message(self, client: Client, _: object, message: MQTTMessage) -> None:
        self._read(message, self._receipts.of(message.mid, message.qos))

    def _read(self, message: MQTTMessage, acknowledge: Callable[[], None]) -> None:
        topic = message.topic
        try:
            if topic.startswith(OURS):
                pass
            elif topic.endswith(HEADER):
                stream = topic.removesuffix(HEADER)
                if message.payload:
                    self._headers[stream] = Header.parsed(bytes(message.payload))
                    self._release(stream)
            elif topic.endswith(SIDE):
                self._sides[topic.removesuffix(SIDE)] = side_of(json_value(message.payload or b"{}"))
            else:
                self._samples(message, acknowledge)
                return
        except (ConfigError, ValueError) as error:
            # What nobody will ever be able to read is acknowledged and reported; a stamp shows the gap.
            self._say_once(f"{topic}: left out  {error}", topic)
        acknowledge()

    def _release(self, stream: str) -> None:
        for message, acknowledge in self._headerless.pop(stream, ()):
            self._read(message, acknowledge)

    def _samples(self, message: MQTTMessage, acknowledge: Callable[[], None]) -> None:
        topic = message.topic
        number, parts = self.options.shard
        if crc32(topic.encode()) % parts != number - 1:
            acknowledge()
            return
        header = self._headers.get(topic)
        if header is None:
            if self._requests[topic] < self._most_requests:
                self._headerless.setdefault(topic, []).append((message, acknowledge))
                return
            if self.options.rate is None:
                raise ConfigError(f"no header comes on {topic}{HEADER}; publish one, retained, or give --rate")
            header = Header(self.options.form(topic), self.options.stamped)
        self._check(header)
        payload, start, first = bytes(message.payload), None, None
        if header.stamped:
            start, first, payload = split_stamp(payload)
        if header.whole:
            start = f"{start}-{first}" if header.stamped else sha256(payload).hexdigest()[:16]
            first = 0
        side = {**header.condition, **self._sides.get(topic, {})}
        self._put(Chunk(topic, header.form, payload, first, 0, start, side, last=header.whole, acknowledge=acknowledge))

    def _check(self, header: Header) -> None:
        """An error where such messages cannot be judged."""
        if self._shared and not header.whole:
            raise ConfigError('a shared subscription tears a stream apart; let messages be "whole", or use --shard')

    def _say_once(self, text: str, about: str = "") -> None:
        """Until the next connection: what is wrong now is likely to be wrong again, if in other words."""
        if (about or text) not in self._notices:
            self._notices.add(about or text)
            self._say(text)


@dataclass
class _Receipt:
    number: int  # of the message, on this connection
    qos: int
    due: bool = False


class Receipts:
    """Acknowledgements of one connection at a time; what is acknowledged too early is kept until all before it are.

    MQTT asks for the order in which messages came (version 5, 4.6). It matters: where later messages are acknowledged
    before 256 earlier ones, Mosquitto sends new messages ahead of those that wait, and samples come out of their order.
    """

    def __init__(self, send: Callable[[int, int], object]) -> None:
        """`send` takes a message's number and its quality of service."""
        self._send, self._lock = send, threading.Lock()
        self._open: deque[_Receipt] = deque()

    def of(self, number: int, qos: int) -> Callable[[], None]:
        """For each message, as it comes: what acknowledges it, from any thread, and does no harm if called twice."""
        receipt = _Receipt(number, qos)
        if qos:
            with self._lock:
                self._open.append(receipt)
        return lambda: self._acknowledge(receipt)

    def forget(self) -> None:
        """A new connection: messages of the one before come again, and another may have their number."""
        with self._lock:
            self._open.clear()

    def _acknowledge(self, receipt: _Receipt) -> None:
        with self._lock:
            receipt.due = True
            while self._open and self._open[0].due:
                first = self._open.popleft()
                self._send(first.number, first.qos)


def _qos(qos: int) -> Any:
    from paho.mqtt.subscribeoptions import SubscribeOptions

    return SubscribeOptions(qos=qos)


def _without_group(topic: str) -> tuple[str, str]:
    """Of `$share/group/filter` the group and the filter; no group for any other."""
    if not topic.startswith(SHARED):
        return "", topic
    group, _, rest = topic.removeprefix(SHARED).partition("/")
    if not group or not rest:
        raise ConfigError(f"{topic}: write $share/GROUP/TOPIC")
    return group, rest
