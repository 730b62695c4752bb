import hashlib
import os
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
import soundfile
from scipy.io import savemat

from dualres.errors import ConfigError, RecordingError
from dualres.recordings.formats.registry import FORMATS
from dualres.recordings.readers import IN_MEMORY, OnDisk, checked, read, signals
from dualres.recordings.speed import Speed
from tests.recordings.axes_files import RATE, three, write_csv, write_mat, write_npy, write_wav

X = np.array([0.0, 1.5, -2.0, 12345.0])


@pytest.fixture
def wav(tmp_path):
    soundfile.write(tmp_path / "run 7.wav", np.array([0, 12345, -1], dtype=np.int16), 44_100)
    return tmp_path / "run 7.wav"


@pytest.fixture
def csv(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("FE,DE\n0,1\n1,-2.5\n")
    return path


def test_a_recording_says_where_it_comes_from_and_outlives_its_file(wav):
    recording = read(str(wav))
    assert (recording.id, recording.rate) == ("run 7", Fraction(44_100))
    assert (recording.origin.path, recording.origin.channel) == (wav, "channel 1")
    assert recording.origin.sha256 == hashlib.sha256(wav.read_bytes()).hexdigest()
    assert recording.signal.dtype == np.float32
    assert recording.signal.tolist() == [0, 12345, -1]
    recording = read(wav)
    wav.unlink()
    assert recording.signal.tolist() == [0, 12345, -1]


@pytest.mark.parametrize(
    ("given", "exact"),
    [
        (66666.7, Fraction(666667, 10)),
        ("200000/3", Fraction(200_000, 3)),
        (Fraction(200_000, 3), Fraction(200_000, 3)),
        (48_000, Fraction(48_000)),
        (np.float64(0.1), Fraction(1, 10)),
        ("51.2e3", Fraction(51_200)),
    ],
)
def test_a_given_rate_is_exact(csv, given, exact):
    assert read(csv, "DE", given).rate == exact


@pytest.mark.parametrize("given", [0, -1, float("nan"), float("inf"), "1/0", "fast", ""])
def test_a_rate_that_is_none_is_refused(csv, given):
    with pytest.raises(ConfigError, match=r"is no number of Hz"):
        read(csv, "DE", given)


def test_a_rate_is_never_guessed_and_two_must_agree(csv, wav):
    with pytest.raises(RecordingError, match=r"a\.csv: the file does not say its sampling rate; give it in Hz"):
        read(csv, "DE")
    assert read(wav, rate=44_100.0).rate == 44_100
    with pytest.raises(RecordingError, match=r"run 7\.wav: the file says 44100 Hz, but rate=48000 was given"):
        read(wav, rate=48_000)


def test_a_rate_is_asked_for_before_a_long_file_is_gone_through(tmp_path):
    np.save(tmp_path / "a.npy", np.zeros(IN_MEMORY + 1, np.int8))
    with pytest.raises(RecordingError, match="does not say its sampling rate"):
        read(tmp_path / "a.npy")
    with pytest.raises(RecordingError, match="the signal is constant"):
        read(tmp_path / "a.npy", rate=1)


def test_several_signals_call_for_a_choice(csv):
    assert signals(csv) == {"FE": 2, "DE": 2}
    with pytest.raises(
        RecordingError, match=r'a\.csv: there are 2 signals in it; choose one by its name \(channel="...", --channel\)'
    ):
        read(csv, rate=1)
    with pytest.raises(RecordingError, match=r"a\.csv: there is no signal called XE in it; .*FE \(2 samples\), DE"):
        read(csv, "XE", 1)
    assert read(csv, "DE", 1).signal.tolist() == [1, -2.5]


def test_matlab_channels_go_by_their_last_part(tmp_path):
    path = tmp_path / "a.mat"
    savemat(path, {"run": {"vibration": X, "force": -X}, "fs": 48_000})
    assert signals(path) == {"run.vibration": 4, "run.force": 4}
    recording = read(path, "force", 48_000)
    assert recording.origin.channel == "run.force"
    assert recording.signal.tolist() == (-X).tolist()
    assert read(path, "force").rate == 48_000
    with pytest.raises(RecordingError, match=r"a\.mat: the file says 48000 Hz, but rate=12000 was given"):
        read(path, "force", 12_000)


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (np.array([0, np.nan, np.nan, 1]), "2 of 4 samples are NaN, the first is number 1"),
        (np.array([0, 1, -np.inf], dtype=np.float32), "1 of 3 samples are infinite, the first is number 2"),
        (np.array([0, 1e39]), r"it has samples beyond 3\.4e38"),
        (np.full(5, 3.5), r"the signal is constant, all 5 samples are 3\.5; was the sensor connected"),
        (np.array([1e-60, 2e-60]), "the signal is constant, all 2 samples are 0"),
        (np.zeros(0), "array holds no samples"),
        (np.zeros(1), "array holds a single sample"),
        (np.array(1.0), "array holds a single sample"),
        (X + 1j, "array is complex"),
        (np.array(["a", "b"]), "array holds something other than numbers"),
        (np.array(["2020-01-01", "2020-01-02"], dtype="M8[D]"), "array holds something other than numbers"),
        (np.zeros((2, 3, 4)), "cannot be read as NumPy: its array has 3 dimensions"),
    ],
)
def test_unusable_samples_are_refused_with_the_reason(tmp_path, array, message):
    np.save(tmp_path / "a.npy", array)
    with pytest.raises(RecordingError, match=rf"a\.npy: {message}"):
        read(tmp_path / "a.npy", rate=1)


def test_text_that_is_no_table_and_a_damaged_file_are_refused(tmp_path):
    (tmp_path / "a.txt").write_text("1\n2\nthree\n")
    with pytest.raises(RecordingError, match=r"a\.txt: cannot be read as text: could not convert string 'three'"):
        read(tmp_path / "a.txt", rate=1)
    for suffix in ("wav", "flac", "npy", "mat"):
        path = tmp_path / f"a.{suffix}"
        path.write_bytes(b"this is none of it" * 20)
        with pytest.raises(RecordingError, match=rf"a\.{suffix}: cannot be read as "):
            read(path, rate=1)


def test_what_is_no_file_is_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe.wav")
    (tmp_path / "folder.wav").mkdir()
    (tmp_path / "a.mp3").write_bytes(b"")
    for name, message in {
        "nowhere.wav": "there is no such file",
        "pipe.wav": "is not a regular file",
        "folder.wav": "is a folder; give a file",
        "a.mp3": r"files ending in \.mp3 are not read; these are: \.aif, ",
    }.items():
        for call in (read, signals):
            with pytest.raises(RecordingError, match=rf"{name}: {message}"):
                call(tmp_path / name)


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="a file of the system is needed")
def test_a_file_of_the_system_and_one_that_cannot_be_opened_are_refused(tmp_path):
    (tmp_path / "a.wav").symlink_to("/proc/self/mem")
    with pytest.raises(RecordingError, match=r"a\.wav: leads to /proc/\d+/mem, which is the system's"):
        read(tmp_path / "a.wav")
    with pytest.raises(RecordingError, match=r"cannot be read \(File name too long\)"):
        read(tmp_path / f"{'a' * 300}.wav")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission_is_refused(wav):
    wav.chmod(0)
    with pytest.raises(RecordingError, match=r"run 7\.wav: cannot be read \(Permission denied\)"):
        read(wav)


FILE = Path("a.wav")


def blocks(*values, dtype=np.float64):
    return [np.array(block, dtype=dtype) for block in values]


def test_blocks_come_as_float32_in_their_order_and_uncopied():
    found = list(checked(FILE, blocks([1, 2], [3], dtype=">i2")))
    assert [block.tolist() for block in found] == [[1, 2], [3]]
    assert all(block.dtype == np.float32 for block in found)
    (block,) = blocks([1, 2], dtype=np.float32)
    assert next(checked(FILE, [block])) is block
    assert len(list(checked(FILE, blocks([1, 1], [2, 2])))) == 2


@pytest.mark.parametrize(
    ("vectors", "message"),
    [
        (blocks([0, 1], [np.nan, 2], [3, np.nan]), "2 of 6 samples are NaN, the first is number 2"),
        (blocks([0, np.inf], [np.nan, -np.inf]), "1 of 4 samples are NaN, the first is number 2"),
        (blocks([0, 1], [-np.inf], [1, np.inf]), "2 of 5 samples are infinite, the first is number 2"),
        (blocks([0, 1], [1e39], [2]), r"it has samples beyond 3\.4e38"),
        (blocks([1e39], [np.nan]), "1 of 2 samples are NaN, the first is number 1"),
        (blocks([2.5, 2.5], [2.5]), r"the signal is constant, all 3 samples are 2\.5; was the sensor connected"),
    ],
)
def test_what_is_wrong_is_told_of_the_whole_signal(vectors, message):
    with pytest.raises(RecordingError, match=rf"a\.wav: {message}"):
        list(checked(FILE, vectors))


def test_nothing_unusable_is_handed_out():
    handed = []
    with pytest.raises(RecordingError, match="NaN"):
        handed.extend(checked(FILE, blocks([0, 1], [np.nan], [2, 3])))
    assert [block.tolist() for block in handed] == [[0, 1]]


@pytest.mark.parametrize(
    ("made", "channel", "names"),
    [
        (write_csv, "x,y,z", ("x", "y", "z")),
        (write_csv, "X; Y ;z", ("x", "y", "z")),
        (write_csv, ["x", "y", "z"], ("x", "y", "z")),
        (write_csv, "1,2,3", ("x", "y", "z")),
        (write_csv, "all", ("x", "y", "z")),  # time is none of them
        (write_wav, "1,2,3", ("channel 1", "channel 2", "channel 3")),
        (write_wav, "all", ("channel 1", "channel 2", "channel 3")),
        (write_mat, "x,y,z", ("x", "y", "z")),
        (write_mat, "all", ("x", "y", "z")),
        (write_npy, "all", ("array[0]", "array[1]", "array[2]")),
    ],
)
def test_several_axes_of_a_file_are_one_recording(tmp_path, made, channel, names):
    path = made(tmp_path / f"run 7.{made.__name__.removeprefix('write_')}", three())
    recording = read(path, channel, RATE if made is write_npy else None)
    assert (recording.id, recording.rate, recording.length) == ("run 7", RATE, 9000)
    assert recording.channels == names
    for axis, expected in zip(recording.axes, three(), strict=True):
        np.testing.assert_array_equal(axis.signal, expected)
        assert (axis.id, axis.origin.path) == ("run 7", path)
    assert recording.origin.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()


def test_axes_come_in_the_order_in_which_they_are_asked_for(tmp_path):
    recording = read(write_csv(tmp_path / "a.csv", three()), "z,x")
    assert [axis.signal[0] for axis in recording.axes] == [three()[2, 0], three()[0, 0]]


def test_a_name_with_a_comma_is_one_name(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text('"accel, x";b\n0;1\n1;-2.5\n2;3\n')
    assert read(path, "accel, x", 1000).origin.channel == "accel, x"
    assert read(path, ["accel, x", "b"], 1000).channels == ("accel, x", "b")


def test_all_signals_of_a_file_with_one_are_one_signal(wav):
    assert read(wav, "all").axes == ()
    assert read(wav, ["channel 1"]).axes == ()


@pytest.mark.parametrize(
    ("channel", "reason"),
    [
        ("x,q", "a.csv: there is no signal called q in it; choose one by its name .*: x .9000 samples., y"),
        ("x,x", "a.csv: two axes are called x"),
        ("x,time", "a.csv: time is time, and no signal"),
    ],
)
def test_axes_that_a_file_does_not_have_are_named(tmp_path, channel, reason):
    path = write_csv(tmp_path / "a.csv", three())
    with pytest.raises(RecordingError, match=reason):
        read(path, channel)


def test_axes_that_are_not_aligned_are_named_with_their_file(tmp_path):
    savemat(tmp_path / "a.mat", {"x": three()[0], "y": three(8000)[0], "fs": 8000.0})
    with pytest.raises(
        RecordingError, match=r"a.mat: x \(9000 samples at 8000 Hz\) and y \(8000 samples .*; choose signals"
    ):
        read(tmp_path / "a.mat", "all")
    signals = three()
    signals[1] = 4.0
    with pytest.raises(
        RecordingError, match=r"b.csv: y: the signal is constant, all 9000 samples are 4; was the sensor"
    ):
        read(write_csv(tmp_path / "b.csv", signals), "all")


def test_text_of_several_axes_is_parsed_once(tmp_path, monkeypatch):
    path, parsed, parse = write_csv(tmp_path / "a.csv", three()), [], FORMATS["text"].parse
    counting = replace(FORMATS["text"], parse=lambda path: parsed.append(path) or parse(path))
    monkeypatch.setitem(FORMATS, "text", counting)
    assert len(read(path, "all").axes) == 3
    assert parsed == [path]


def test_long_axes_stay_on_disk(tmp_path):
    signals = three(IN_MEMORY + 5)
    recording = read(write_npy(tmp_path / "a.npy", signals), "all", RATE)
    assert [type(axis.load) for axis in recording.axes] == [OnDisk] * 3
    np.testing.assert_array_equal(next(recording.axes[1].blocks(600)), signals[1, :600])


def test_a_file_is_hashed_when_somebody_asks_and_not_after_it_changed(tmp_path):
    path = write_wav(tmp_path / "a.wav", three()[:1])
    one, other = read(path), read(path)
    assert one == other
    assert one.origin.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    path.write_bytes(path.read_bytes() + b"more")
    assert one.origin.sha256 == one.origin.sha256, "it is kept"
    with pytest.raises(RecordingError, match=r"a\.wav: has changed since it was first read"):
        _ = other.origin.sha256
    path.unlink()
    with pytest.raises(RecordingError, match=r"a\.wav: can no longer be read"):
        _ = other.origin.sha256


def test_a_speed_is_stated_beside_the_path(tmp_path):
    np.savez(tmp_path / "a.npz", x=np.arange(50.0), fs=100.0)
    np.savez(tmp_path / "b.npz", x=np.arange(50.0), fs=100.0, rpm=1797.0)
    assert read(tmp_path / "a.npz").speed is None
    assert read(tmp_path / "a.npz", speed=1500).speed == Speed((25.0,))
    assert read(tmp_path / "a.npz", speed="29.95Hz").speed == Speed((29.95,))
    assert read(tmp_path / "b.npz", speed="none").speedless
    with pytest.raises(RecordingError, match="given as 1500 rpm, and the file says 1797 rpm"):
        read(tmp_path / "b.npz", speed=1500)
