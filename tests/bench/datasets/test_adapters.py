"""What holds for every adapter: which files it takes, which it names, and the numbers of its folds."""

import csv
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from dualres.bench.datasets import catalog
from dualres.bench.datasets.folds import load_fold, names
from dualres.errors import RecordingError

HEALTHY = "health_speed_circulation_10Nm-1000rpm"
CONDITION = ("severity", "mode", "rpm", "torque")
FIRST = "N15_M07_F10_KA01_1"


def touch(*paths):
    for path in paths:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()


@pytest.mark.parametrize(
    ("dataset", "file", "said"),  # of the file: label, component and condition of its recording
    [
        ("hust", "IO602.mat", ("inner+outer", "IO 6206", {"geometry": "6206", "load": "200"})),
        ("kaist", "0Nm_Normal.mat", ("healthy", "Normal", {"load": "0", "severity": "-"})),
        ("kaist", "4Nm_BPFI_03.mat", ("inner", "BPFI_03", {"load": "4", "severity": "0.3 mm"})),
        ("kaist", "0Nm_BPFO_30.mat", ("outer", "BPFO_30", {"load": "0", "severity": "3.0 mm"})),
        ("kaist", "2Nm_Misalign_05.mat", ("misalignment", "Misalign_05", {"load": "2", "severity": "0.5 mm"})),
        ("kaist", "2Nm_Unbalance_0583mg.mat", ("unbalance", "Unbalance_0583mg", {"load": "2", "severity": "583 mg"})),
        ("ottawa", "B-C-1.mat", ("ball", "ball bearing", {"profile": "C", "trial": "1"})),
        ("ottawa", "C-B-1.mat", ("combined", "combined bearing", {"profile": "B", "trial": "1"})),
        ("ottawa", "B-B-2.mat", ("ball", "ball bearing", {"profile": "B", "trial": "2"})),
        (
            "mcc5",
            "teeth_break_and_bearing_outer_H_torque_circulation_2000rpm_20Nm.csv",
            (
                "break+outer",
                "teeth_break_and_bearing_outer_H",
                {"severity": "H", "mode": "torque", "rpm": "2000", "torque": "20"},
            ),
        ),
        *(
            ("mcc5", f"{state}_{mode}.csv", (label, state, dict(zip(CONDITION, condition, strict=True))))
            for state, mode, label, *condition in (
                ("gear_pitting_L", "speed_circulation_20Nm-3000rpm", "pitting", "L", "speed", "3000", "20"),
                ("miss_teeth", "torque_circulation_1000rpm_10Nm", "missing_teeth", "-", "torque", "1000", "10"),
                ("teeth_break_M", "torque_circulation_2000rpm_20Nm", "break", "M", "torque", "2000", "20"),
            )
        ),
    ],
)
def test_what_a_name_says(tmp_path, dataset, file, said):
    touch(tmp_path / "folder" / file)
    (entry,) = catalog.release(dataset).index(tmp_path).entries
    assert (entry.id, entry.path) == (Path(file).stem, tmp_path / "folder" / file)
    assert (entry.label, entry.component, entry.condition) == said


def test_a_misspelled_name_says_the_same(tmp_path):
    touch(tmp_path / "2Nm_Unbalalnce_0583mg.mat")
    (entry,) = catalog.release("kaist").index(tmp_path).entries
    assert (entry.id, entry.component) == ("2Nm_Unbalance_0583mg", "Unbalance_0583mg")


@pytest.mark.parametrize(
    ("dataset", "strangers", "message"),
    [
        ("hust", ["0.5X_B_65Hz.txt"], r"N400\.mat"),  # of the other set of this name
        ("kaist", ["vibration_normal_0.csv"], r"the 45 \.mat files"),  # of the second part, at varying speed
        ("ottawa", ["H-E-1.mat", "H-A-4.mat", "H_A_1.mat", "X-A-1.mat"], r"H-A-1\.mat"),
        ("paderborn", ["N15_M07_F10.mat"], rf"{FIRST}\.mat"),
        ("uored", ["1_CSV_Raw_Data_Files (.csv)/2_Inner_Race_Faults/I_1_2.csv"], r"the MatLab files I_1_2\.mat"),
        ("uestc", [], r"N_800\.npy"),
        ("cwru", [], r"the release's 97\.mat"),
        ("cwru_12k", [], r"the release's 105\.mat, or IR007_0\.npy"),
        ("phm2009", [], r"'helical 1_30hz_High_1\.zip'"),
        ("mcc5", ["readme.txt"], "the release's 240 csv files"),
    ],
)
def test_a_folder_without_any_says_what_was_looked_for(tmp_path, dataset, strangers, message):
    touch(*(tmp_path / name for name in strangers))
    index = catalog.release(dataset).index
    with pytest.raises(RecordingError, match=rf"{tmp_path.name}.*looked for .*{message}"):
        index(tmp_path)
    with pytest.raises(RecordingError, match="is not a folder"):
        index(tmp_path / "elsewhere")


@pytest.mark.parametrize(
    ("dataset", "files", "id"),
    [
        ("hust", ["v2/N400.mat", "v3/N400.mat"], "N400"),
        ("kaist", ["2Nm_Unbalalnce_0583mg.mat", "2Nm_Unbalance_0583mg.mat"], "2Nm_Unbalance_0583mg"),
        ("ottawa", ["version 1/I-A-1.mat", "version 2/I-A-1.mat"], "I-A-1"),
        ("uored", ["first/I_1_2.mat", "second/I_1_2.mat"], "I_1_2"),
        ("cwru", ["a/97.mat", "b/97.mat"], "Normal_0"),
        ("cwru_12k", ["105.mat", "signals/IR007_0.npy"], "IR007_0"),
        ("phm2009", ["a/helical 1_30hz_High_1.zip", "b/helical 1_30hz_High_1.zip"], "helical1_30hz_high_1"),
        ("mcc5", [f"a/{HEALTHY}.csv", f"b/{HEALTHY}.csv"], HEALTHY),
    ],
)
def test_a_recording_that_is_there_twice_is_refused(tmp_path, dataset, files, id):
    touch(*(tmp_path / name for name in files))
    with pytest.raises(RecordingError, match=f"{id} is there twice: .*{files[0]} and .*{files[1]}"):
        catalog.release(dataset).index(tmp_path)


NO_SUCH = "no recording of the release has this name"


@pytest.mark.parametrize(
    ("dataset", "known", "stranger", "reason"),
    [
        *(
            ("hust", "N400.mat", f"{name}.mat", NO_SUCH)
            for name in ("IO803", "B400", "IB404", "N900", "N412", "X500", "N4000")
        ),
        ("kaist", "0Nm_Normal.mat", "3Nm_Normal.mat", NO_SUCH),
        *(
            ("uored", "I_1_2.mat", f"{name}.mat", "the release has no recording of this name")
            for name in ("I_7_2", "H_3_1", "O_6_0", "H_21_0")
        ),
        ("paderborn", f"{FIRST}.mat", "N15_M07_F10_KA99_1.mat", "KA99 is not a bearing of the release"),
        *(
            ("mcc5", f"{HEALTHY}.csv", f"{name}.csv", NO_SUCH)
            for name in (
                "teeth_break_speed_circulation_10Nm-1000rpm",  # without its severity
                "health_L_speed_circulation_10Nm-1000rpm",
                "teeth_break_and_bearing_L_speed_circulation_10Nm-1000rpm",
                "health_speed_circulation_15Nm-1000rpm",
                "labels",
            )
        ),
    ],
)
def test_a_name_that_cannot_exist_is_left_out(tmp_path, dataset, known, stranger, reason):
    touch(tmp_path / known, tmp_path / stranger)
    index = catalog.release(dataset).index(tmp_path)
    assert [e.path for e in index.entries] == [tmp_path / known]
    ((path, told),) = index.left_out
    assert path == tmp_path / stranger
    assert told.startswith(reason)


@pytest.mark.parametrize(
    ("dataset", "name"),
    [("hust", "N400"), ("kaist", "0Nm_Normal"), ("ottawa", "H-A-1"), ("paderborn", FIRST), ("uored", "I_1_2")],
)
def test_a_damaged_file_is_named(tmp_path, dataset, name):
    (tmp_path / f"{name}.mat").write_bytes(b"this is no MATLAB file")
    (entry,) = catalog.release(dataset).index(tmp_path).entries
    with pytest.raises(RecordingError, match=rf"{name}\.mat"):
        entry.read()


FOLDS = {  # held-out unit, start of the support in s, step in windows, windows of a judged recording, recordings judged
    **dict.fromkeys(("H1", "H2"), ("geometry", 0, 0.5, 7, 42)),
    **dict.fromkeys(("K1", "K2"), ("load", 0, 0.5, 23, 15)),
    **dict.fromkeys(("O1", "O2"), ("speed profile", 0, 0.5, 35, 30)),  # 5 classes x 2 profiles x 3 trials
    "B1": ("bearing", 0, 0.5, None, 260),  # 4 healthy, 4 outer and 5 inner bearings, 4 settings, 5 repeats
    "B2": ("bearing", 0, 0.5, None, 319),  # 4 healthy, 7 outer and 5 inner, less the one truncated recording
    **dict.fromkeys(("U1", "U2"), ("bearing", 0, 0.5, 35, 16)),
    **dict.fromkeys(("C1", "C2"), ("load", 0, 0.5, 23, 14)),
    **dict.fromkeys(("M1", "M2"), ("motion mode", 15, 1.0, None, 120)),
    **dict.fromkeys(("P1", "P2"), ("repeat", 1, 1.0, None, 140)),
    **dict.fromkeys(("S1", "S2"), ("motion mode", 2, 1.0, 23, 120)),
    **dict.fromkeys(("D1", "D2"), ("bearing", 1, 1.0, None, 32)),
    "D3": ("load", 1, 1.0, None, 45),
    **dict.fromkeys(("E1", "E2", "E3", "E4"), ("speed", 1, 1.0, None, 12)),
}
CLASSES = {
    "hust": ("healthy", "inner", "outer", "ball", "inner+outer", "inner+ball", "outer+ball"),
    "kaist": ("healthy", "inner", "outer", "misalignment", "unbalance"),
    "ottawa": ("healthy", "inner", "outer", "ball", "combined"),
    **dict.fromkeys(("paderborn", "uored"), ("healthy", "inner", "outer")),
    **dict.fromkeys(("cwru", "uestc"), ("healthy", "inner", "outer", "ball")),
    "cwru_12k": ("inner", "outer", "ball"),
    "mcc5": ("healthy", "missing_teeth", "wear", "pitting", "crack", "break", "break+inner", "break+outer"),
    "phm2009": (*(f"H{i}" for i in range(1, 7)), *(f"S{i}" for i in range(1, 9))),
}


@pytest.mark.parametrize("name", [n for n in names() if load_fold(n).dataset != "machines"])
def test_the_numbers_of_a_fold(name):
    fold = load_fold(name)
    release = catalog.release(fold.dataset)
    assert name in release.folds
    assert fold.classes == release.classes == CLASSES.get(fold.dataset, release.classes)
    assert FOLDS[name] == (
        fold.held_out,
        fold.support_start_s,
        fold.support_step,
        fold.evaluation_windows,
        len(fold.evaluation),
    )


SOURCES = {  # one recording of every class
    "H1": [f"{state}500" for state in ("N", "I", "O", "B", "IO", "IB", "OB")],
    "H2": [f"{state}800" for state in ("N", "I", "O", "B", "IO", "IB", "OB")],
    "K1": [f"2Nm_{state}" for state in ("Normal", "BPFI_03", "BPFO_03", "Misalign_01", "Unbalance_0583mg")],
    "K2": [f"4Nm_{state}" for state in ("Normal", "BPFI_03", "BPFO_03", "Misalign_01", "Unbalance_0583mg")],
    "O1": [f"{health}-A-1" for health in "HIOBC"],
    "O2": [f"{health}-D-1" for health in "HIOBC"],
    "B1": [f"N15_M07_F10_{bearing}_1" for bearing in ("K002", "KI01", "KA01")],
    "B2": [f"N15_M07_F10_{bearing}_1" for bearing in ("K003", "KI04", "KA04")],
    "U1": ["H_1_0", "I_1_2", "O_6_2"],
    "U2": ["H_10_0", "I_5_2", "O_10_2"],
    "C1": [f"{fault}_2" for fault in ("Normal", "IR007", "OR007@6", "B007")],
    "C2": [f"{fault}_0" for fault in ("Normal", "IR007", "OR007@6", "B007")],
    **{f"E{i}": [f"{state}_{600 + 200 * i}" for state in "NIOB"] for i in (1, 2, 3, 4)},
}


@pytest.mark.parametrize("name", SOURCES)
def test_folds_of_one_source_recording_of_every_class(name):
    assert list(load_fold(name).support.values()) == [(recording,) for recording in SOURCES[name]]


def _sized(row):
    condition = {"load_hp": row["load_hp"], "fault_inch": f"0.{row['size_mil']}"}
    return condition | ({"position": f"{row['position']}:00"} if row["position"] else {})


@pytest.mark.parametrize(
    ("dataset", "labels", "condition"),
    [
        ("cwru_12k", {"inner": 16, "outer": 28, "ball": 16}, _sized),
        ("uestc", dict.fromkeys(CLASSES["uestc"], 4), lambda row: {"speed_rpm": row["rpm"]}),
    ],
)
def test_the_real_recordings_are_those_of_their_table(data, dataset, labels, condition):
    release, folder = catalog.release(dataset), data / dataset
    found = release.index(folder)
    assert found.left_out == ()
    assert Counter(e.label for e in found.entries) == labels
    with (folder / "labels.csv").open(newline="") as file:
        stated = {row["file"]: row for row in csv.DictReader(file)}
    assert len(stated) == len(found.entries) == release.recordings
    samples = 0
    for entry in found.entries:
        row, signal = stated[entry.path.relative_to(folder).as_posix()], entry.read()
        assert (entry.label, entry.component) == (row["label"], row.get("component", entry.component))
        assert entry.condition == condition(row)
        assert int(row["rate"]) == release.rate
        assert len(signal) == int(row["samples"])
        assert np.isfinite(signal).all()
        samples += len(signal)
    assert float(samples / release.rate) == pytest.approx(release.recorded_s, abs=1)
