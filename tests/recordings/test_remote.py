"""Files by their address, from the store that fsspec has in memory."""

import io
import subprocess
import sys
from pathlib import Path

import fsspec
import numpy as np
import pytest
import soundfile

from dualres import read
from dualres.errors import ConfigError, RecordingError
from dualres.recordings.remote import is_address
from dualres.utils import optional_imports

RATE = 8000
SIGNAL = np.sin(np.arange(RATE) / 9).astype(np.float32)


def put(name, content):
    with fsspec.open(f"memory://plant/{name}", "wb") as file:
        file.write(content)
    return f"memory://plant/{name}"


def sound(signal=SIGNAL):
    held = io.BytesIO()
    soundfile.write(held, signal, RATE, "FLOAT", format="WAV")
    return held.getvalue()


def test_a_file_is_read_by_its_address():
    recording = read(put("pump 3.wav", sound()), speed=1500)
    assert (recording.id, recording.rate, recording.speed.rpm) == ("pump 3", RATE, 1500)
    np.testing.assert_array_equal(recording.signal, SIGNAL)


def test_a_long_one_is_there_as_long_as_it_is_needed():
    signal = np.tile(SIGNAL, 600)
    recording = read(put("long.wav", sound(signal)))
    put("long.wav", b"")  # what lies there now is not what was read
    np.testing.assert_array_equal(recording.signal, signal)
    assert recording.origin.sha256


def test_errors_name_the_address():
    broken = put("broken.wav", b"RIFF and no more")
    with pytest.raises(RecordingError, match=r"^memory://plant/broken\.wav: ") as told:
        read(broken)
    assert "/tmp" not in str(told.value)
    with pytest.raises(RecordingError, match=r"^memory://plant/none\.wav: cannot be fetched .*check the address"):
        read("memory://plant/none.wav")
    with pytest.raises(RecordingError, match=r"^nonsense://x\.wav: cannot be fetched .*nonsense"):
        read("nonsense://x.wav")


READING = """
import fsspec
from dualres import read
with fsspec.open("memory://x.csv", "w") as file:
    file.write("\\n".join(map(str, range(9))))
print(read("memory://x.csv", rate=100).origin.path)
"""


def test_the_copy_is_removed_when_the_process_ends():
    command = [sys.executable, "-W", "error", "-c", READING]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert Path(done.stdout.strip()).name == "x.csv"
    assert not Path(done.stdout.strip()).parents[1].exists()


def test_without_fsspec_the_extra_is_named(monkeypatch):
    monkeypatch.setattr(optional_imports, "is_there", lambda library: library != "fsspec")
    with pytest.raises(ConfigError, match=r"^s3://b/x\.wav: reading it needs fsspec: pip install 'dualres\[remote\]'$"):
        read("s3://b/x.wav")


@pytest.mark.parametrize("path", ["pump.wav", "C://pump.wav", "a/b://c", "://x", 3, None])
def test_a_path_is_no_address(path):
    assert not is_address(path)
