"""News for open pages, as server-sent events."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import suppress
from typing import Any

from dualres.utils.json_text import json_text

WAITING = 256  # news that a slow page may be behind before it is told to look anew
ALIVE_S = 15.0  # between two signs of life


class Events:
    """Tells every open page what happens; may be called from any thread."""

    def __init__(self) -> None:
        self._pages: set[asyncio.Queue[str]] = set()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._ended = False

    @property
    def heard(self) -> bool:
        """Whether any page is open."""
        return bool(self._pages)

    def publish(self, kind: str, data: Any) -> None:
        if self._loop and not self._loop.is_closed():
            text = f"event: {kind}\ndata: {json_text(data)}\n\n"
            with suppress(RuntimeError):  # the loop has just ended
                self._loop.call_soon_threadsafe(self._spread, text)

    async def listen(self) -> AsyncGenerator[str, None]:
        """All news from now on."""
        self._loop = asyncio.get_running_loop()
        queue: asyncio.Queue[str] = asyncio.Queue(WAITING)
        self._pages.add(queue)
        try:
            yield "event: hello\ndata: {}\n\n"
            while not (self._ended and queue.empty()):
                try:
                    yield await asyncio.wait_for(queue.get(), ALIVE_S)
                except TimeoutError:
                    yield ": alive\n\n"
        finally:
            self._pages.discard(queue)

    def end(self) -> None:
        """No more news: every open page is let go."""
        self._ended = True
        self._spread("event: end\ndata: {}\n\n")

    def _spread(self, text: str) -> None:
        for queue in self._pages:
            if queue.full():
                while not queue.empty():
                    queue.get_nowait()
                queue.put_nowait("event: hello\ndata: {}\n\n")  # the page asks for everything again
            else:
                queue.put_nowait(text)
