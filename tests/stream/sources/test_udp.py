import socket
from contextlib import closing

import numpy as np
import pytest

from dualres.errors import ConfigError
from dualres.stream.chunk import STAMP
from dualres.stream.sources.udp import Udp
from tests.stream.sources.collected import Collected, told

SIGNAL = np.arange(100, dtype="<f4")


@pytest.fixture
def port():
    with closing(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def send(port, *payloads):
    with closing(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) as sender:
        for payload in payloads:
            sender.sendto(payload, ("127.0.0.1", port))


def test_every_sender_is_a_stream(port):
    name = f"udp://127.0.0.1:{port}"
    with Collected(Udp(name, told(rate=8000))) as found:
        send(port, SIGNAL[:60].tobytes(), b"odd", b"odd", SIGNAL[60:].tobytes())
        found.until(lambda f: len(f.samples()) == 100)
    assert found.samples().tolist() == SIGNAL.tolist()
    assert {c.stream for c in found.chunks} == {f"{name}/127.0.0.1"}
    assert len(found.said) == 1
    assert "3 bytes" in found.said[0]


def test_a_stamp_tells_where_samples_belong(port):
    with Collected(Udp(f"udp://127.0.0.1:{port}", told(rate=8000, stamped=True))) as found:
        send(port, STAMP.pack(5, 1000) + SIGNAL.tobytes())
        found.until(lambda f: f.chunks)
    assert (found.chunks[0].start, found.chunks[0].first, found.chunks[0].count) == ("5", 1000, 100)


def test_an_address_that_cannot_be_used_is_told(port):
    with pytest.raises(ConfigError, match="needs a port"):
        Udp("udp://127.0.0.1", told(rate=8000))
    with Collected(Udp(f"udp://127.0.0.1:{port}", told(rate=8000))), pytest.raises(ConfigError, match="another port"):
        Udp(f"udp://127.0.0.1:{port}", told(rate=8000))
