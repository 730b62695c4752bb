"""The page as a server: its addresses, what it says of errors, downloads that go on, and events that end."""

import http.client
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from dualres.errors import DualResError
from dualres.web import server
from dualres.web.api import SOUNDS
from dualres.web.live import LiveStreams
from dualres.web.server import AsciiJson, listen, static_files
from tests.web.served import Served, folder_of_tones

SECRET = "the-words-of-an-error"
MODEL = "a model é.safetensors"
FILE = "/api/models/a%20model%20%C3%A9/file"
EVENTS = "text/event-stream; charset=utf-8"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = folder_of_tones(tmp_path_factory.mktemp("server") / "tones", 1)
    (folder / "models").mkdir()
    (folder / "models" / MODEL).write_bytes(bytes(range(256)) * 4000)
    with Served(folder) as one:
        yield one


def listening(served: Served) -> tuple[http.client.HTTPConnection, http.client.HTTPResponse]:
    """A page that has heard the first event."""
    connection = http.client.HTTPConnection("127.0.0.1", served.port, timeout=30)
    connection.request("GET", "/api/events", headers={"Cookie": served.cookie})
    answer = connection.getresponse()
    assert answer.getheader("content-type") == EVENTS
    assert answer.read1(64).startswith(b"event: hello")
    return connection, answer


def until(true: Callable[[], bool], seconds: float = 20.0) -> bool:
    end = time.monotonic() + seconds
    while not true() and time.monotonic() < end:
        time.sleep(0.01)
    return true()


# Addresses


def test_every_file_of_the_page_is_sent_as_what_it_is(served: Served) -> None:
    for path, kind in {"/": "text/html", "/main.js": "text/javascript", "/style.css": "text/css"}.items():
        answer, content = served.raw("GET", path, {"Cookie": served.cookie})
        assert (answer.status, answer.getheader("content-type")) == (200, f"{kind}; charset=utf-8")
        assert content == static_files()[path].body


ELSEWHERE = "// /main.js/ /main.jsx /uplot-LICENSE.txt /index.html /api /api/folder/ /API/folder /api/x/y"


@pytest.mark.parametrize("path", ELSEWHERE.split())
def test_no_other_address_is_taken_for_one_of_ours(served: Served, path: str) -> None:
    assert served.ask("GET", path) == (404, {"error": "there is nothing at this address"})


METHODS = (
    ("/", "POST", {"GET", "HEAD"}),
    ("/api/undo", "HEAD", {"POST"}),
    ("/api/models/x/export", "DELETE", {"GET", "HEAD", "POST"}),
    ("/api/folder", "OPTIONS", {"GET", "HEAD"}),
    ("/api/folder", "PROPFIND", {"GET", "HEAD"}),
)


@pytest.mark.parametrize(("path", "method", "allowed"), METHODS)
def test_another_method_is_told_which_there_are(served: Served, path: str, method: str, allowed: set[str]) -> None:
    answer, said = served.raw(method, path, {"Cookie": served.cookie, "X-DualRes": "1"})
    assert (answer.status, set(str(answer.getheader("allow")).split(", "))) == (405, allowed)
    assert method == "HEAD" or json.loads(said) == {"error": "this address does not take this method"}


@pytest.mark.parametrize("path", ["/", "/api/folder", FILE, "/nowhere"])
def test_a_connection_lives_on_after_head(served: Served, path: str) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", served.port, timeout=30)
    lengths = []
    for method in ("HEAD", "GET") * 2:
        connection.request(method, path, headers={"Cookie": served.cookie})
        answer = connection.getresponse()
        lengths.append((int(answer.getheader("content-length", "")), len(answer.read())))
    connection.close()
    said = lengths[0][0]
    assert lengths == [(said, 0), (said, said)] * 2


# Answers


def test_data_is_json_whatever_a_file_is_called() -> None:
    data = {"names": ["é", "a\udcff", "\u2028"], "number": 0.1, "none": None}
    assert json.loads(AsciiJson(data).body) == data
    strange = {"a": (float("nan"), [{"b": float("-inf")}, 1.5])}
    assert json.loads(AsciiJson(strange).body) == {"a": [None, [{"b": None}, 1.5]]}, "JSON has no such numbers"


ERRORS = (
    (KeyError(SECRET), 500, "this did not work; the terminal of dualres serve tells more"),
    (DualResError("choose another"), 400, "choose another"),
    (OSError(28, "No space", "labels.csv"), 507, "labels.csv: cannot be used (No space); look at the disk"),
    (OSError(5, "Broken"), 400, "the folder: cannot be used (Broken); look at the disk"),
)


def test_an_error_is_a_sentence_and_ours_is_told_in_the_terminal_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    errors = iter(error for error, _, _ in ERRORS)

    def fail(self: LiveStreams) -> None:
        raise next(errors)

    monkeypatch.setattr(LiveStreams, "streams", fail)
    with Served(folder_of_tones(tmp_path / "tones", 1)) as served:
        for _, status, said in ERRORS:
            assert served.ask("GET", "/api/streams") == (status, {"error": said})
    told = capfd.readouterr().err
    assert SECRET in told
    assert "choose another" not in told


def test_a_download_goes_on_where_it_was(served: Served) -> None:
    model = served.page.api.workspace.models / MODEL
    connection, got, etag = http.client.HTTPConnection("127.0.0.1", served.port, timeout=30), b"", ""
    while len(got) < model.stat().st_size:  # all by one connection, which a wrong length would break
        headers = {"Range": f"bytes={len(got)}-{len(got) + 300_000}"} | ({"If-Range": etag} if etag else {})
        connection.request("GET", FILE, headers={"Cookie": served.cookie, **headers})
        answer = connection.getresponse()
        assert (answer.status, answer.getheader("accept-ranges")) == (206, "bytes")
        got, etag = got + answer.read(), str(answer.getheader("etag"))
    assert got == model.read_bytes()
    assert answer.getheader("content-disposition") == "attachment; filename*=utf-8''a%20model%20%C3%A9.safetensors"
    for headers, status in (({"Range": f"bytes={len(got)}-"}, 416), ({"Range": "bytes=0-9", "If-Range": '"x"'}, 200)):
        connection.request("GET", FILE, headers={"Cookie": served.cookie, **headers})
        answer = connection.getresponse()
        assert (answer.status, len(answer.read()) == len(got)) == (status, status == 200)
    connection.close()


def test_a_sound_is_played_from_anywhere(tmp_path: Path) -> None:
    with Served(folder_of_tones(tmp_path / "tones", 1)) as served:
        (one,) = served.get("/api/folder")["recordings"]
        sound = f"/api/recordings/{one['id']}/sound"
        first, whole = served.raw("GET", sound, {"Cookie": served.cookie})
        same = {"If-Range": str(first.getheader("etag"))}
        answer, rest = served.raw("GET", sound, {"Cookie": served.cookie, "Range": "bytes=4000-", **same})
        for number in range(SOUNDS + 3):
            served.get(f"{sound}?end_s={0.1 + number / 100}")
        sounds = list((Path(served.page.api._exports.name) / "sounds").iterdir())
    assert (answer.status, rest) == (206, whole[4000:])
    assert answer.getheader("content-range") == f"bytes 4000-{len(whole) - 1}/{len(whole)}"
    assert len(sounds) == SOUNDS


# Events


def test_the_news_of_a_page_that_was_closed_end(served: Served) -> None:
    listeners = served.page.events._pages
    pages = [listening(served) for _ in range(5)]
    assert len(listeners) == 5
    for connection, answer in pages[:3]:
        answer.close()
        connection.close()
    assert until(lambda: len(listeners) == 2)
    served.page.events.publish("folder", {})
    for connection, answer in pages[3:]:
        assert answer.read1(64) == b"event: folder\ndata: {}\n\n"
        connection.close()
        answer.close()
    assert until(lambda: not listeners)


def test_a_page_that_takes_nothing_is_let_go_when_it_leaves(served: Served) -> None:
    connection, answer = listening(served)
    for number in range(200):  # more than the buffers on the way hold
        served.page.events.publish("command", {"number": number, "text": "x" * 100_000})
    assert served.get("/api/folder")["recordings"]
    answer.close()
    connection.close()
    assert until(lambda: not served.page.events._pages)


def test_an_open_page_hears_of_the_end(tmp_path: Path) -> None:
    with Served(folder_of_tones(tmp_path / "tones", 1)) as served:
        connection, answer = listening(served)
    assert answer.read() == b"event: end\ndata: {}\n\n"  # an end that the client knows for one
    connection.close()


def test_head_of_the_events_has_an_end_at_once(served: Served) -> None:
    answer, said = served.raw("HEAD", "/api/events", {"Cookie": served.cookie})
    assert (answer.status, answer.getheader("content-type"), said) == (200, EVENTS, b"")


def test_calls_wait_for_each_other_and_the_page_for_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    running, go_on, count = threading.Semaphore(0), threading.Event(), server.CALLS + 5

    def slow(self: LiveStreams) -> list[str]:
        running.release()
        go_on.wait(30)
        return ["done"]

    monkeypatch.setattr(LiveStreams, "streams", slow)
    with Served(folder_of_tones(tmp_path / "tones", 1)) as served, ThreadPoolExecutor(count) as clients:
        try:
            answers = [clients.submit(served.get, "/api/streams") for _ in range(count)]
            assert all(running.acquire(timeout=20) for _ in range(server.CALLS))
            assert not running.acquire(timeout=0.3)
            assert served.get("/").startswith(b"<!doctype html>")
        finally:
            go_on.set()
        assert [answer.result() for answer in answers] == [["done"]] * count


def test_small_answers_leave_at_once() -> None:
    """asyncio sets TCP_NODELAY for what is named as TCP; without it a label's answer takes 40 ms more."""
    listening = listen(0)
    client = socket.create_connection(listening.getsockname())
    taken, _ = listening.accept()
    with listening, client, taken:
        assert taken.proto == socket.IPPROTO_TCP
