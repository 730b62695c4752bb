import os
import pty
import threading
import tty

import numpy as np
import pytest

from dualres.errors import ConfigError
from dualres.stream.watch.sources import serial_port
from dualres.stream.watch.sources.serial_port import SerialPort
from tests.stream.watch.sources.collected import Collected, options

pytest.importorskip("serial", reason="serial ports need pyserial")
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


def test_a_baud_rate_that_is_none_is_refused():
    with pytest.raises(ConfigError, match="baud=921600"):
        SerialPort("serial:///dev/ttyS0?baud=fast", options(rate=8000))
