"""Connections that wait without asking are let go: after a while, and at once where others need their place."""

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_S = 15.0  # for a request to arrive whole, without its body
ROOM = 150  # connections at a time; more are there only while all of these are being answered


class PatientProtocol(H11Protocol):
    """HTTP that keeps nobody out because others keep connections open. uvicorn waits for a first request for ever."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._deadline: asyncio.TimerHandle | None = None
        self.waiting_since = self.loop.time()

    @property
    def waiting(self) -> bool:
        """Whether it has nothing to be answered, though perhaps a part of a request, or of a body that nobody reads."""
        return self.cycle is None or self.cycle.response_complete

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._wait()
        open_ones = [one for one in self.connections if isinstance(one, PatientProtocol) and not one.closing]
        idle = sorted((one for one in open_ones if one.waiting), key=lambda one: one.waiting_since)
        for one in idle[: max(0, len(open_ones) - ROOM)]:
            one.transport.close()

    def on_response_complete(self) -> None:
        self._wait()
        super().on_response_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        if self._deadline:
            self._deadline.cancel()
        super().connection_lost(exc)

    @property
    def closing(self) -> bool:
        return self.transport.is_closing()

    def _wait(self) -> None:
        if self._deadline:
            self._deadline.cancel()
        self.waiting_since = self.loop.time()
        self._deadline = self.loop.call_later(HEAD_S, self._give_up)

    def _give_up(self) -> None:
        if self.waiting:
            self.transport.close()
