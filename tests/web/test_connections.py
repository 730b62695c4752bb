"""Who keeps connections open keeps nobody else out."""

import socket
import time
from contextlib import ExitStack
from pathlib import Path

import pytest

from dualres.web import connections
from tests.web.served import Served, folder_of_tones

IDLE = 220


@pytest.fixture
def served(tmp_path: Path):
    with Served(folder_of_tones(tmp_path / "tones", 1)) as one:
        yield one


def opened(served: Served, begin: bytes, stack: ExitStack) -> socket.socket:
    one = stack.enter_context(socket.create_connection(("127.0.0.1", served.port), 30))
    one.sendall(begin)
    return one


REFUSED = b"POST /api/undo HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nContent-Length: 1000000\r\n\r\n"


BEGINS = {"nothing": b"", "half a head": b"GET / HTTP/1.1\r\nHo", "half a body": REFUSED}


@pytest.mark.parametrize("begin", BEGINS)
def test_the_page_is_answered_while_hundreds_wait(served: Served, begin: str) -> None:
    said = BEGINS[begin].replace(b"PORT", str(served.port).encode())
    with ExitStack() as stack:
        for _ in range(IDLE):
            opened(served, said, stack)
        for _ in range(3):
            assert served.get("/api/folder")["recordings"]


@pytest.mark.parametrize("more", [b"", b"x"], ids=["silent", "slow"])
def test_a_request_that_does_not_arrive_is_let_go(served: Served, monkeypatch: pytest.MonkeyPatch, more: bytes) -> None:
    """Also where a byte comes now and then."""
    monkeypatch.setattr(connections, "HEAD_S", 0.2)
    with ExitStack() as stack:
        one = opened(served, b"GET /", stack)
        one.settimeout(0.02)
        end = time.monotonic() + 20
        while time.monotonic() < end:
            try:
                one.sendall(more)
                if one.recv(1) == b"":
                    break
            except TimeoutError:
                continue
            except OSError:
                break
        assert time.monotonic() < end


def test_a_connection_that_asks_again_in_time_stays(served: Served) -> None:
    head = ("GET /api/folder HTTP/1.1", f"Host: 127.0.0.1:{served.port}", f"Cookie: {served.cookie}", "", "")
    request = "\r\n".join(head).encode()
    with ExitStack() as stack:
        one = opened(served, request, stack)
        for _ in range(3):
            answer = b""
            while b"campaign" not in answer:
                answer += one.recv(4096)
            assert answer.startswith(b"HTTP/1.1 200")
            one.sendall(request)
