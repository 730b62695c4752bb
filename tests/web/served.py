"""A page that is really served, and a client that says exactly what a test wants to say."""

import http.client
import json
import socket
import threading
import time
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
import soundfile

from dualres.web.server import Page, listen, server_of
from dualres.web.workspace import Workspace

OWN = {"X-DualRes": "1"}


def folder_of_tones(folder: Path, count: int = 3, seconds: float = 1.0, rate: int = 8000) -> Path:
    """Recordings of a tone in noise, each of another pitch."""
    folder.mkdir(exist_ok=True)
    rng = np.random.default_rng(0)
    time_s = np.arange(round(seconds * rate)) / rate
    for number in range(count):
        tone = np.sin(2 * np.pi * 200 * (number + 1) * time_s) + 0.1 * rng.standard_normal(len(time_s))
        soundfile.write(folder / f"tone{number}.wav", 0.4 * tone, rate)
    return folder


class Served:
    """A folder's page at some free port, until the end of a `with`."""

    def __init__(self, folder: Path, **reading: Any) -> None:
        self._listening = listen(0)
        self.port = self._listening.getsockname()[1]
        self.page = Page(Workspace(folder, **reading), self.port)
        self._server = server_of(self.page)
        self._thread = threading.Thread(target=self._server.run, kwargs={"sockets": [self._listening]}, daemon=True)
        self.cookie = ""

    def __enter__(self) -> "Served":
        self._thread.start()
        end = time.monotonic() + 20
        while not self._server.started and time.monotonic() < end:
            time.sleep(0.01)
        answer, _ = self.raw("GET", self.page.link.split(str(self.port))[1], {})
        assert answer.status == 303
        self.cookie = str(answer.getheader("set-cookie")).split(";")[0]
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.should_exit = True
        self._thread.join(20)
        self.page.api.end()

    def raw(
        self, method: str, path: str, headers: dict[str, str], body: bytes | None = None
    ) -> tuple[http.client.HTTPResponse, bytes]:
        """Exactly these headers, besides the host and the length."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            return answer, answer.read()
        finally:
            connection.close()

    def lines(self, *lines: str, body: bytes = b"") -> int:
        """The status that these very lines of a request are answered with; 0 where the connection just ends."""
        with socket.create_connection(("127.0.0.1", self.port), 30) as connection:
            connection.sendall("\r\n".join([*lines, "", ""]).encode("latin-1") + body)
            begin = connection.recv(64)
        return int(begin.split()[1]) if begin.startswith(b"HTTP/") else 0

    def ask(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        """As the page asks: with its cookie and its header; status and JSON, or bytes."""
        content = body if isinstance(body, bytes) else None if body is None else json.dumps(body).encode()
        answer, said = self.raw(method, path, {"Cookie": self.cookie, **OWN}, content)
        found = json.loads(said) if "json" in str(answer.getheader("content-type")) else said
        return answer.status, found

    def get(self, path: str) -> Any:
        status, found = self.ask("GET", path)
        assert status == 200, found
        return found
