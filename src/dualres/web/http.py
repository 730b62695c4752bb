"""HTTP as the page needs it, as an ASGI application: routes, requests and responses.

Uvicorn reads and writes the protocol itself. What is left to do is little, so no framework is installed for it: a
gateway has a page, too, and counts its megabytes.
"""

from __future__ import annotations

import asyncio
import hashlib
import io
import json
import logging
import os
import re
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Coroutine, Iterable, Mapping
from contextlib import aclosing
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import parse_qsl, quote

Scope = dict[str, Any]
Message = dict[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
ASGI = Callable[[Scope, Receive, Send], Awaitable[None]]

PIECE = 1 << 18  # bytes of a file that are in memory at a time
END: Message = {"type": "http.response.body"}

_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_VALUE = re.compile(r"[\t\x20-\x7e\x80-\xff]*")  # no CR or LF, which would begin a header of somebody else's choice
_COOKIE = re.compile(r"[!#-+\--:<-\[\]-~]*")
_RANGE = re.compile(r"bytes=(?:([0-9]{1,100})-([0-9]{0,100})|-([0-9]{1,100}))", re.IGNORECASE)


class ClientLeftError(Exception):
    """A body ends before its end."""


class Headers:
    """Of a request, by names in any case; a name may come several times."""

    def __init__(self, scope: Scope) -> None:
        self._sent = [(name.decode("latin-1").lower(), value.decode("latin-1")) for name, value in scope["headers"]]

    def all(self, name: str) -> list[str]:
        return [value for sent, value in self._sent if sent == name.lower()]

    def get(self, name: str) -> str | None:
        """The first of this name."""
        return next(iter(self.all(name)), None)


class Request:
    """What a client asks; `parts` are the named parts of its address."""

    def __init__(self, scope: Scope, receive: Receive, parts: Mapping[str, str]) -> None:
        self._receive, self.parts = receive, parts
        # Of an argument that is given twice, the last counts.
        self.query = dict(parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True))

    async def stream(self) -> AsyncIterator[bytes]:
        """The body, piece by piece as it arrives."""
        more = True
        while more:
            message = await self._receive()
            if message["type"] == "http.disconnect":
                raise ClientLeftError
            more = message.get("more_body", False)
            yield message.get("body", b"")

    async def body(self) -> bytes:
        return b"".join([piece async for piece in self.stream()])


class Response:
    """Bytes with a status, and headers by their names."""

    def __init__(
        self, content: bytes = b"", kind: str = "", status: int = 200, headers: Mapping[str, str] | None = None
    ) -> None:
        self.content, self.status = content, status
        about = {"content-type": kind} if kind else {}
        self.headers = {**about, "content-length": str(len(content)), **(headers or {})}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await send(_start(self.status, self.headers))
        await send({**END, "body": b"" if scope["method"] == "HEAD" else self.content})


def plain(text: str, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    return Response(text.encode(), "text/plain; charset=utf-8", status, headers)


def as_json(data: Any, status: int = 200) -> Response:
    """Data; in ASCII, which also holds names of files that are no valid text."""
    return Response(json.dumps(data, allow_nan=False, separators=(",", ":")).encode(), "application/json", status)


def cookie(name: str, value: str) -> str:
    """The header that gives a browser a cookie, which no script reads and no other site sends, until it is closed."""
    if not (_NAME.fullmatch(name) and _COOKIE.fullmatch(value)):
        raise ValueError(f"no cookie: {name!r}, {value!r}")
    return f"{name}={value}; HttpOnly; Path=/; SameSite=strict"


def attachment(name: str) -> str:
    """The header by which a browser keeps a response as a file of this name, in whatever script it is written."""
    coded = quote(name, safe="")
    return f'attachment; filename="{name}"' if coded == name else f"attachment; filename*=utf-8''{coded}"


class StreamedResponse(Response):
    """Text that goes on for as long as somebody listens; its generator is closed at the end, whoever ends it."""

    def __init__(self, texts: AsyncGenerator[str, None], kind: str) -> None:
        super().__init__(kind=kind)
        del self.headers["content-length"]
        self._texts = texts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await send(_start(self.status, self.headers))
        if scope["method"] == "HEAD":
            await send(END)
        else:
            await _while_listening(receive, self._pass_on(send))

    async def _pass_on(self, send: Send) -> None:
        async with aclosing(self._texts) as texts:
            async for text in texts:
                await send({**END, "body": text.encode(), "more_body": True})
        await send(END)


class SeekableResponse(Response):
    """A file's bytes, or the stretch of them that is asked for (RFC 9110, 14): so a browser seeks in a sound.

    `etag` differs wherever the bytes do, so that nobody joins stretches of two versions.
    """

    def __init__(self, file: BinaryIO, etag: str, kind: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(kind=kind, headers={"accept-ranges": "bytes", "etag": f'"{etag}"', **(headers or {})})
        self._file, self._size = file, file.seek(0, os.SEEK_END)

    @classmethod
    def of_file(cls, path: Path, kind: str, headers: Mapping[str, str] | None = None) -> SeekableResponse:
        """It is opened now: what is described is what will be sent, even if another takes its name."""
        file = path.open("rb")
        found = os.fstat(file.fileno())
        return cls(file, f"{found.st_ino:x}-{found.st_mtime_ns:x}-{found.st_size:x}", kind, headers)

    @classmethod
    def of_bytes(cls, content: bytes, kind: str) -> SeekableResponse:
        return cls(io.BytesIO(content), hashlib.blake2b(content, digest_size=16).hexdigest(), kind)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with self._file:
            wanted = self._wanted(Headers(scope)) if scope["method"] == "GET" else None
            part = range(self._size) if wanted is None else wanted
            headers = {**self.headers, "content-length": str(len(part))}
            if wanted is not None:
                place = f"{part.start}-{part.stop - 1}" if part else "*"
                headers["content-range"] = f"bytes {place}/{self._size}"
            await send(_start(200 if wanted is None else 206 if part else 416, headers))
            await _while_listening(receive, self._pass_on(range(0) if scope["method"] == "HEAD" else part, send))

    def _wanted(self, headers: Headers) -> range | None:
        """The stretch that is asked for, an empty one if there is nothing of it; None where all is to be sent.

        That is also where the header is none we know, or names several stretches: then it may be ignored.
        """
        found = _RANGE.fullmatch(", ".join(headers.all("range")))
        if found is None or headers.get("if-range") not in (None, self.headers["etag"]):
            return None
        first, last, final = (int(number) if number else None for number in found.groups())
        if first is None:  # the final bytes, of which an empty file has all that there are
            return range(max(0, self._size - (final or 0)), self._size) if self._size or not final else None
        if last is not None and last < first:
            return None
        return range(min(first, self._size), self._size if last is None else min(last + 1, self._size))

    async def _pass_on(self, part: range, send: Send) -> None:
        self._file.seek(part.start)
        left = len(part)
        while left:
            piece = await asyncio.to_thread(self._file.read, min(left, PIECE))
            if not piece:
                raise OSError("a file became shorter while it was sent")
            left -= len(piece)
            await send({**END, "body": piece, "more_body": True})
        await send(END)


class Route:
    """What answers at an address, whose parts in braces may be anything without a slash; GET answers HEAD, too."""

    def __init__(self, path: str, answer: Callable[[Request], Awaitable[Response]], method: str = "GET") -> None:
        self.answer, self.methods = answer, {method, "HEAD"} if method == "GET" else {method}
        parts = re.split(r"{(\w+)}", path)
        parts[::2] = map(re.escape, parts[::2])
        parts[1::2] = (f"(?P<{name}>[^/]+)" for name in parts[1::2])
        self.pattern = re.compile("".join(parts))


class Application:
    """Routes as an ASGI application; `refusal` says with which words a status of 404, 405 or 500 is told."""

    def __init__(self, routes: Iterable[Route], refusal: Callable[[int], Response]) -> None:
        self._routes, self._refusal = list(routes), refusal

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer; a mistake of ours is told in a word, and in full to the log of the command."""
        started = False

        async def sending(message: Message) -> None:
            nonlocal started
            started = True
            await send(message)

        try:
            response = await self._found(scope, receive)
            await response(scope, receive, sending)
        except Exception as error:
            logging.getLogger("dualres.web").error("%s %r", scope["method"], scope["path"], exc_info=error)
            if not started:  # else the response stays without its end, and the server closes the connection
                await self._refusal(500)(scope, receive, send)

    async def _found(self, scope: Scope, receive: Receive) -> Response:
        # The server has decoded the path, once; whatever a client encodes twice stays encoded.
        here = [(route, found) for route in self._routes if (found := route.pattern.fullmatch(scope["path"]))]
        for route, found in here:
            if scope["method"] in route.methods:
                return await route.answer(Request(scope, receive, found.groupdict()))
        refused = self._refusal(405 if here else 404)
        if here:
            refused.headers["allow"] = ", ".join(sorted({method for route, _ in here for method in route.methods}))
        return refused


def _start(status: int, headers: Mapping[str, str]) -> Message:
    """A response's first message; an error where a header could become two."""
    for name, value in headers.items():
        if not (_NAME.fullmatch(name) and _VALUE.fullmatch(value)):
            raise ValueError(f"no header: {name!r}, {value!r}")
    raw = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in headers.items()]
    return {"type": "http.response.start", "status": status, "headers": raw}


async def _while_listening(receive: Receive, sending: Coroutine[Any, Any, None]) -> None:
    """Send to the end, or until the client has left: a server drops what is sent to nobody and says nothing."""
    sender, leaving = asyncio.create_task(sending), asyncio.create_task(_left(receive))
    try:
        await asyncio.wait((sender, leaving), return_when=asyncio.FIRST_COMPLETED)
        if sender.done():
            sender.result()  # raises what went wrong
    finally:
        sender.cancel()
        leaving.cancel()
        await asyncio.gather(sender, leaving, return_exceptions=True)


async def _left(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
