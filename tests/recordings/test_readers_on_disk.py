import os
import pickle
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import soundfile

from dualres.errors import RecordingError
from dualres.recordings import readers
from dualres.recordings.formats.registry import format_of, pick
from dualres.recordings.formats.sandbox import SHARED, Guard
from dualres.recordings.readers import IN_MEMORY, OnDisk, read
from dualres.recordings.recording import BLOCK, Recording

LENGTH = IN_MEMORY + 54_321


@pytest.fixture(scope="module")
def counts():
    """A signal too long to be held in memory, in two channels."""
    return np.random.default_rng(0).integers(-3000, 3000, (LENGTH, 2), dtype=np.int16)


@pytest.fixture
def npy(tmp_path, counts):
    np.save(tmp_path / "a.npy", counts[:, 0])
    return tmp_path / "a.npy"


def write_sound(subtype):
    return lambda path, counts: soundfile.write(path, counts, 25_600, subtype)


@pytest.mark.parametrize(
    ("name", "channel", "write"),
    [
        ("a.wav", "channel 2", write_sound("PCM_16")),
        ("a.wav", "channel 1", write_sound("PCM_24")),
        ("a.wav", "channel 2", write_sound("FLOAT")),
        ("a.flac", "channel 2", write_sound("PCM_16")),
        ("mono.flac", None, lambda path, counts: soundfile.write(path, counts[:, 1], 25_600)),
        ("mono.npy", None, lambda path, counts: np.save(path, counts[:, 0].astype(">f8") / 7)),
        ("a.npy", "array[1]", np.save),
        ("turned.npy", "array[1]", lambda path, counts: np.save(path, counts.T)),
    ],
)
def test_a_long_file_is_read_in_blocks_as_if_at_once(tmp_path, counts, name, channel, write):
    path = tmp_path / name
    write(path, counts)
    rate = None if path.suffix != ".npy" else 25_600
    recording = read(path, channel, rate)
    at_once = pick(format_of(path).parse(path), channel)[1].astype(np.float32)
    assert isinstance(recording.load, OnDisk)
    assert (recording.length, recording.rate) == (LENGTH, 25_600)
    assert recording.mean == Recording.from_array(at_once, 1).mean
    for samples in (BLOCK, 300_007):
        blocks = list(recording.blocks(samples))
        assert {block.dtype for block in blocks} == {np.dtype(np.float32)}
        assert {len(block) for block in blocks[:-1]} == {samples}
        assert np.array_equal(np.concatenate(blocks), at_once)
    assert np.array_equal(recording.signal, at_once)


def test_two_may_read_in_turns(npy, tmp_path, counts):
    np.save(tmp_path / "b.npy", -counts[:, 1])
    for first, second in zip(read(npy, rate=1).blocks(), read(tmp_path / "b.npy", rate=1).blocks(), strict=True):
        assert len(first) == len(second)
        assert not np.array_equal(first, second)
    same = read(npy, rate=1)
    assert all(np.array_equal(*pair) for pair in zip(same.blocks(), same.blocks(), strict=True))


def test_only_long_files_stay_on_disk(tmp_path, counts):
    for length in (BLOCK, BLOCK + 1, IN_MEMORY):
        np.save(tmp_path / "a.npy", counts[:length, 0])
        recording = read(tmp_path / "a.npy", rate=1)
        (tmp_path / "a.npy").unlink()
        assert recording.length == length
        assert np.array_equal(recording.signal, counts[:length, 0])
        assert np.array_equal(pickle.loads(pickle.dumps(recording)).signal, recording.signal)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda x: x.__setitem__([-1, -9], np.nan),
            rf"2 of {LENGTH} samples are NaN, the first is number {LENGTH - 9}",
        ),
        (lambda x: x.__setitem__(BLOCK + 3, np.inf), rf"1 of {LENGTH} samples are infinite, .* number {BLOCK + 3}"),
        (lambda x: x.__setitem__(-1, 1e39), r"it has samples beyond 3\.4e38"),
        (lambda x: x.fill(0.5), rf"the signal is constant, all {LENGTH} samples are 0\.5"),
    ],
)
def test_unusable_samples_are_found_when_the_file_is_first_read(tmp_path, counts, change, message):
    signal = counts[:, 0].astype(np.float64)
    change(signal)
    np.save(tmp_path / "a.npy", signal)
    with pytest.raises(RecordingError, match=rf"a\.npy: {message}"):
        read(tmp_path / "a.npy", rate=1)


@pytest.mark.parametrize("suffix", ["flac", "npy"])
def test_a_file_that_ends_early_is_refused_when_it_is_first_read(tmp_path, counts, suffix):
    path = tmp_path / f"a.{suffix}"
    if suffix == "npy":
        np.save(path, counts[:, 0])
    else:
        soundfile.write(path, counts[:, 0], 8000)
    os.truncate(path, path.stat().st_size - 20_000)
    with pytest.raises(RecordingError, match=rf"a\.{suffix}: cannot be read as "):
        read(path, rate=8000)


def test_a_wav_file_that_ends_early_is_as_long_as_what_is_there(tmp_path, counts):
    soundfile.write(tmp_path / "a.wav", counts[:, 0], 8000)
    os.truncate(tmp_path / "a.wav", (tmp_path / "a.wav").stat().st_size - 20_000)
    recording = read(tmp_path / "a.wav")
    assert recording.length == LENGTH - 10_000
    assert np.array_equal(recording.signal, counts[:-10_000, 0])


def test_a_file_that_vanishes_is_missed(npy):
    recording = read(npy, rate=1)
    blocks = recording.blocks()
    next(blocks)
    npy.unlink()
    for use in (lambda: list(blocks), lambda: recording.signal, lambda: next(recording.blocks())):
        with pytest.raises(RecordingError, match=r"a\.npy: can no longer be read \(No such file or directory\); put"):
            use()


@pytest.mark.parametrize("change", ["touched", "cut", "replaced"])
def test_a_file_that_changes_is_noticed(npy, counts, change):
    recording = read(npy, rate=1)
    blocks = recording.blocks()
    next(blocks)
    if change == "touched":
        os.utime(npy, ns=(0, npy.stat().st_mtime_ns + 1))
    elif change == "cut":
        os.truncate(npy, 1000)
    else:
        np.save(npy.with_name("b.npy"), counts[:, 1])
        npy.with_name("b.npy").rename(npy)
    for use in (lambda: list(blocks), lambda: recording.signal):
        with pytest.raises(RecordingError, match=r"a\.npy: has changed since it was first read; read it again"):
            use()


def test_samples_must_be_as_many_as_announced(npy):
    longer = replace(read(npy, rate=1).load, length=LENGTH + 5)
    with pytest.raises(RecordingError, match=rf"a\.npy: array could not be loaded from sample {IN_MEMORY} on"):
        longer()


def test_a_change_before_the_first_reading_is_done_is_noticed(npy, monkeypatch):
    once = readers.OnDisk.vectors

    def vectors(self, start=0):
        os.utime(npy, ns=(0, npy.stat().st_mtime_ns + 1))
        return once(self, start)

    monkeypatch.setattr(readers.OnDisk, "vectors", vectors)
    with pytest.raises(RecordingError, match="has changed"):
        read(npy, rate=1)


def test_it_can_be_sent_to_another_process_and_folder(npy, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    recording = read("a.npy", rate=1)
    assert recording.origin.path == Path("a.npy")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    sent = pickle.loads(pickle.dumps(recording))
    assert sent == recording
    assert sent.load.guard is SHARED
    assert np.array_equal(sent.signal, recording.signal)


def test_few_bytes_cannot_keep_the_reader_busy_for_long(tmp_path, monkeypatch):
    """Each block comes in time, but there are more of them than the file's bytes can account for."""
    path = tmp_path / "a.flac"
    with soundfile.SoundFile(path, "w", 8000, 1) as file:
        for _ in range(240):
            file.write(np.zeros(BLOCK, np.int16))
    guard = Guard(seconds=0.25)
    with pytest.raises(RecordingError, match=r"a\.flac: cannot be read as FLAC: it was not done after 0\.25\d* s"):
        read(path, guard=guard)
    assert guard.late == 0
    monkeypatch.setattr(readers, "PACE", path.stat().st_size / 100)
    with pytest.raises(RecordingError, match="the signal is constant"):
        read(path, guard=guard)
    guard.close()


MEMORY = """
import sys
from dataclasses import replace
from pathlib import Path
from dualres.recordings.formats.sandbox import SHARED
from dualres.recordings.readers import read

def peak(process):  # bytes
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))

before = peak("self")
recording = read(sys.argv[1], "array[1]", 64_000)
length = sum(map(len, recording.blocks(65_536)))
assert length == recording.length
print(length, peak("self") - before, peak(SHARED._child._process.pid))
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the system does not tell a process's peak memory")
def test_memory_does_not_grow_with_the_file(tmp_path):
    rows = 25 << 20  # 200 MiB
    path = tmp_path / "a.npy"
    piece = np.random.default_rng(0).standard_normal((1 << 19, 2)).astype(np.float32)
    with path.open("wb") as file:
        layout = {"descr": "<f4", "fortran_order": False, "shape": (rows, 2)}
        np.lib.format.write_array_header_1_0(file, layout)
        for _ in range(rows // len(piece)):
            piece.tofile(file)
    done = subprocess.run([sys.executable, "-c", MEMORY, path], capture_output=True, text=True, check=True)
    length, parent, child = map(int, done.stdout.split())
    assert length == rows
    assert parent < 40 << 20
    assert child < 80 << 20  # of which half is Python with its libraries
