"""UDP datagrams of raw samples; every sender is a stream."""

from __future__ import annotations

import socket
import threading
from collections.abc import Mapping
from urllib.parse import urlsplit

from dualres.errors import ConfigError
from dualres.stream.chunk import Chunk, unstamped
from dualres.stream.sources.source import Known, Put, Say, Source, Told

LARGEST = 65_536  # bytes of a datagram
BUFFER = 8 << 20  # bytes that the system should hold for us; it may give less
LOOK_S = 0.2  # how often to look whether to stop


class Udp(Source):
    waits, live = False, True

    def __init__(self, name: str, told: Told) -> None:
        super().__init__(name, told)
        address = urlsplit(name)
        if not address.port:
            raise ConfigError(f"{name}: needs a port, as udp://0.0.0.0:5005")
        self._form = told.form(name)
        family = socket.AF_INET6 if ":" in (address.hostname or "") else socket.AF_INET
        self._socket = socket.socket(family, socket.SOCK_DGRAM)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, BUFFER)
        self._socket.settimeout(LOOK_S)
        try:
            self._socket.bind((address.hostname or "", address.port))
        except OSError as error:
            self._socket.close()
            raise ConfigError(f"{name}: cannot be listened to ({error.strerror}); choose another port") from error

    def run(self, put: Put, say: Say, stopped: threading.Event, known: Mapping[str, Known]) -> None:
        odd: set[str] = set()
        with self._socket:
            while not stopped.is_set():
                try:
                    payload, (host, *_) = self._socket.recvfrom(LARGEST)
                except TimeoutError:
                    continue
                stream = f"{self.name}/{host}"
                try:
                    start, first, data = unstamped(payload) if self.told.stamped else (None, None, payload)
                    put(Chunk(stream, self._form, data, first, start=start))
                except ConfigError as error:
                    if stream not in odd:  # once: somebody may send such for hours
                        say(f"{stream}: left out  {error}")
                    odd.add(stream)
