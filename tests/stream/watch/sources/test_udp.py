import socket
import sys
import time
from contextlib import ExitStack, closing, contextmanager

import numpy as np
import pytest

from dualres.errors import ConfigError
from dualres.stream.monitor.chunk import STAMP, Form
from dualres.stream.watch.sources import udp
from dualres.stream.watch.sources.source import StreamPosition
from dualres.stream.watch.sources.udp import Udp
from tests.stream.watch.sources.collected import Collected, options

SIGNAL = np.arange(100, dtype="<f4")


@pytest.fixture
def port():
    with closing(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def send(port, *payloads):
    """By one sender; its address."""
    with closing(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) as sender:
        for payload in payloads:
            sender.sendto(payload, ("127.0.0.1", port))
        return "127.0.0.1:" + str(sender.getsockname()[1])


def test_every_sender_is_a_stream(port):
    name = f"udp://127.0.0.1:{port}"
    with Collected(Udp(name, options(rate=8000))) as found:
        sender = send(port, SIGNAL[:60].tobytes(), b"odd", b"odd", SIGNAL[60:].tobytes())
        found.until(lambda f: len(f.samples()) == 100)
    assert found.samples().tolist() == SIGNAL.tolist()
    assert {c.stream for c in found.chunks} == {f"{name}/{sender}"}
    assert len(found.said) == 1
    assert "3 bytes" in found.said[0]


def test_two_senders_of_one_host_are_two_streams(port):
    with Collected(Udp(f"udp://127.0.0.1:{port}", options(rate=8000))) as found, ExitStack() as stack:
        pair = [stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) for _ in range(2)]
        for start in range(0, 100, 20):
            for sign, sender in zip((1, -1), pair, strict=True):
                sender.sendto((sign * SIGNAL[start : start + 20]).tobytes(), ("127.0.0.1", port))
        found.until(lambda f: len(f.samples()) == 200)
    one, other = dict.fromkeys(c.stream for c in found.chunks)
    assert found.samples(one).tolist() == SIGNAL.tolist()
    assert found.samples(other).tolist() == (-SIGNAL).tolist()


def test_a_sender_that_is_silent_for_long_is_over(port, monkeypatch):
    monkeypatch.setattr(udp, "SILENT_S", 0.3)
    name = f"udp://127.0.0.1:{port}"
    before = {f"{name}/10.0.0.1:7[2]": StreamPosition(Form.of(8000), "now", 5, False, 0.0)}
    with Collected(Udp(name, options(rate=8000)), before) as found:
        sender = send(port, SIGNAL.tobytes())
        found.until(lambda f: len([c for c in f.chunks if c.last]) == 2)
    assert {c.stream for c in found.chunks if c.last} == {f"{name}/{sender}", f"{name}/10.0.0.1:7"}


def test_whoever_forges_addresses_opens_no_streams_without_end(port, monkeypatch):
    monkeypatch.setattr(udp, "MOST_SENDERS", 3)
    with Collected(Udp(f"udp://127.0.0.1:{port}", options(rate=8000))) as found:
        for _ in range(6):
            send(port, SIGNAL.tobytes())
        found.until(lambda f: f.said)
        first = found.chunks[0].stream
    assert len({c.stream for c in found.chunks}) == 3
    assert len(found.said) == 1
    assert first not in found.said[0]
    assert "3 others" in found.said[0]


def test_a_stamp_tells_where_samples_belong(port):
    with Collected(Udp(f"udp://127.0.0.1:{port}", options(rate=8000, stamped=True))) as found:
        send(port, STAMP.pack(5, 1000) + SIGNAL.tobytes())
        found.until(lambda f: f.chunks)
    assert (found.chunks[0].start, found.chunks[0].first, found.chunks[0].count) == ("5", 1000, 100)


LARGE = np.zeros(15_000, dtype="<f4").tobytes()
COUNTS_DROPS = pytest.mark.skipif(sys.platform != "linux", reason="the system does not count what it drops")


@contextmanager
def senders(port, *hosts):
    """What sends so many large datagrams of each of them, in turn."""
    with ExitStack() as stack:
        all_ = [stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) for _ in hosts]
        for one, host in zip(all_, hosts, strict=True):
            one.bind((host, 0))

        def overrun(number):
            for _ in range(number):
                for one in all_:
                    one.sendto(LARGE, ("127.0.0.1", port))

        yield overrun


def until_told(overrun, wanted, told_of):
    """Datagrams until so many senders are told of a loss; how many were sent of each."""
    sent = 0
    while told_of() < wanted:
        overrun(1)
        sent += 1
        assert sent < 200
        time.sleep(0.05)
    return sent


def missing(found):
    return sum(one.missing for one in found.chunks)


@COUNTS_DROPS
@pytest.mark.parametrize("hosts", [["127.0.0.1"], ["127.0.0.1", "127.0.0.2"]], ids=["one sender", "two senders"])
def test_what_the_system_drops_is_missing(port, hosts):
    source = Udp(f"udp://127.0.0.1:{port}", options(rate=8000))
    with senders(port, *hosts) as overrun:
        overrun(1000)
        with Collected(source) as found:
            sent = 1000 + until_told(overrun, len(hosts), lambda: len({c.stream for c in found.chunks if c.missing}))
            found.until(lambda f: len(f.samples()) + missing(f) == sent * len(hosts) * 15_000)
    assert missing(found) > 0
    assert len(found.said) == 1
    assert "the system dropped some" in found.said[0]


@COUNTS_DROPS
def test_a_stamp_tells_better_what_is_missing(port):
    source = Udp(f"udp://127.0.0.1:{port}", options(rate=8000, stamped=True))
    with senders(port, "127.0.0.1") as overrun:
        overrun(1000)
        with Collected(source) as found:
            until_told(overrun, 1, lambda: len(found.said))
    assert not missing(found)


def test_an_address_that_cannot_be_used_is_told(port):
    with pytest.raises(ConfigError, match="needs a port"):
        Udp("udp://127.0.0.1", options(rate=8000))
    taken = Udp(f"udp://127.0.0.1:{port}", options(rate=8000))
    with Collected(taken), pytest.raises(ConfigError, match="another port"):
        Udp(taken.name, options(rate=8000))
