import os
import pty
import termios
import threading
import time
import tty

import numpy as np
import pytest

from dualres.errors import ConfigError
from dualres.stream.watch.sources import serial_port
from dualres.stream.watch.sources.serial_port import SerialPort
from tests.stream.watch.sources.collected import Collected, options

serial = pytest.importorskip("serial", reason="serial ports need pyserial")
SIGNAL = np.arange(500, dtype="<i2")


@pytest.fixture
def ends():
    """Of a cable: where a test writes, and the name of the port that a source reads."""
    ours, theirs = pty.openpty()
    tty.setraw(theirs)
    yield ours, os.ttyname(theirs)
    os.close(ours)
    os.close(theirs)


def test_samples_come_whole_however_the_bytes_do(ends, monkeypatch):
    source, opened = SerialPort(f"serial://{ends[1]}", options(rate=8000, dtype="i16")), threading.Event()
    listen = source._listen
    monkeypatch.setattr(source, "_listen", lambda *given: opened.set() or listen(*given))
    with Collected(source) as found:
        assert opened.wait(10), "what comes before is flushed"
        for start in range(0, 1000, 77):
            os.write(ends[0], SIGNAL.tobytes()[start : start + 77])
        found.until(lambda f: len(f.samples()) == 500)
    assert found.samples().tolist() == SIGNAL.tolist()


def test_a_port_that_is_not_there_is_tried_again_and_told_once(ends, tmp_path, monkeypatch):
    monkeypatch.setattr(serial_port, "AGAIN_S", 0.05)
    with Collected(SerialPort(f"serial://{tmp_path}/port?baud=9600", options(rate=8000))) as found:
        found.until(lambda f: f.said)
        found.thread.join(0.3)
        (tmp_path / "port").symlink_to(ends[1])
        found.until(lambda f: len(f.said) == 2)
    assert "tried again" in found.said[0]
    assert "is there" in found.said[1]


@pytest.mark.parametrize("error", [termios.error(5, "Input/output error"), OSError(5, "Input/output error")])
def test_a_port_that_is_pulled_out_while_it_is_set_up_is_tried_again(ends, monkeypatch, error):
    monkeypatch.setattr(serial_port, "AGAIN_S", 0.05)
    errors, flush = [error], serial.Serial._reset_input_buffer

    def failing(self):
        if errors:
            raise errors.pop()
        flush(self)

    monkeypatch.setattr(serial.Serial, "_reset_input_buffer", failing)
    with Collected(SerialPort(f"serial://{ends[1]}", options(rate=8000))) as found:
        found.until(lambda f: len(f.said) == 2)
    assert "Input/output error" in found.said[0]
    assert "is there" in found.said[1]


def test_a_port_that_hangs_up_and_comes_back_goes_on_with_whole_samples(tmp_path, monkeypatch):
    monkeypatch.setattr(serial_port, "AGAIN_S", 0.05)
    port, pairs = tmp_path / "port", [pty.openpty(), pty.openpty()]
    for _, theirs in pairs:
        tty.setraw(theirs)
    port.symlink_to(os.ttyname(pairs[0][1]))
    with Collected(SerialPort(f"serial://{port}", options(rate=8000, dtype="i16"))) as found:
        end = time.monotonic() + 10
        while not found.chunks and time.monotonic() < end:
            os.write(pairs[0][0], b"\x01\0")
            time.sleep(0.02)
        os.write(pairs[0][0], b"\x02")  # half of a sample
        port.unlink()
        port.symlink_to(os.ttyname(pairs[1][1]))
        for one in pairs[0]:
            os.close(one)
        found.until(lambda f: any("is there" in text for text in f.said))
        before = len(found.chunks)
        while len(found.chunks) == before and time.monotonic() < end:
            os.write(pairs[1][0], b"\x03\0")
            time.sleep(0.02)
    for one in pairs[1]:
        os.close(one)
    after = found.chunks[before]
    assert set(np.frombuffer(after.data, "<i2").tolist()) == {3}
    assert after.missing == 1, "at least a sample"


@pytest.mark.parametrize("baud", ["fast", "0", "-1", "99999999999", "²"])
def test_a_baud_rate_that_is_none_is_refused(baud):
    with pytest.raises(ConfigError, match="baud=921600"):
        SerialPort(f"serial:///dev/ttyS0?baud={baud}", options(rate=8000))
