"""UDP datagrams of raw samples; every sender, an address and a port, is a stream until it is silent for long."""

import contextlib
import re
import socket
import struct
import sys
import threading
import time
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from dualres.errors import ConfigError
from dualres.stream.monitor.chunk import Chunk, split_stamp
from dualres.stream.watch.sources.source import Put, Say, Source, SourceOptions, StreamPosition

LARGEST = 65_536  # bytes of a datagram
BUFFER = 8 << 20  # bytes that the system should hold for us; it may give less
LOOK_S = 0.2  # how often to look whether to stop
SILENT_S = 600.0  # after which the stream of a sender is over: one that restarts often has another port each time
MOST_SENDERS = 1000  # at a time: whoever forges addresses must not fill the memory
_CHANNEL = re.compile(r"\[\d+\]$")  # behind a stream's name, where channels are a stream each
_SO_RXQ_OVFL = 40  # Linux: a datagram tells how many the system dropped before it, for want of room
_COUNT = struct.Struct("@I")


class Udp(Source):
    waits, live = False, True

    def __init__(self, name: str, options: SourceOptions) -> None:
        super().__init__(name, options)
        address = urlsplit(name)
        try:
            port = address.port
        except ValueError:
            port = None
        if not port:
            raise ConfigError(f"{name}: needs a port up to 65535, as udp://0.0.0.0:5005")
        self._form = options.form(name)
        family = socket.AF_INET6 if ":" in (address.hostname or "") else socket.AF_INET
        self._socket = socket.socket(family, socket.SOCK_DGRAM)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, BUFFER)
        if sys.platform == "linux":
            with contextlib.suppress(OSError):
                self._socket.setsockopt(socket.SOL_SOCKET, _SO_RXQ_OVFL, 1)
        self._socket.settimeout(LOOK_S)
        self._dropped = 0  # datagrams, by the system, so far
        self._drops_before: dict[str, int] = {}  # as many when each stream was heard last
        self._heard: dict[str, float] = {}  # streams, and when they were heard last by `time.monotonic`
        self._look_at = 0.0  # when to look next whether one is silent
        try:
            self._socket.bind((address.hostname or "", port))
        except OSError as error:
            self._socket.close()
            raise ConfigError(f"{name}: cannot be listened to ({error.strerror}); choose another port") from error

    def run(self, put: Put, say: Say, stopped: threading.Event, positions: Mapping[str, StreamPosition]) -> None:
        odd: set[str] = set()
        now = time.monotonic()
        before = (_CHANNEL.sub("", stream) for stream, one in positions.items() if not one.ended)
        self._heard = {stream: now for stream in before if stream.startswith(f"{self.name}/")}
        with self._socket:
            while not stopped.is_set():
                self._end_silent(put)
                try:
                    payload, beside, sender = self._datagram()
                except TimeoutError:
                    continue
                self._count_dropped(beside, say)
                stream = f"{self.name}/{_address(*sender[:2])}"
                try:
                    self._admit(stream)
                    start, first, data = split_stamp(payload) if self.options.stamped else (None, None, payload)
                    missing = 0 if self.options.stamped else self._share(stream, self._form.count(data))
                    put(Chunk(stream, self._form, data, first, missing, start))
                except ConfigError as error:
                    about = stream if stream in self._heard else ""
                    if about not in odd:  # once: somebody may send such for hours
                        say(f"{stream}: left out  {error}")
                    odd.add(about)

    def _admit(self, stream: str) -> None:
        """Take note that it is heard."""
        if stream not in self._heard and len(self._heard) >= MOST_SENDERS:
            raise ConfigError(f"{MOST_SENDERS} others were heard in the last {SILENT_S:g} s, and no more are taken")
        self._heard[stream] = time.monotonic()

    def _end_silent(self, put: Put) -> None:
        now = time.monotonic()
        if now < self._look_at:
            return
        self._look_at = now + SILENT_S / 60
        for stream in [stream for stream, at in self._heard.items() if now - at >= SILENT_S]:
            del self._heard[stream]
            self._drops_before.pop(stream, None)
            put(Chunk(stream, self._form, last=True))

    def _datagram(self) -> tuple[bytes, list[tuple[int, int, bytes]], Any]:
        """A datagram, what the system says beside it where it does, and who sent it."""
        if not hasattr(self._socket, "recvmsg"):
            payload, sender = self._socket.recvfrom(LARGEST)
            return payload, [], sender
        payload, beside, _, sender = self._socket.recvmsg(LARGEST, socket.CMSG_SPACE(_COUNT.size))
        return payload, beside, sender

    def _count_dropped(self, beside: list[tuple[int, int, bytes]], say: Say) -> None:
        for level, kind, data in beside:
            if (level, kind) == (socket.SOL_SOCKET, _SO_RXQ_OVFL):
                if not self._dropped:
                    say(
                        f"{self.name}: datagrams came faster than they were taken, and the system dropped some; they "
                        "are told as missing. More room for them is given by net.core.rmem_max"
                    )
                (self._dropped,) = _COUNT.unpack(data)

    def _share(self, stream: str, count: int) -> int:
        """A stream's share, in samples, of the datagrams that the system dropped since; nobody knows their senders."""
        dropped = self._dropped - self._drops_before.get(stream, self._dropped)
        self._drops_before[stream] = self._dropped
        return max(1, round(dropped * count / len(self._drops_before))) if dropped else 0


def _address(host: str, port: int) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
