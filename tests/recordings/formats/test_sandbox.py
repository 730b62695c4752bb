import os
import pickle
import signal
import struct
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
import soundfile
from scipy.io import savemat

from dualres.errors import RecordingError
from dualres.recordings.formats import sandbox as guard_module
from dualres.recordings.formats.registry import FORMATS
from dualres.recordings.formats.sandbox import Guard, _listed
from dualres.recordings.readers import read
from tests.recordings.few import X


@pytest.fixture
def endless(tmp_path):
    """A file that takes for ever to read: a pipe nobody writes to."""
    os.mkfifo(tmp_path / "endless.npy")
    return tmp_path / "endless.npy"


def pid(guard):
    return guard._child._process.pid


def running(process: int) -> bool:
    """Whether it is there and not a zombie."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait_until(condition) -> None:
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_one_child_serves_all_formats_and_never_loads_torch(tmp_path, guard, npy):
    assert read(npy, rate=1, guard=guard).signal.tolist() == X.tolist()
    child = pid(guard)
    savemat(tmp_path / "a.mat", {"x": X})
    soundfile.write(tmp_path / "a.wav", X / 10, 8000, "FLOAT")
    for name in ("a.mat", "a.wav", "a.npy"):
        read(tmp_path / name, rate=8000, guard=guard)
    assert pid(guard) == child != os.getpid()
    assert "scipy" in Path(f"/proc/{child}/maps").read_text()
    assert "torch" not in Path(f"/proc/{child}/maps").read_text()


def test_a_file_that_is_too_much_in_a_later_part_is_refused(guard, npy):
    guard.extract(npy, FORMATS["npy"], None, start=0, stop=2)
    guard.seconds = 0.1
    os.kill(pid(guard), signal.SIGSTOP)
    with pytest.raises(RecordingError, match=r"a\.npy: cannot be read as NumPy: it was not done after 0\.1 s"):
        guard.extract(npy, FORMATS["npy"], None, start=2, stop=4)
    guard.seconds = 5
    assert guard.extract(npy, FORMATS["npy"], None, start=2, stop=4)[1].tolist() == [2, 3]


def test_a_guard_is_sent_as_its_limits(guard):
    assert pickle.loads(pickle.dumps(guard_module.SHARED)) is guard_module.SHARED
    sent = pickle.loads(pickle.dumps(Guard(7, 1 << 30)))
    assert (sent.seconds, sent.memory) == (7, 1 << 30)


def test_a_file_that_takes_too_long_is_refused(guard, endless, npy):
    read(npy, rate=1, guard=guard)
    guard.seconds, child = 0.2, pid(guard)
    begin = time.monotonic()
    with pytest.raises(RecordingError, match=r"endless\.npy: cannot be read as NumPy: it was not done after 0\.2 s"):
        guard.extract(endless, FORMATS["npy"], None)
    assert time.monotonic() - begin < 0.2 + guard_module.GRACE_SECONDS
    assert (guard.late, guard.lost) == (1, 0)
    with pytest.raises(ProcessLookupError):  # it was waited for: not even a zombie is left
        os.kill(child, 0)
    assert read(npy, rate=1, guard=guard).signal.tolist() == X.tolist()


def test_a_child_that_hears_no_alarm_is_killed(guard, endless, npy):
    read(npy, rate=1, guard=guard)
    guard.seconds = 0.1
    os.kill(pid(guard), signal.SIGSTOP)
    with pytest.raises(RecordingError, match="not done after"):
        guard.extract(endless, FORMATS["npy"], None)
    assert guard.late == 1


def test_a_crash_costs_one_file(guard, endless, npy):
    read(npy, rate=1, guard=guard)
    child = pid(guard)
    threading.Timer(0.1, os.kill, (child, signal.SIGSEGV)).start()
    with pytest.raises(RecordingError, match=r"endless\.npy: cannot be read as NumPy: the file is damaged, it crashed"):
        guard.extract(endless, FORMATS["npy"], None)
    assert (guard.late, guard.lost) == (0, 1)
    assert read(npy, rate=1, guard=guard).signal.tolist() == X.tolist()
    assert pid(guard) != child


def test_a_child_that_dies_in_idleness_is_replaced_without_blame(guard, npy):
    read(npy, rate=1, guard=guard)
    child = pid(guard)
    os.kill(child, signal.SIGKILL)
    wait_until(lambda: not running(child))
    assert read(npy, rate=1, guard=guard).signal.tolist() == X.tolist()
    assert guard.lost == 0


def test_memory_is_limited(tmp_path, guard, npy):
    guard.memory = 64 << 20
    savemat(tmp_path / "bomb.mat", {"x": np.zeros(32 << 20, np.int32)}, do_compression=True)  # 128 MiB in 128 KiB
    assert (tmp_path / "bomb.mat").stat().st_size < 1 << 20
    with pytest.raises(RecordingError, match=r"bomb\.mat: cannot be read as MATLAB: .*0\.0625 GiB of memory"):
        read(tmp_path / "bomb.mat", rate=1, guard=guard)
    assert read(npy, rate=1, guard=guard).signal.tolist() == X.tolist()


def test_close_ends_the_children(guard, npy):
    read(npy, rate=1, guard=guard)
    child = pid(guard)
    guard.close()
    with pytest.raises(ProcessLookupError):
        os.kill(child, 0)
    assert read(npy, rate=1, guard=guard).signal.tolist() == X.tolist()


def test_threads_share_a_guard(tmp_path, guard):
    for i in range(4):
        np.save(tmp_path / f"{i}.npy", X + i)
    wrong = []

    def work(i):
        for _ in range(20):
            if read(tmp_path / f"{i}.npy", rate=1, guard=guard).signal[0] != i:
                wrong.append(i)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


PARENT = """
import os, sys
from dualres.recordings.readers import SHARED, read

read(sys.argv[1], rate=1)
mine = SHARED._child._process.pid
"""


def parent(script, npy, **options):
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", PARENT + script, npy], capture_output=True, text=True, **options
    )


@pytest.mark.parametrize("end", ["sys.exit()", "os._exit(0)", "os.kill(os.getpid(), 9)"])
def test_the_child_ends_with_its_parent(npy, end):
    done = parent(f"print(mine, flush=True); {end}", npy)
    assert done.stderr == ""
    wait_until(lambda: not running(int(done.stdout)))


def test_a_fork_has_a_child_of_its_own(npy):
    script = """
fork = os.fork()
if fork == 0:
    assert read(sys.argv[1], rate=1).signal[1] == 1
    assert SHARED._child._process.pid != mine
    sys.exit()
assert os.waitpid(fork, 0)[1] == 0
assert read(sys.argv[1], rate=1).signal[1] == 1
assert SHARED._child._process.pid == mine
"""
    done = parent(script, npy)
    assert (done.returncode, done.stderr) == (0, "")


def test_modules_beside_the_recordings_are_not_imported(npy):
    (npy.parent / "soundfile.py").write_text("open('taken', 'w')")
    soundfile.write(npy.parent / "a.wav", X / 10, 8000)
    done = parent("read('a.wav')", npy, cwd=npy.parent)
    assert (done.returncode, done.stderr) == (0, "")
    assert not (npy.parent / "taken").exists()


@pytest.fixture
def stand_in(tmp_path, monkeypatch):
    """Let children import another module in place of an installed one."""

    def install(name, content):
        (tmp_path / "modules").mkdir(exist_ok=True)
        (tmp_path / "modules" / f"{name}.py").write_text(content)
        monkeypatch.setenv("PYTHONPATH", str(tmp_path / "modules"))

    return install


@pytest.mark.parametrize(
    ("module", "suffix", "remedy"),
    [
        ("pyarrow", "parquet", r"needs PyArrow: pip install 'dualres\[formats\]'"),
        ("nptdms", "tdms", r"needs npTDMS: pip install 'dualres\[formats\]'"),
        ("pyuff", "uff", r"needs pyuff: pip install 'dualres\[formats\]'"),
        ("soundfile", "wav", "needs soundfile: pip install soundfile"),
    ],
)
def test_a_library_that_is_not_installed_is_named(tmp_path, guard, stand_in, module, suffix, remedy):
    stand_in(module, "raise ImportError")
    (tmp_path / f"a.{suffix}").write_bytes(b"something")
    with pytest.raises(RecordingError, match=rf"a\.{suffix}: reading .* {remedy}"):
        read(tmp_path / f"a.{suffix}", rate=1, guard=guard)


def test_a_library_that_lacks_one_of_the_systems_says_so(tmp_path, guard, stand_in):
    """On musl, soundfile is installed without libsndfile."""
    stand_in("soundfile", "raise OSError('libsndfile.so: cannot open')")
    (tmp_path / "a.wav").write_bytes(b"something")
    with pytest.raises(RecordingError, match=r"a\.wav: .* soundfile does not load; .* \(libsndfile\.so: cannot open\)"):
        read(tmp_path / "a.wav", rate=1, guard=guard)


def answer(header: str, samples: bytes = b"", sizes: tuple[int, int] | None = None) -> bytes:
    return struct.pack("<IQ", *(sizes or (len(header), len(samples)))) + header.encode() + samples


@pytest.mark.parametrize(
    "lie",
    [
        b"nonsense that is long enough to be two sizes",
        answer("", sizes=(2**32 - 1, 0)),
        answer('{"listing": [], "dtype": "f4"}', sizes=(30, 2**60)),
        answer("{"),
        answer("[" * 100_000),
        answer("[]"),
        answer("7"),
        answer("{}"),
        answer('{"listing": 3, "dtype": null}'),
        answer('{"listing": [["a", -1, "f", null]], "dtype": null}'),
        answer('{"listing": [["a", 2, "f", "1e999999999"]], "dtype": null}'),
        answer('{"listing": [["a", 2, "f", null, 7]], "dtype": null}'),
        answer('{"listing": [["a", 2, "f", null, null, 7]], "dtype": null}'),
        answer('{"listing": [["a", 2, "f", null, null, "g", "more"]], "dtype": null}'),
        answer('{"listing": [["a", 2, "f", null]], "dtype": "O"}', b"12345678"),
        answer('{"listing": [["a", 2, "f", null]], "dtype": "f4"}', b"1234567"),
    ],
)
def test_a_child_is_not_believed(tmp_path, guard, stand_in, lie):
    stand_in("soundfile", TAKEN_OVER.format(lie=lie))
    (tmp_path / "a.wav").write_bytes(b"RIFF")
    with pytest.raises(RecordingError, match=r"a\.wav: cannot be read as WAV: the file is damaged"):
        read(tmp_path / "a.wav", guard=guard)


def test_samples_must_be_as_many_as_announced(tmp_path, guard, stand_in):
    lie = answer('{"listing": [["a", 2, "f", "8000"]], "dtype": "f4"}', bytes(12))
    stand_in("soundfile", TAKEN_OVER.format(lie=lie))
    (tmp_path / "a.wav").write_bytes(b"RIFF")
    with pytest.raises(RecordingError, match=r"a\.wav: a could not be loaded"):
        read(tmp_path / "a.wav", guard=guard)


# What a file could do that has taken over the library which reads it: speak to the parent itself.
TAKEN_OVER = """
import os

def SoundFile(path):
    for stream in range(3, 10):
        try:
            os.write(stream, {lie!r})
        except OSError:
            pass
    os._exit(0)
"""


def test_an_installation_that_cannot_start_is_not_blamed_on_the_file(guard, npy, monkeypatch):
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(RecordingError, match=r"a\.npy: the process that is to read it does not start \(/bin/false\)"):
        read(npy, rate=1, guard=guard)
    assert guard.lost == 0


def test_an_interruption_leaves_nothing_behind(guard, endless, npy):
    read(npy, rate=1, guard=guard)
    child = pid(guard)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # others may ignore it
    threading.Timer(0.1, signal.pthread_kill, (threading.main_thread().ident, signal.SIGINT)).start()
    try:
        with pytest.raises(KeyboardInterrupt):
            guard.extract(endless, FORMATS["npy"], None)
    finally:
        signal.signal(signal.SIGINT, before)
    assert not running(child)
    assert read(npy, rate=1, guard=guard).signal.tolist() == X.tolist()


@pytest.mark.parametrize("speed", [0.0, -1.0, float("inf"), "fast", True, [30.0]])
def test_a_child_that_says_no_speed_is_not_believed(speed):
    assert _listed(["x", 5, "f", None, None, None, 30.0]).speed_hz == 30.0
    with pytest.raises(ValueError, match=r"^$"):
        _listed(["x", 5, "f", None, None, None, speed])
