import re
from collections import Counter
from importlib import resources

import numpy as np
import pytest
from scipy.io import loadmat, savemat

from dualres.bench.datasets import cwru
from dualres.bench.datasets.folds import load_fold
from dualres.errors import RecordingError

FAULTS = (
    *("IR007", "IR014", "IR021", "B007", "B014", "B021"),
    *("OR007@6", "OR007@3", "OR007@12", "OR014@6", "OR021@6", "OR021@3", "OR021@12"),
)


def write(path, *, rpm=True, **signals):
    """A file as released: signals as columns, keyed `X109_DE_time` for `DE109`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    content = {f"X{key[2:]}_{key[:2]}_time": np.reshape(value, (-1, 1)) for key, value in signals.items()}
    if rpm:
        content["X109RPM"] = 1796.0
    savemat(path, content)
    return path


def only(folder):
    (entry,) = cwru.index(folder).entries
    return entry


def test_the_table_is_the_release_s():
    numbers = [n for four in cwru.FILES.values() for n in four]
    assert set(cwru.FILES) == {"Normal", *FAULTS}
    assert len(numbers) == len(set(numbers)) == 56
    assert (cwru.FILES["IR021"], cwru.FILES["OR007@6"]) == ((213, 214, 215, 217), (135, 136, 137, 138))


def test_what_an_entry_says(tmp_path):
    for number in (97, 111, 150, 229):
        write(tmp_path / "48k_DE" / f"{number}.mat", DE109=[1, 2])
    found = cwru.index(tmp_path)
    assert [(e.id, e.label, e.component, dict(e.condition)) for e in found.entries] == [
        ("Normal_0", "healthy", "Normal", {"load_hp": "0"}),
        ("IR007_2", "inner", "IR007", {"load_hp": "2", "fault_inch": "0.007"}),
        ("OR007@3_2", "outer", "OR007@3", {"load_hp": "2", "fault_inch": "0.007", "position": "3:00"}),
        ("B021_3", "ball", "B021", {"load_hp": "3", "fault_inch": "0.021"}),
    ]
    assert (found.left_out, found.variant) == ((), "full")


@pytest.mark.parametrize(
    ("number", "signals"),
    [
        (109, {"DE109": [1, 2, 3], "FE109": [7, 8, 9]}),
        (97, {"DE097": [1, 2, 3], "FE097": [7, 8, 9]}),
        (174, {"DE173": [1, 2, 3], "FE173": [7, 8, 9]}),  # numbered otherwise
        (99, {"DE098": [7, 8], "FE098": [7, 8], "DE099": [1, 2, 3], "FE099": [7, 8, 9]}),  # another file's come first
        (217, {"DE215": [7, 8], "FE215": [7, 8], "DE217": [1, 2, 3], "FE217": [7, 8, 9]}),
        (175, {"DE217": [7, 8], "DE175": [1, 2, 3], "FE175": [7, 8, 9]}),
    ],
)
@pytest.mark.parametrize("rpm", [True, False])
def test_the_drive_end_signal_is_the_file_s_own(tmp_path, number, signals, rpm):
    write(tmp_path / f"{number}.mat", rpm=rpm, **signals)
    samples = only(tmp_path).read()
    assert samples.dtype == np.float32
    assert samples.tolist() == [1, 2, 3]


@pytest.mark.parametrize("extra", [{"i": 5.0}, {"i": np.arange(9.0)}])
def test_stray_variables_do_not_disturb(tmp_path, extra):
    savemat(tmp_path / "110.mat", {"X110_DE_time": np.array([[1.0], [2.0]]), **extra})
    assert only(tmp_path).read().tolist() == [1, 2]


@pytest.mark.parametrize(
    ("name", "signals", "message"),
    [
        ("IR007_2.mat", {"DE107": [1, 2]}, r"IR007_2\.mat: holds the signal of the release's 107\.mat; use.* 111\.mat"),
        ("IR007_2.mat", {"DE280": [1, 2]}, r"the release's 280\.mat"),
        ("110.mat", {"DE109": [1, 2]}, r"110\.mat: holds the signal of the release's 109\.mat"),
        (
            "110.mat",
            {"DE901": [1, 2], "DE902": [1, 2]},
            r"X110_DE_time is expected, there is X901_DE_time, X902_DE_time",
        ),
        ("97.mat", {"FE097": [1, 2]}, r"X097_DE_time is expected, there is none; use the release's 97\.mat"),
        ("97.mat", {"DE097": [1, np.nan]}, r"97\.mat: .* NaN"),
    ],
)
def test_another_recording_s_signal_is_refused(tmp_path, name, signals, message):
    write(tmp_path / name, **signals)
    with pytest.raises(RecordingError, match=message):
        only(tmp_path).read()


def test_a_damaged_file_is_named(tmp_path):
    path = write(tmp_path / "109.mat", DE109=np.arange(1000.0))
    path.write_bytes(path.read_bytes()[:4000])
    with pytest.raises(RecordingError, match=r"109\.mat: "):
        only(tmp_path).read()


def test_12_khz_files_are_left_out_unopened(tmp_path):
    twelve = [*range(105, 109), 156, 158, 258, 3001, 3008], [270, 302, 305, 313, 315, 318]
    for number in (*twelve[0], *twelve[1], 157, 216, 303, 2000):
        (tmp_path / f"{number}.mat").write_bytes(b"not to be opened")
    write(tmp_path / "109.mat", DE109=[1, 2])
    found = cwru.index(tmp_path)
    assert [e.id for e in found.entries] == ["IR007_0"]
    reasons = {int(path.stem): reason for path, reason in found.left_out}
    assert {n for n, reason in reasons.items() if "12 kHz recording of the drive-end" in reason} == set(twelve[0])
    assert {n for n, reason in reasons.items() if "at the fan end" in reason} == set(twelve[1])
    assert {n for n, reason in reasons.items() if "no file of this number" in reason} == {157, 216, 303, 2000}


def test_every_file_of_the_release_has_its_place(tmp_path):
    table = resources.files("dualres.bench.datasets").joinpath("checksums.tsv").read_text()
    for name in re.findall(r"^cwru\t(\S+)", table, re.MULTILINE):
        (tmp_path / name).touch()
    found = cwru.index(tmp_path)
    assert len(found.entries) == 4 + 52
    assert sorted(Counter(reason for _, reason in found.left_out).values()) == [45, 60]


def test_excerpts_go_by_fault_and_load(tmp_path):
    write(tmp_path / "IR007_2.mat", DE111=[1, 2], FE111=[3, 4])
    (tmp_path / "Normal_2.csv").write_text("DE,FE\n0.5,1\n0.25,2\n")
    found = cwru.index(tmp_path)
    assert found.variant == "excerpts"
    assert {e.id: e.read().tolist() for e in found.entries} == {"Normal_2": [0.5, 0.25], "IR007_2": [1, 2]}


def test_a_released_file_wins_over_an_excerpt(tmp_path):
    write(tmp_path / "a" / "IR007_2.mat", DE111=[7, 8])
    write(tmp_path / "b" / "111.mat", DE111=[1, 2])
    found = cwru.index(tmp_path)
    assert [e.read().tolist() for e in found.entries] == [[1, 2]]
    assert found.left_out == ((tmp_path / "a" / "IR007_2.mat", "the released file, 111.mat, is there"),)
    assert found.variant == "full"


def test_named_files_outside_the_set_are_left_out(tmp_path):
    write(tmp_path / "109.mat", DE109=[1, 2])
    for name in ("IR028_0.mat", "OR014@3_1.mat", "12k_Drive_End/IR014_1.mat"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"not to be opened")
    found = cwru.index(tmp_path)
    assert [e.id for e in found.entries] == ["IR007_0"]
    assert {path.stem: reason for path, reason in found.left_out} == {
        "IR028_0": "the 48 kHz drive-end set has no IR028",
        "OR014@3_1": "the 48 kHz drive-end set has no OR014@3",
        "IR014_1": "it is in a folder of 12 kHz recordings",
    }


@pytest.mark.parametrize(("name", "judged"), [("C1", 0), ("C2", 2)])
def test_the_folds_follow_their_rule(name, judged):
    assert sorted(load_fold(name).evaluation) == sorted(f"{fault}_{judged}" for fault in ("Normal", *FAULTS))


LENGTHS = {
    **{"Normal_0": 243_938, "IR007_0": 243_938, "IR014_0": 63_788, "IR021_0": 244_339},
    **{"B007_0": 244_739, "B014_0": 249_146, "B021_0": 243_938},
    **{"OR007@6_0": 243_538, "OR014@6_0": 245_140, "OR021@6_0": 246_342},
    **{"OR007@3_0": 124_602, "OR007@12_0": 129_969, "OR021@3_0": 128_663, "OR021@12_0": 130_549},
}


def test_the_real_recordings(data):
    found = cwru.index(data / "cwru")
    assert found.variant == "excerpts"
    assert found.left_out == ()
    assert Counter(e.condition["load_hp"] for e in found.entries) == {"0": 14, "2": 14}
    assert Counter(e.label for e in found.entries) == {"healthy": 2, "inner": 6, "outer": 14, "ball": 6}
    signals = {e.id: e.read() for e in found.entries}
    assert {id: len(s) for id, s in signals.items() if id in LENGTHS} == LENGTHS
    assert {len(s) for id, s in signals.items() if id.endswith("_2") and id != "Normal_2"} == {192_000}
    assert len(signals["Normal_2"]) == 121_155
    assert all(s.dtype == np.float32 and np.isfinite(s).all() for s in signals.values())
    assert signals["Normal_2"][0] == np.float32(0.064253538)
    offsets = {id: signals[id].mean(dtype=float) for id in ("Normal_0", "OR014@6_0", "B021_0")}
    assert offsets == pytest.approx({"Normal_0": 0.0126, "OR014@6_0": 0.396, "B021_0": 0.241}, abs=6e-4)
    for name in ("C1", "C2"):
        fold = load_fold(name)
        assert fold.supporting() | set(fold.evaluation) <= set(signals)


def test_drive_end_is_not_fan_end_in_the_real_files(data):
    path = data / "cwru" / "48k_DE" / "174.mat"
    (entry,) = (e for e in cwru.index(data / "cwru").entries if e.path == path)
    assert entry.id == "IR014_0"
    assert np.array_equal(entry.read(), loadmat(path)["X173_DE_time"][:, 0].astype(np.float32))
