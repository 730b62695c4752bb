"""HTTP as the page speaks it: asked directly where a message says it all, and by a real server and client else."""

from __future__ import annotations

import asyncio
import http.client
import io
import json
import logging
import socket
import threading
import time
from collections.abc import AsyncGenerator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from dualres.web import server
from dualres.web.api import PageApi
from dualres.web.events import Events
from dualres.web.http import (
    Application,
    ClientLeftError,
    Headers,
    Request,
    Response,
    Route,
    SeekableResponse,
    StreamedResponse,
    as_json,
    attachment,
    cookie,
    plain,
)
from tests.web.served import Served, folder_of_tones

BYTES = bytes(range(256)) * 4  # short enough to see, long enough for a stretch
LARGE = np.random.default_rng(0).bytes(3 << 20)
SECRET = "the-words-of-an-error"


def refusal(status: int) -> Response:
    return plain(f"refused: {status}", status)


def scope_of(path: str, method: str = "GET", query: bytes = b"", headers: Any = ()) -> dict[str, Any]:
    return {"type": "http", "method": method, "path": path, "query_string": query, "headers": list(headers)}


class Client:
    """Somebody who sends a body in pieces, keeps all that is answered, and leaves when told to."""

    def __init__(self, *pieces: bytes, leaves: bool = False) -> None:
        messages = [{"type": "http.request", "body": piece, "more_body": True} for piece in pieces]
        self._coming = messages if leaves else [*messages, {"type": "http.request", "body": b"", "more_body": False}]
        self._leaves, self.sent, self.stuck = leaves, [], False

    async def receive(self) -> dict[str, Any]:
        if self._coming:
            return self._coming.pop(0)
        if not self._leaves:
            await asyncio.Event().wait()
        return {"type": "http.disconnect"}

    async def send(self, message: dict[str, Any]) -> None:
        self.sent.append(message)
        if self.stuck and message["type"] == "http.response.body":
            await asyncio.Event().wait()

    @property
    def status(self) -> int:
        (start,) = [message for message in self.sent if message["type"] == "http.response.start"]
        return int(start["status"])

    @property
    def headers(self) -> dict[str, str]:
        return {name.decode(): value.decode("latin-1") for name, value in self.sent[0]["headers"]}

    @property
    def body(self) -> bytes:
        return b"".join(message.get("body", b"") for message in self.sent[1:])

    @property
    def complete(self) -> bool:
        return [message.get("more_body", False) for message in self.sent[1:]].count(False) == 1


def told(app: Callable[..., Any], scope: dict[str, Any], *pieces: bytes, leaves: bool = False) -> Client:
    async def ask() -> Client:
        client = Client(*pieces, leaves=leaves)
        await asyncio.wait_for(app(scope, client.receive, client.send), 20)
        return client

    return asyncio.run(ask())


async def echo(request: Request) -> Response:
    """All that a request says, as far as an answer sees it."""
    return as_json({"parts": request.parts, "query": request.query, "body": (await request.body()).decode("latin-1")})


ECHO = Application(
    [
        Route("/", echo),
        Route("/plain.js", echo),
        Route("/one/{id}/look", echo),
        Route("/one/{id}", echo, "PUT"),
        Route("/one/{id}", echo),
        Route("/one/{id}", echo, "DELETE"),
        Route("/two/{a}/{b}", echo, "POST"),
    ],
    refusal,
)


# Addresses


FOUND = (
    ("GET", "/", {}),
    ("GET", "/plain.js", {}),
    ("GET", "/one/x/look", {"id": "x"}),
    ("DELETE", "/one/x", {"id": "x"}),
    ("POST", "/two/é/ ", {"a": "é", "b": " "}),
    ("GET", "/one/../look", {"id": ".."}),
    ("GET", "/one/%2561%2f/look", {"id": "%2561%2f"}),  # as it came from the server: decoded already, and once only
    ("GET", "/one/a\n/look", {"id": "a\n"}),
)


@pytest.mark.parametrize(("method", "path", "parts"), FOUND)
def test_parts_of_an_address_are_what_was_sent(method: str, path: str, parts: dict[str, str]) -> None:
    client = told(ECHO, scope_of(path, method))
    assert (client.status, json.loads(client.body)["parts"]) == (200, parts)


ELSEWHERE = (
    *("", "//", "/one", "/one/", "/one//look", "/one/x/y/look", "/ONE/x", "/one/x/look/", "/one/x/look\n", "/x/one/y"),
    *("/plainxjs", "/plain.js/", "/plain.js\n", "/two/a/b/c", "http://evil.example/", "*"),
)


@pytest.mark.parametrize("path", ELSEWHERE, ids=repr)
def test_no_other_address_is_taken_for_one_of_ours(path: str) -> None:
    client = told(ECHO, scope_of(path))
    assert (client.status, client.body) == (404, b"refused: 404")
    assert "allow" not in client.headers


METHODS = (
    ("/", "POST", "GET, HEAD"),
    ("/", "get", "GET, HEAD"),
    ("/two/a/b", "GET", "POST"),
    ("/two/a/b", "HEAD", "POST"),
    ("/one/x", "POST", "DELETE, GET, HEAD, PUT"),
    ("/one/x", "PROPFIND", "DELETE, GET, HEAD, PUT"),
)


@pytest.mark.parametrize(("path", "method", "allowed"), METHODS)
def test_another_method_is_told_which_there_are(path: str, method: str, allowed: str) -> None:
    client = told(ECHO, scope_of(path, method))
    assert (client.status, client.headers["allow"]) == (405, allowed)


@pytest.mark.parametrize("path", ["/", "/one/x/look", "/nowhere"])
def test_head_says_what_get_would_send_and_sends_none_of_it(path: str) -> None:
    get, head = (told(ECHO, scope_of(path, method)) for method in ("GET", "HEAD"))
    assert (head.status, head.headers) == (get.status, get.headers)
    assert int(head.headers["content-length"]) == len(get.body)
    assert head.body == b""
    assert head.complete


# Requests


QUERIES = (
    (b"", {}),
    (b"a=1&b=2", {"a": "1", "b": "2"}),
    (b"a=1&a=2", {"a": "2"}),
    (b"a=", {"a": ""}),
    (b"a", {"a": ""}),
    (b"a=%2561&b=x+y%2B&%61%20=%C3%A9", {"a": "%61", "b": "x y+", "a ": "é"}),
    (b"a=b=c;d&=e", {"a": "b=c;d", "": "e"}),
    (b"a=%ff%zz", {"a": "\ufffd%zz"}),
)


@pytest.mark.parametrize(("query", "found"), QUERIES, ids=repr)
def test_arguments_are_decoded_once_and_the_last_of_a_name_counts(query: bytes, found: dict[str, str]) -> None:
    assert json.loads(told(ECHO, scope_of("/", query=query)).body)["query"] == found


def test_headers_are_found_in_any_case_and_all_of_them() -> None:
    headers = Headers({"headers": [(b"Host", b"a"), (b"x", b"\xff"), (b"host", b"b")]})
    assert headers.all("HOST") == ["a", "b"]
    assert (headers.get("host"), headers.get("X"), headers.get("y"), headers.all("y")) == ("a", "\xff", None, [])


def test_a_body_is_joined_from_its_pieces() -> None:
    assert json.loads(told(ECHO, scope_of("/"), b"ab", b"", b"c").body)["body"] == "abc"
    assert json.loads(told(ECHO, scope_of("/")).body)["body"] == ""


def test_a_body_whose_sender_leaves_is_no_body() -> None:
    found: list[Any] = []

    async def keep(request: Request) -> Response:
        try:
            found.append(await request.body())
        except ClientLeftError as error:
            found.append(error)
        return plain("")

    told(Application([Route("/", keep, "PUT")], refusal), scope_of("/", "PUT"), b"half of", leaves=True)
    assert [type(one) for one in found] == [ClientLeftError]


# Responses


def answering(response: Callable[[], Response]) -> Application:
    async def answer(request: Request) -> Response:
        return response()

    return Application([Route("/", answer)], refusal)


INJECTED = ("a\r\nset-cookie: b=c", "a\nb", "a\rb", "a\0b", "\x1b[31m", "a\x7f", "\N{CJK UNIFIED IDEOGRAPH-65E5}")


@pytest.mark.parametrize("value", INJECTED, ids=repr)
def test_no_value_becomes_a_header_of_its_own(value: str, caplog: pytest.LogCaptureFixture) -> None:
    for headers in ({"x-name": value}, {f"x-{value}": "a"}):
        client = told(answering(lambda headers=headers: plain("", 200, headers)), scope_of("/"))
        assert (client.status, client.body) == (500, b"refused: 500")
        assert set(client.headers) == {"content-type", "content-length"}
    assert len(caplog.records) == 2


@pytest.mark.parametrize("name", ["", "a b", "a:", "é", "a\n"])
def test_a_header_has_a_name_that_is_one(name: str, caplog: pytest.LogCaptureFixture) -> None:
    assert told(answering(lambda: plain("", 200, {name: "x"})), scope_of("/")).status == 500


def test_a_value_may_have_all_that_a_header_may_have() -> None:
    assert told(answering(lambda: plain("", 200, {"X-A": "a\té~"})), scope_of("/")).headers["x-a"] == "a\té~"


def test_a_cookie_is_for_this_site_and_no_script() -> None:
    assert cookie("dualres-1", "a_-Z9") == "dualres-1=a_-Z9; HttpOnly; Path=/; SameSite=strict"
    for name, value in (("a", "b; Domain=evil.example"), ("a", "b c"), ("a", 'b"'), ("a", "b,c"), ("a=b", "c"),
                        ("", "a"), ("a", "b\r\nc"), ("a", "é")):  # fmt: skip
        with pytest.raises(ValueError, match="no cookie"):
            cookie(name, value)


NAMES = (
    ("model-1.zip", 'attachment; filename="model-1.zip"'),
    ('a"b', "attachment; filename*=utf-8''a%22b"),
    ("é b", "attachment; filename*=utf-8''%C3%A9%20b"),
    ("a\r\nb/c", "attachment; filename*=utf-8''a%0D%0Ab%2Fc"),
    ("a%41", "attachment; filename*=utf-8''a%2541"),
)


@pytest.mark.parametrize(("name", "said"), NAMES)
def test_a_file_may_have_any_name(name: str, said: str) -> None:
    assert attachment(name) == said
    assert told(answering(lambda: plain("", 200, {"x": attachment(name)})), scope_of("/")).status == 200


def test_data_is_json_whatever_a_file_is_called() -> None:
    data = {"names": ["é", "a\udcff", "\u2028"], "number": 0.1, "none": None}
    client = told(answering(lambda: as_json(data, 507)), scope_of("/"))
    assert (client.status, client.headers["content-type"]) == (507, "application/json")
    assert json.loads(client.body) == data
    with pytest.raises(ValueError, match="JSON"):
        as_json([float("nan")])


def test_a_mistake_of_ours_is_told_in_the_log_only(caplog: pytest.LogCaptureFixture) -> None:
    def fail() -> Response:
        raise KeyError(SECRET)

    client = told(answering(fail), scope_of("/"))
    assert (client.status, client.body, client.complete) == (500, b"refused: 500", True)
    (record,) = caplog.records
    assert (record.name, record.levelno, record.getMessage()) == ("dualres.web", logging.ERROR, "GET '/'")
    assert SECRET in caplog.text


def test_a_mistake_in_the_middle_leaves_the_answer_without_an_end(caplog: pytest.LogCaptureFixture) -> None:
    async def texts() -> AsyncGenerator[str, None]:
        yield "one"
        raise KeyError(SECRET)

    client = told(answering(lambda: StreamedResponse(texts(), "text/plain")), scope_of("/"))
    assert (client.status, client.body, client.complete) == (200, b"one", False)
    assert SECRET in caplog.text


# Stretches


STRETCHES = (
    ("bytes=0-", range(1024)),
    ("bytes=0-0", range(1)),
    ("BYTES=10-19", range(10, 20)),
    ("bytes=1000-", range(1000, 1024)),
    ("bytes=1023-1023", range(1023, 1024)),
    ("bytes=1000-5000", range(1000, 1024)),
    ("bytes=0-" + "9" * 99, range(1024)),
    ("bytes=-1", range(1023, 1024)),
    ("bytes=-1024", range(1024)),
    ("bytes=-5000", range(1024)),
)
NOTHING = ("bytes=1024-", "bytes=1024-2000", "bytes=" + "9" * 99 + "-", "bytes=-0", "bytes=-00")
NO_STRETCH = (
    *("", "bytes", "bytes=", "bytes=-", "bytes 0-1", "items=0-1", "none", "bytes=0-1,5-6", "bytes=5-2", "bytes=1-2-3"),
    *("bytes=a-b", "bytes=0x1-2", "bytes=1.0-2", "bytes=--1", "bytes=+1-2", "bytes=\u0661-", "bytes=1_0-"),
)


def stretch(value: str, *more: tuple[bytes, bytes], content: bytes = BYTES, method: str = "GET") -> Client:
    app = answering(lambda: SeekableResponse.of_bytes(content, "audio/wav"))
    return told(app, scope_of("/", method, headers=[(b"range", value.encode("utf-8")), *more]))


@pytest.mark.parametrize(("value", "part"), STRETCHES)
def test_a_stretch_is_sent_and_said(value: str, part: range) -> None:
    client = stretch(value)
    assert (client.status, client.body, client.complete) == (206, BYTES[part.start : part.stop], True)
    assert client.headers["content-range"] == f"bytes {part.start}-{part.stop - 1}/1024"
    assert client.headers["content-length"] == str(len(part))
    assert client.headers["accept-ranges"] == "bytes"


@pytest.mark.parametrize("value", NOTHING)
def test_a_stretch_beyond_the_end_is_told_where_that_is(value: str) -> None:
    client = stretch(value)
    assert (client.status, client.body, client.headers["content-length"]) == (416, b"", "0")
    assert client.headers["content-range"] == "bytes */1024"


@pytest.mark.parametrize("value", NO_STRETCH)
def test_what_names_no_single_stretch_is_sent_everything(value: str) -> None:
    client = stretch(value)
    assert (client.status, client.body) == (200, BYTES)
    assert "content-range" not in client.headers


def test_two_headers_name_no_single_stretch() -> None:
    assert stretch("bytes=0-1", (b"range", b"bytes=2-3")).status == 200


def test_only_get_has_stretches() -> None:
    client = stretch("bytes=0-1", method="HEAD")
    assert (client.status, client.headers["content-length"], client.body) == (200, "1024", b"")


def test_nothing_has_no_stretches() -> None:
    assert [stretch(value, content=b"").status for value in ("bytes=0-", "bytes=-1", "bytes=-0")] == [416, 200, 416]


def test_a_stretch_of_another_version_is_not_sent() -> None:
    etag = stretch("").headers["etag"]
    assert etag.strip('"').isalnum()
    assert stretch("bytes=1-2", (b"if-range", etag.encode())).body == BYTES[1:3]
    for other in ('"other"', f"W/{etag}", etag.strip('"'), "Wed, 21 Oct 2015 07:28:00 GMT", ""):
        assert stretch("bytes=1-2", (b"if-range", other.encode())).status == 200
    assert stretch("bytes=1-2", (b"if-range", etag.encode()), content=BYTES[::-1]).body == BYTES[::-1]


def test_versions_of_a_file_are_told_apart_and_the_one_described_is_sent(tmp_path: Path) -> None:
    path = tmp_path / "model"
    path.write_bytes(b"first")
    response = SeekableResponse.of_file(path, "text/plain")
    (tmp_path / "new").write_bytes(b"other")
    (tmp_path / "new").replace(path)
    first = told(answering(lambda: response), scope_of("/"))
    other = told(answering(lambda: SeekableResponse.of_file(path, "text/plain")), scope_of("/"))
    assert (first.body, other.body) == (b"first", b"other")
    assert first.headers["etag"] != other.headers["etag"]


def test_a_file_that_became_shorter_has_no_end(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "model").write_bytes(LARGE)
    response = SeekableResponse.of_file(tmp_path / "model", "text/plain")
    (tmp_path / "model").write_bytes(b"x")
    client = told(answering(lambda: response), scope_of("/"))
    assert (client.headers["content-length"], client.complete) == (str(len(LARGE)), False)
    assert "shorter" in caplog.text


# Streams


class Source:
    """Texts without an end; knows how many were asked for, and whether it was closed."""

    def __init__(self, length: int = 10, pause_s: float = 0.0) -> None:
        self.given, self.closed = 0, threading.Event()
        self._length, self._pause_s = length, pause_s

    async def texts(self) -> AsyncGenerator[str, None]:
        try:
            while True:
                self.given += 1
                yield "x" * self._length
                await asyncio.sleep(self._pause_s)
        finally:
            self.closed.set()


def test_a_stream_ends_when_its_listener_leaves() -> None:
    source = Source()
    client = told(answering(lambda: StreamedResponse(source.texts(), "text/plain")), scope_of("/"), leaves=True)
    assert client.status == 200
    assert "content-length" not in client.headers
    assert source.closed.is_set() or source.given == 0


@pytest.mark.parametrize("stuck", [False, True])
def test_a_stream_that_is_cut_off_is_closed_before_anything_else(stuck: bool) -> None:
    """As the server does at its end, also while a client does not take what is sent."""
    source = Source()
    texts = source.texts()  # held here, so that nothing but the response closes it

    async def cut() -> bool:
        client = Client()
        client.stuck = stuck
        response = StreamedResponse(texts, "text/plain")
        task = asyncio.create_task(response(scope_of("/"), client.receive, client.send))
        while not source.given:
            await asyncio.sleep(0.001)
        assert not source.closed.is_set()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        return task.cancelled() and source.closed.is_set()

    assert asyncio.run(cut())


def test_a_file_is_not_read_on_for_a_client_who_left() -> None:
    file = io.BytesIO(LARGE)
    client = told(answering(lambda: SeekableResponse(file, "x", "text/plain")), scope_of("/"), leaves=True)
    assert (client.status, client.complete, file.closed) == (200, False, True)
    assert len(client.body) < len(LARGE)


def test_head_of_a_stream_has_an_end_at_once() -> None:
    source = Source()
    client = told(answering(lambda: StreamedResponse(source.texts(), "text/plain")), scope_of("/", "HEAD"))
    assert (client.status, client.body, client.complete, source.given) == (200, b"", True, 0)


# By a real server


@contextmanager
def running(app: Application) -> Iterator[int]:
    """The port where an application is served, with the page's own settings."""
    listening = server.listen(0)
    uvicorn = server.server_of(SimpleNamespace(gate=app, events=Events()))  # type: ignore[arg-type]
    thread = threading.Thread(target=uvicorn.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    try:
        yield listening.getsockname()[1]
    finally:
        uvicorn.should_exit = True
        thread.join(20)


def connected(port: int) -> http.client.HTTPConnection:
    return http.client.HTTPConnection("127.0.0.1", port, timeout=30)


def until(true: Callable[[], bool], seconds: float = 20.0) -> bool:
    end = time.monotonic() + seconds
    while not true() and time.monotonic() < end:
        time.sleep(0.01)
    return true()


class Kept(io.BytesIO):
    """Bytes that somebody may look at after they were closed."""


@pytest.fixture(scope="module")
def opened() -> list[Kept]:
    return []


@pytest.fixture(scope="module")
def sources() -> list[Source]:
    return []


@pytest.fixture(scope="module")
def port(opened: list[Kept], sources: list[Source]) -> Iterator[int]:
    async def large(request: Request) -> Response:
        opened.append(Kept(LARGE))
        return SeekableResponse(opened[-1], "large", "application/octet-stream")

    async def stream(request: Request) -> Response:
        sources.append(Source(1 << 16 if "wide" in request.query else 10, 0.0 if "wide" in request.query else 0.01))
        return StreamedResponse(sources[-1].texts(), "text/event-stream")

    async def broken(request: Request) -> Response:
        return SeekableResponse(_Shrinking(LARGE), "x", "application/octet-stream")

    routes = [Route("/", echo), Route("/large", large), Route("/stream", stream), Route("/broken", broken)]
    with running(Application(routes, refusal)) as one:
        yield one


class _Shrinking(io.BytesIO):
    def read(self, size: int | None = -1) -> bytes:
        return super().read(size) if self.tell() < 1 << 20 else b""


def test_a_download_goes_on_where_it_was(port: int) -> None:
    connection, got, etag = connected(port), b"", ""
    while len(got) < len(LARGE):  # all by one connection, which a wrong length would break
        headers = {"Range": f"bytes={len(got)}-{len(got) + 700_000}"} | ({"If-Range": etag} if etag else {})
        connection.request("GET", "/large", headers=headers)
        answer = connection.getresponse()
        assert answer.status == 206
        assert answer.getheader("content-range", "").startswith(f"bytes {len(got)}-")
        got, etag = got + answer.read(), str(answer.getheader("etag"))
    assert got == LARGE
    connection.request("GET", "/large", headers={"Range": f"bytes={len(got)}-"})
    answer = connection.getresponse()
    assert (answer.status, answer.read(), answer.getheader("content-range")) == (416, b"", f"bytes */{len(LARGE)}")
    connection.close()


@pytest.mark.parametrize("path", ["/", "/large", "/nowhere"])
def test_a_connection_lives_on_after_head(port: int, path: str) -> None:
    connection = connected(port)
    lengths = []
    for method in ("HEAD", "GET", "HEAD", "GET"):
        connection.request(method, path)
        answer = connection.getresponse()
        lengths.append((int(answer.getheader("content-length", "")), len(answer.read())))
    connection.close()
    said = lengths[0][0]
    assert lengths == [(said, 0), (said, said)] * 2


def test_head_of_a_stream_is_answered_by_a_server_too(port: int) -> None:
    connection = connected(port)
    connection.request("HEAD", "/stream")
    assert connection.getresponse().read() == b""
    connection.request("GET", "/")
    assert connection.getresponse().status == 200
    connection.close()


def test_a_listener_who_leaves_in_the_middle_ends_the_stream(port: int, sources: list[Source]) -> None:
    connection = connected(port)
    connection.request("GET", "/stream")
    answer = connection.getresponse()
    assert answer.read(25) == b"x" * 25
    source = sources[-1]
    assert not source.closed.is_set()
    answer.close()
    connection.close()
    assert source.closed.wait(20)


def test_a_listener_who_does_not_listen_is_waited_for_and_let_go(port: int, sources: list[Source]) -> None:
    with socket.create_connection(("127.0.0.1", port)) as silent:
        silent.sendall(b"GET /stream?wide HTTP/1.1\r\nHost: x\r\n\r\n")
        silent.recv(64)
        source = sources[-1]
        assert until(lambda: source.given > 10)
        given = 0
        while given != source.given:  # until the buffers on the way are full
            given = source.given
            time.sleep(0.3)
        assert not source.closed.is_set()
    assert source.closed.wait(20)


def test_a_file_is_closed_when_nobody_wants_the_rest(port: int, opened: list[Kept]) -> None:
    for read in (0, 100_000):
        connection = connected(port)
        connection.request("GET", "/large")
        answer = connection.getresponse()
        answer.read(read)
        file = opened[-1]
        answer.close()
        connection.close()
        assert until(lambda file=file: file.closed)


def test_an_answer_that_breaks_off_is_no_whole_one(port: int, caplog: pytest.LogCaptureFixture) -> None:
    connection = connected(port)
    connection.request("GET", "/broken")
    with pytest.raises(http.client.IncompleteRead):
        connection.getresponse().read()
    connection.close()
    assert until(lambda: "shorter" in caplog.text)


def test_many_slow_clients_get_all_of_it_and_keep_nobody_waiting(port: int, opened: list[Kept]) -> None:
    slow = [connected(port) for _ in range(60)]
    for connection in slow:
        connection.connect()
        connection.request("GET", "/large")
    begin = time.monotonic()
    quick = connected(port)
    quick.request("GET", "/")
    assert quick.getresponse().status == 200
    quick.close()
    assert time.monotonic() - begin < 5

    def rest(connection: http.client.HTTPConnection) -> bool:
        answer = connection.getresponse()
        got = b""
        while piece := answer.read(300_000):
            got += piece
            time.sleep(0.01)
        connection.close()
        return got == LARGE

    with ThreadPoolExecutor(20) as clients:
        assert all(clients.map(rest, slow))
    assert until(lambda: all(file.closed for file in opened))


# By the page itself


def test_the_news_of_a_page_that_was_closed_end(tmp_path: Path) -> None:
    with Served(folder_of_tones(tmp_path / "tones", 1)) as served:
        listeners = served.page.events._pages
        pages = []
        for number in range(5):
            connection = connected(served.port)
            connection.request("GET", "/api/events", headers={"Cookie": served.cookie})
            answer = connection.getresponse()
            assert answer.getheader("content-type") == "text/event-stream; charset=utf-8"
            assert answer.read1(64).startswith(b"event: hello")
            pages.append((connection, answer))
            assert len(listeners) == number + 1
        for connection, answer in pages[:3]:
            answer.close()
            connection.close()
        assert until(lambda: len(listeners) == 2)
        served.page.events.publish("folder", {})
        assert [answer.read1(64) for _, answer in pages[3:]] == [b"event: folder\ndata: {}\n\n"] * 2
    for connection, answer in pages[3:]:
        assert answer.read() == b"event: end\ndata: {}\n\n"  # an end that the client knows for one
        connection.close()


def test_a_sound_is_played_from_anywhere(tmp_path: Path) -> None:
    with Served(folder_of_tones(tmp_path / "tones", 1)) as served:
        (one,) = served.get("/api/folder")["recordings"]
        whole = served.get(f"/api/recordings/{one['id']}/sound")
        asked = {"Cookie": served.cookie, "Range": "bytes=4000-"}
        answer, rest = served.raw("GET", f"/api/recordings/{one['id']}/sound", asked)
    assert (answer.status, rest) == (206, whole[4000:])
    assert answer.getheader("content-range") == f"bytes 4000-{len(whole) - 1}/{len(whole)}"


def test_calls_wait_for_each_other_and_the_page_for_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    running, go_on, count = threading.Semaphore(0), threading.Event(), server.CALLS + 5

    def slow(self: PageApi) -> list[str]:
        running.release()
        go_on.wait(30)
        return ["done"]

    monkeypatch.setattr(PageApi, "streams", slow)
    with Served(folder_of_tones(tmp_path / "tones", 1)) as served, ThreadPoolExecutor(count) as clients:
        try:
            answers = [clients.submit(served.get, "/api/streams") for _ in range(count)]
            assert all(running.acquire(timeout=20) for _ in range(server.CALLS))
            assert not running.acquire(timeout=0.3)
            assert served.get("/").startswith(b"<!doctype html>")
        finally:
            go_on.set()
        assert [answer.result() for answer in answers] == [["done"]] * count
