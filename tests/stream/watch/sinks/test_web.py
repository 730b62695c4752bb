"""Sinks that send requests."""

import json
import socket
import threading
import time
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.parse import unquote

import pytest

from dualres.stream.watch.delivery import Delivery
from dualres.stream.watch.sinks import webhook
from dualres.stream.watch.sinks.catalogue import sink_of
from dualres.stream.watch.sinks.sink import NotDeliveredError
from tests.stream.watch.agents import until
from tests.stream.watch.sinks.records import record


@contextmanager
def server(status=204, **headers):
    """Its address, and the requests that it got; each of several statuses answers one of them."""
    got, statuses = [], [status] if isinstance(status, int) else list(status)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            got.append((self.path, dict(self.headers), body.decode()))
            self.send_response(statuses.pop(0) if len(statuses) > 1 else statuses[0])
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()

        def do_GET(self):
            got.append((self.path, dict(self.headers), None))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_):
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as http:
        thread = threading.Thread(target=http.serve_forever, args=(0.05,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{http.server_port}", got
        finally:
            http.shutdown()
            thread.join()


def test_every_verdict_is_a_request_with_its_id():
    with server() as (address, got):
        sink_of(f"{address}/hook").send([record(0), record(1)])
    assert [json.loads(body) for _, _, body in got] == [record(0).data, record(1).data]
    assert [headers["Idempotency-Key"] for _, headers, _ in got] == ["pump/1/window/0", "pump/1/window/1"]


def test_anything_but_success_is_not_delivered():
    with server(500) as (address, got):
        with pytest.raises(NotDeliveredError, match="500"):
            sink_of(f"{address}/hook").send([record(0), record(1)])
        assert len(got) == 1
    with pytest.raises(NotDeliveredError):
        sink_of(f"{address}/hook").send([record()])


def test_a_redirection_is_no_delivery():
    with server(302, Location="/elsewhere") as (address, got):
        with pytest.raises(NotDeliveredError, match=r"302 Found; give the address that it names, http.*/elsewhere"):
            sink_of(f"{address}/hook").send([record(0)])
        assert len(got) == 1


def test_what_arrived_before_a_failure_is_not_sent_again():
    with server([204, 429, 204]) as (address, got):
        one = Delivery(sink_of(f"{address}/hook"), 0, lambda: None, lambda text: None)
        one.hand_over([record(0), record(1)])
        until(lambda: one.idle)
        one.stop(time.monotonic() + 5)
    assert [json.loads(body)["number"] for _, _, body in got] == [0, 1, 1]


@pytest.mark.parametrize("stream", ["a\nb", " a", "\x1b[2J\r\n: b", "\udcff.npy", "pümpe", "x" * 4000], ids=ascii)
def test_an_id_of_any_characters_is_a_header(stream):
    with server() as (address, got):
        sink_of(f"{address}/hook").send([record(0, stream)])
    ((_, headers, body),) = got
    assert (
        unquote(headers["Idempotency-Key"], errors="surrogatepass") == json.loads(body)["id"] == record(0, stream).key
    )


@contextmanager
def raw_server(answer):
    """Gives its address; what it does with a connection once the request is there."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve():
            with suppress(OSError):
                connection, _ = listening.accept()
                with connection:
                    connection.recv(65_536)
                    answer(connection)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    thread.join(10)
    assert not thread.is_alive()


def drips(first, piece):
    """So, a little every now and then, for a minute."""

    def answer(connection):
        connection.sendall(first)
        for _ in range(1200):
            connection.sendall(piece)
            time.sleep(0.05)

    return answer


@pytest.mark.parametrize(
    "answer",
    [
        lambda connection: time.sleep(0.6),
        drips(b"HTTP/1.1 2", b"0"),
        drips(b"HTTP/1.1 200 OK\r\n", b"X: y\r\n"),
        drips(b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
    ],
    ids=["nothing", "status", "headers", "continue"],
)
def test_a_server_that_hangs_is_left_after_a_while(answer, monkeypatch):
    monkeypatch.setattr(webhook, "TIMEOUT_S", 0.3)
    began = time.monotonic()
    with raw_server(answer) as address, pytest.raises((NotDeliveredError, OSError)):
        sink_of(f"{address}/hook").send([record(0)])
    assert time.monotonic() - began < 5


def test_what_follows_an_answer_is_not_waited_for():
    with raw_server(drips(b"HTTP/1.1 200 OK\r\n\r\n", b"endless")) as address:
        sink_of(f"{address}/hook").send([record(0)])


@pytest.mark.parametrize("to", ["/hook", "ftp://127.0.0.1/", "file:///etc/passwd", "//[", "\x1b"])
def test_no_redirection_is_followed(to):
    for status in (301, 303, 307, 308):
        with server(status, Location=to) as (address, got):
            with pytest.raises(NotDeliveredError, match="answered"):
                sink_of(f"{address}/hook").send([record(0)])
            assert len(got) == 1


def test_influx_gets_lines_and_a_token(monkeypatch):
    monkeypatch.setenv("INFLUX_TOKEN", "secret")
    with server() as (address, got):
        sink_of(f"influx+{address}/api/v2/write?bucket=b").send([record(0), record(1)])
    ((path, headers, body),) = got
    assert path == "/api/v2/write?bucket=b"
    assert headers["Authorization"] == "Token secret"
    assert [line.split(",")[0] for line in body.splitlines()] == ["dualres", "dualres"]
