"""The Paderborn adapter, on files written as the release's are; the release itself is not at hand."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from scipy.io import savemat

from dualres.bench.datasets import paderborn
from dualres.bench.datasets.folds import load_fold
from dualres.errors import RecordingError

SETTINGS = ["N15_M07_F10", "N09_M07_F10", "N15_M01_F10", "N15_M07_F04"]
CHANNELS = ["force", "phase_current_1", "phase_current_2", "speed", "temp_2_bearing_module", "torque", "vibration_1"]
ARTIFICIAL = {"KA01", "KA03", "KA05", "KA06", "KA07", "KA08", "KA09", "KI01", "KI03", "KI05", "KI07", "KI08"}
REAL = {"KA04", "KA15", "KA16", "KA22", "KI04", "KI14", "KI16", "KI17", "KI18"}
HEALTHY = {"K002", "K003", "K004", "K005", "K006"}
REFUSED = {"K001", "KA30", "KI21", "KB23", "KB24", "KB27"}
RATES = {"force": 4, "speed": 4, "torque": 4, "temp_2_bearing_module": 1}  # lengths below, in place of kHz


def structs(fields):
    """A MATLAB struct array of one row from a list of dictionaries."""
    array = np.empty((1, len(fields)), dtype=[(key, object) for key in fields[0]])
    for i, field in enumerate(fields):
        array[0, i] = tuple(field.values())
    return array


def write(folder: Path, stem: str, channels=CHANNELS, samples=640) -> np.ndarray:
    """A file in the release's structure, in the folder of its bearing; returns its vibration."""
    path = folder / stem.split("_")[3] / f"{stem}.mat"
    path.parent.mkdir(parents=True, exist_ok=True)
    noise = np.random.default_rng(len(stem))
    data = {c: noise.normal(size=(1, RATES.get(c, samples))) for c in channels}
    content = {
        "Info": {"Name": stem, "Date": "2015"},
        "X": structs([{"Name": "Time", "Raster": "HostService", "Data": np.arange(samples, dtype=float)[None]}]),
        "Y": structs([{"Name": c, "Type": 4, "Raster": "HostService", "Data": d} for c, d in data.items()]),
        "Description": {"Measurement": {"Length": 4.0}},
    }
    savemat(path, {stem: content}, do_compression=True)
    return data.get("vibration_1", np.empty((1, 0)))[0]


def garbage(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"this is no MATLAB file")
    return path


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The index of a release with all its names; nothing in it could be read."""
    folder = tmp_path_factory.mktemp("paderborn")
    for bearing in ARTIFICIAL | REAL | HEALTHY | REFUSED:
        for setting in SETTINGS:
            for repeat in range(1, 21):
                garbage(folder / bearing / f"{setting}_{bearing}_{repeat}.mat")
    return paderborn.RELEASE.index(folder)


def test_a_recording_is_known_by_its_name_and_read_by_its_channel_s(tmp_path):
    vibration = write(tmp_path, "N09_M07_F10_KI14_12")
    (entry,) = paderborn.RELEASE.index(tmp_path).entries
    assert (entry.id, entry.label, entry.component) == ("N09_M07_F10_KI14_12", "inner", "KI14")
    assert entry.condition == {"setting": "N09_M07_F10", "repeat": "12", "damage": "real"}
    assert entry.path == tmp_path / "KI14" / "N09_M07_F10_KI14_12.mat"
    signal = entry.read()
    assert signal.dtype == np.float32
    assert np.array_equal(signal, vibration.astype(np.float32))


def test_the_order_of_the_channels_does_not_matter(tmp_path):
    vibration = write(tmp_path, "N15_M07_F10_K002_1", channels=CHANNELS[::-1])
    (entry,) = paderborn.RELEASE.index(tmp_path).entries
    assert np.array_equal(entry.read(), vibration.astype(np.float32))


def test_lengths_may_differ(tmp_path):
    write(tmp_path, "N15_M07_F10_KA04_1", samples=640)
    write(tmp_path, "N15_M07_F10_KA04_2", samples=747)
    assert [len(e.read()) for e in paderborn.RELEASE.index(tmp_path).entries] == [640, 747]


def test_a_file_without_the_channel_is_named(tmp_path):
    write(tmp_path, "N15_M07_F10_KA04_1", channels=CHANNELS[:-1])
    (entry,) = paderborn.RELEASE.index(tmp_path).entries
    with pytest.raises(RecordingError, match=r"N15_M07_F10_KA04_1\.mat"):
        entry.read()


def test_the_whole_release_is_accounted_for(whole):
    assert len(whole.entries) + len(whole.left_out) == 32 * 4 * 20
    labels = {e.component: (e.label, e.condition["damage"]) for e in whole.entries}
    assert set(labels) == ARTIFICIAL | REAL | HEALTHY
    for bearing, state in labels.items():
        ring = {"KA": "outer", "KI": "inner"}.get(bearing[:2], "healthy")
        damage = "artificial" if bearing in ARTIFICIAL else "real" if bearing in REAL else "none"
        assert state == (ring, damage)
    per_bearing = Counter(e.component for e in whole.entries)
    assert per_bearing.pop("KA08") == 79
    assert set(per_bearing.values()) == {80}


def test_reserved_and_foreign_bearings_are_refused_by_name_alone(whole):
    reasons = Counter(reason for _, reason in whole.left_out)
    truncated = reasons.pop("the official archive holds it truncated: its vibration stops after 190,937 samples")
    assert truncated == 1
    assert reasons == {
        **{f"{b} is reserved for a later confirmation": 80 for b in ("K001", "KA30", "KI21", "KB23")},
        **{f"{b} is damaged on both rings, which is outside the task": 80 for b in ("KB24", "KB27")},
    }
    (path,) = (p for p, reason in whole.left_out if "truncated" in reason)
    assert path.name == "N15_M01_F10_KA08_2.mat"


def test_faulty_recordings_stay_closed(tmp_path):
    write(tmp_path, "N15_M07_F10_KI04_1")
    faulty = garbage(tmp_path / "KI04" / "Fehlerhaft" / "N15_M07_F10_KI04_1.mat")
    index = paderborn.RELEASE.index(tmp_path)
    assert [e.path.parent.name for e in index.entries] == ["KI04"]
    assert index.left_out == ((faulty, "Fehlerhaft holds recordings whose vibration amplifier was off"),)


def test_packed_archives_ask_to_be_unpacked(tmp_path):
    garbage(tmp_path / "KA04.rar")
    with pytest.raises(RecordingError, match=r"KA04.rar: still packed; unpack .* unar or unrar"):
        paderborn.RELEASE.index(tmp_path)
    write(tmp_path, "N15_M07_F10_KA04_1")
    garbage(tmp_path / "K001.rar")  # reserved: it may stay packed
    assert len(paderborn.RELEASE.index(tmp_path).entries) == 1
    garbage(tmp_path / "KI04.rar")
    garbage(tmp_path / "KI14.rar")
    with pytest.raises(RecordingError, match=r"KI04.rar: still packed, and 1 more; unpack"):
        paderborn.RELEASE.index(tmp_path)


def test_a_folder_with_nothing_of_the_task(tmp_path):
    garbage(tmp_path / "K001" / "N15_M07_F10_K001_1.mat")
    with pytest.raises(RecordingError, match="K001 is reserved"):
        paderborn.RELEASE.index(tmp_path)


@pytest.mark.parametrize(
    ("name", "healthy", "damage"),
    [("B1", {"K003", "K004", "K005", "K006"}, "real"), ("B2", {"K002", "K004", "K005", "K006"}, "artificial")],
)
def test_the_folds_follow_their_rule(whole, name, healthy, damage):
    of_rule = (e for e in whole.entries if e.component in healthy or e.condition["damage"] == damage)
    assert set(load_fold(name).evaluation) == {e.id for e in of_rule if int(e.condition["repeat"]) <= 5}
