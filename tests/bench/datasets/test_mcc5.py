import zipfile
from collections import Counter

import numpy as np
import pytest

from dualres.bench.datasets import mcc5
from dualres.bench.datasets.folds import load_fold
from dualres.bench.datasets.mcc5 import RELEASE
from dualres.errors import RecordingError
from tests.bench.datasets.test_adapters import touch

COLUMNS = ["speed", "torque", *(f"{part}_vibration_{axis}" for part in ("motor", "gearbox") for axis in "xyz")]
LABELS = {
    "health": "healthy",
    "miss_teeth": "missing_teeth",
    "gear_wear": "wear",
    "gear_pitting": "pitting",
    "teeth_crack": "crack",
    "teeth_break": "break",
    "teeth_break_and_bearing_inner": "break+inner",
    "teeth_break_and_bearing_outer": "break+outer",
}
STATES = [f"{fault}_{s}" for fault in list(LABELS)[2:] for s in "LMH"] + ["health", "miss_teeth"]
SPEED = [f"speed_circulation_{nm}Nm-{rpm}rpm" for nm in (10, 20) for rpm in (1000, 2000, 3000)]
TORQUE = [f"torque_circulation_{rpm}rpm_{nm}Nm" for nm in (10, 20) for rpm in (1000, 2000, 3000)]
NAMES = [f"{state}_{condition}" for state in STATES for condition in SPEED + TORQUE]

FOLDER = "MCC5-THU gearbox fault diagnosis datasets"
HEALTHY, BROKEN, INNER = (
    f"{state}_speed_circulation_10Nm-1000rpm"
    for state in ("health", "teeth_break_L", "teeth_break_and_bearing_inner_L")
)


def table(seed=0, rows=50, columns=COLUMNS):
    """A csv file as released, and its column gearbox_vibration_x."""
    values = np.random.default_rng(seed).standard_normal((rows, len(columns)))
    lines = [",".join(columns), *(",".join(f"{v:.9f}" for v in row) for row in values)]
    wanted = values[:, columns.index("gearbox_vibration_x")] if "gearbox_vibration_x" in columns else None
    return "\n".join(lines) + "\n", wanted


def pack(path, members, method=zipfile.ZIP_DEFLATED):
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


def download(folder, tables):
    """The archive as it is downloaded: a zip in a zip, with what macOS leaves in one."""
    junk = {f"__MACOSX/{FOLDER}/._{name}.csv": b"\0\5\26\7" for name in tables}
    inner = pack(folder / "inner", {f"{FOLDER}/{name}.csv": text for name, text in tables.items()} | junk)
    packed = {f"{FOLDER}.zip": inner.read_bytes(), f"__MACOSX/._{FOLDER}.zip": b"\0\5\26\7"}
    inner.unlink()
    return pack(folder / "p92gj2732w-2.zip", packed)


def test_all_recordings_are_found(tmp_path):
    for name in NAMES:
        touch(tmp_path / FOLDER / f"{name}.csv", tmp_path / "__MACOSX" / FOLDER / f"._{name}.csv")
    index = RELEASE.index(tmp_path)
    assert len(NAMES) == 240
    assert sorted(e.id for e in index.entries) == sorted(NAMES)
    assert not index.left_out
    counts = dict.fromkeys(LABELS.values(), 36) | {"healthy": 12, "missing_teeth": 12}
    assert Counter(e.label for e in index.entries) == counts
    assert {e.component for e in index.entries} == set(STATES)


@pytest.mark.parametrize("columns", [COLUMNS, COLUMNS[::-1], [f" {c}" for c in COLUMNS]], ids=["", "turned", "spaced"])
def test_the_column_is_found_by_its_name(tmp_path, columns):
    values = np.random.default_rng(1).standard_normal((50, 8))
    lines = [",".join(columns), *(",".join(map(str, row)) for row in values)]
    (tmp_path / f"{HEALTHY}.csv").write_text("\r\n".join(lines), encoding="utf-8-sig")
    (entry,) = RELEASE.index(tmp_path).entries
    signal = entry.read()
    wanted = [c.strip() for c in columns].index("gearbox_vibration_x")
    assert signal.dtype == np.float32
    assert np.array_equal(signal, values[:, wanted].astype(np.float32))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (table(columns=COLUMNS[:5])[0], "no column gearbox_vibration_x in its header, which reads 'speed,torque"),
        ("", "no column gearbox_vibration_x"),
        (table(rows=0)[0], "no samples"),
        (table(rows=3)[0] + "0.5,0.25\n", "damaged below its header"),
        (table(rows=3)[0] + "1,2,3,4,5,broken,7,8\n", "damaged below its header"),
        (table(rows=3)[0] + "1,2,3,4,5,nan,7,8\n", "1 samples are NaN"),
        (b"\xff\xfe\x00PK\x03\x04", "no column gearbox_vibration_x"),
    ],
    ids=["columns", "empty", "rows", "short row", "text", "nan", "binary"],
)
def test_a_damaged_file_is_named(tmp_path, content, message):
    path = tmp_path / f"{HEALTHY}.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    (entry,) = RELEASE.index(tmp_path).entries
    with pytest.raises(RecordingError, match=rf"{HEALTHY}\.csv: .*{message}"):
        entry.read()


@pytest.mark.parametrize("whole", [True, False], ids=["the archive", "its folder"])
def test_the_archive_is_read_as_downloaded(tmp_path, whole):
    tables = {name: table(seed) for seed, name in enumerate((HEALTHY, BROKEN, INNER))}
    archive = download(tmp_path, {name: text for name, (text, _) in tables.items()})
    index = RELEASE.index(archive if whole else tmp_path)
    assert {e.id: e.label for e in index.entries} == {HEALTHY: "healthy", BROKEN: "break", INNER: "break+inner"}
    assert not index.left_out
    for entry in index.entries:
        assert entry.path == archive
        assert np.array_equal(entry.read(), tables[entry.id][1].round(9).astype(np.float32))
    assert [p.name for p in tmp_path.iterdir()] == [archive.name]


def test_an_archive_that_holds_the_files_themselves_is_read(tmp_path):
    text, wanted = table()
    archive = pack(tmp_path / f"{FOLDER}.zip", {f"{FOLDER}/{HEALTHY}.csv": text, f"{FOLDER}/notes.csv": "a,b\n"})
    index = RELEASE.index(tmp_path)
    (entry,) = index.entries
    assert np.array_equal(entry.read(), wanted.round(9).astype(np.float32))
    assert index.left_out == ((archive, f"{FOLDER}/notes.csv in it: no recording of the release has this name"),)


def test_extracted_files_go_before_the_archive_beside_them(tmp_path):
    archive = download(tmp_path, {HEALTHY: table()[0], BROKEN: table()[0]})
    touch(tmp_path / FOLDER / f"{HEALTHY}.csv")
    index = RELEASE.index(tmp_path)
    assert [e.path for e in index.entries] == [tmp_path / FOLDER / f"{HEALTHY}.csv"]
    assert index.left_out == ((archive, "not opened, for there are extracted files"),)


def test_inflated_inner_archives_are_refused_unread(tmp_path):
    archive = pack(tmp_path / "bomb.zip", {f"{i}.zip": bytes(2**20) for i in range(4)})
    with pytest.raises(RecordingError, match=r"bomb\.zip: the archives in it claim 4194304 bytes"):
        RELEASE.index(archive)


def test_an_inflated_recording_is_refused_unread(tmp_path, monkeypatch):
    monkeypatch.setattr(mcc5, "MOST_CSV_BYTES", 2**20)
    archive = pack(tmp_path / "bomb.zip", {f"{HEALTHY}.csv": bytes(2**20 + 1)})
    (entry,) = RELEASE.index(archive).entries
    with pytest.raises(RecordingError, match=rf"bomb\.zip, {HEALTHY}\.csv: claims 1048577 bytes"):
        entry.read()


@pytest.mark.parametrize("inner", [False, True], ids=["the archive", "one inside it"])
def test_what_is_no_archive_is_named(tmp_path, inner):
    path = tmp_path / "p92gj2732w-2.zip"
    if inner:
        pack(path, {f"{FOLDER}.zip": b"an error page"})
    else:
        path.write_bytes(b"an error page")
    with pytest.raises(RecordingError, match=r"p92gj2732w-2\.zip: cannot be opened .*download it again"):
        RELEASE.index(tmp_path)


def test_a_damaged_member_is_named(tmp_path):
    archive = pack(tmp_path / "mcc5.zip", {f"{HEALTHY}.csv": table()[0]}, zipfile.ZIP_STORED)
    content = bytearray(archive.read_bytes())
    content[content.index(b"gearbox_vibration_z\n") + 25] ^= 1  # a digit becomes another
    archive.write_bytes(content)
    (entry,) = RELEASE.index(archive).entries
    with pytest.raises(RecordingError, match=rf"mcc5\.zip, {HEALTHY}\.csv: damaged .*CRC"):
        entry.read()


def test_a_recording_that_is_twice_in_an_archive_is_refused(tmp_path):
    archive = pack(tmp_path / "mcc5.zip", {f"{folder}/{HEALTHY}.csv": "" for folder in "ab"})
    with pytest.raises(RecordingError, match=rf"{HEALTHY} is there twice"):
        RELEASE.index(archive)


# The order in which conditions enter a support, (rpm, Nm).
ORDER = {
    "M1": [(1000, 10), (3000, 20), (2000, 10), (1000, 20), (3000, 10), (2000, 20)],
    "M2": [(3000, 20), (1000, 10), (2000, 10), (1000, 20), (3000, 10), (2000, 20)],
}


@pytest.mark.parametrize(
    ("name", "severity", "condition", "evaluated"),
    [
        ("M1", "L", "torque_circulation_{rpm}rpm_{nm}Nm", SPEED),
        ("M2", "H", "speed_circulation_{nm}Nm-{rpm}rpm", TORQUE),
    ],
)
def test_the_folds_follow_their_rule(name, severity, condition, evaluated):
    fold = load_fold(name)
    conditions = [condition.format(rpm=rpm, nm=nm) for rpm, nm in ORDER[name]]
    for state, label in LABELS.items():
        grade = "" if state in ("health", "miss_teeth") else f"_{severity}"
        assert list(fold.support[label]) == [f"{state}{grade}_{c}" for c in conditions]
    assert set(fold.evaluation) == {f"{state}_{c}" for state in STATES for c in evaluated}
