"""A serial port that sends raw samples without a pause."""

import threading
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qs, urlsplit

from dualres.errors import ConfigError
from dualres.stream.monitor.chunk import Chunk
from dualres.stream.watch.sources.source import Put, Say, Source, SourceOptions, StreamPosition
from dualres.utils.optional_imports import missing

try:
    import termios

    _TERMINAL: tuple[type[Exception], ...] = (termios.error,)  # of a port that is pulled out while it is set up
except ImportError:  # Windows
    _TERMINAL = ()

BAUD = 115_200
MOST_BAUD = 1 << 30  # the system's numbers have 31 bits
LOOK_S = 0.05  # how long to wait for more bytes
AGAIN_S = 1.0  # after which to try again to open a port that is gone


class SerialPort(Source):
    """`serial:///dev/ttyUSB0?baud=921600`."""

    waits, live = False, True

    def __init__(self, name: str, options: SourceOptions) -> None:
        super().__init__(name, options)
        try:
            import serial
        except ImportError:
            raise missing(f"{name}: a serial port", "serial") from None
        address = urlsplit(name)
        self._port = address.path if not address.netloc else address.netloc + address.path
        baud = parse_qs(address.query).get("baud", [str(BAUD)])[0]
        if not baud.isdecimal() or not 0 < int(baud) <= MOST_BAUD or not self._port:
            raise ConfigError(f"{name}: write serial:///dev/ttyUSB0?baud=921600")
        self._baud, self._form, self._serial = int(baud), options.form(name), serial

    def run(self, put: Put, say: Say, stopped: threading.Event, positions: Mapping[str, StreamPosition]) -> None:
        interrupted, trouble = False, ""
        while not stopped.is_set():
            try:
                with self._serial.Serial(self._port, self._baud, timeout=LOOK_S) as port:
                    if trouble:
                        say(f"{self.name}: is there")
                    trouble = ""
                    # How much went by while the port was gone, nobody knows: at least a sample.
                    self._listen(port, put, stopped, int(interrupted))
            except (self._serial.SerialException, OSError, *_TERMINAL) as error:
                if str(error) != trouble:  # once: a port may be gone for days
                    say(f"{self.name}: {error}; it is tried again every {AGAIN_S:g} s")
                interrupted, trouble = True, str(error)
                stopped.wait(AGAIN_S)

    def _listen(self, port: Any, put: Put, stopped: threading.Event, missing: int) -> None:
        rest = b""
        while not stopped.is_set():
            whole, rest = self._form.split(rest + port.read(max(1, port.in_waiting)))
            if whole:
                put(Chunk(self.name, self._form, whole, missing=missing))
                missing = 0
