import csv

import numpy as np
import pytest
from scipy.io import savemat

from dualres.bench.datasets import cwru_12k
from dualres.bench.datasets.folds import load_fold
from dualres.bench.datasets.prepare import official
from dualres.errors import RecordingError

PLACES = {"007": (6, 3, 12), "014": (6,), "021": (6, 3, 12)}
OUTER = [f"OR{mil}_at{hour}" for mil, hours in PLACES.items() for hour in hours]
FAULTS = [*(f"{kind}{mil}" for kind in ("IR", "B") for mil in ("007", "014", "021", "028")), *OUTER]


def write(folder, *names, samples=(1, 2, 3)):
    """Files as in the folder of arrays."""
    (folder / "signals").mkdir(exist_ok=True)
    for name in names:
        np.save(folder / "signals" / f"{name}.npy", np.array(samples, np.float32))


def of(faults, loads=range(4)):
    return {f"{fault}_{load}" for fault in faults for load in loads}


def test_what_an_entry_says(tmp_path):
    write(tmp_path, "B028_3", "OR007_at12_1", "IR014_0")
    (tmp_path / "labels.csv").write_text("file,label\n")
    found = cwru_12k.index(tmp_path)
    assert [(e.id, e.label, e.component, dict(e.condition)) for e in found.entries] == [
        ("IR014_0", "inner", "IR014", {"load_hp": "0", "fault_inch": "0.014"}),
        ("OR007_at12_1", "outer", "OR007", {"load_hp": "1", "fault_inch": "0.007", "position": "12:00"}),
        ("B028_3", "ball", "B028", {"load_hp": "3", "fault_inch": "0.028"}),
    ]
    assert (found.left_out, found.variant) == ((), "full")
    samples = found.entries[0].read()
    assert samples.dtype == np.float32
    assert samples.tolist() == [1, 2, 3]


def test_the_release_s_own_files_are_the_same_recordings(tmp_path):
    for number, key in ((158, 158), (3001, 56)):  # the arrays of 0.028 inch go by other numbers
        signals = {f"X{key:03d}_DE_time": [[1.0], [2.0]], f"X{key:03d}_FE_time": [[8.0], [9.0]]}
        savemat(tmp_path / f"{number}.mat", signals)
    assert {e.id: e.read().tolist() for e in cwru_12k.index(tmp_path).entries} == {
        "OR007_at12_1": [1, 2],
        "IR028_0": [1, 2],
    }


def test_another_recording_s_signal_is_refused(tmp_path):
    savemat(tmp_path / "105.mat", {"X109_DE_time": [[1.0], [2.0]]})
    (entry,) = cwru_12k.index(tmp_path).entries
    with pytest.raises(RecordingError, match=r"holds the signal of the release's 109\.mat; use .* 105\.mat"):
        entry.read()


def test_what_the_set_does_not_have_is_left_out_unopened(tmp_path):
    write(tmp_path, "IR007_0")
    for name in ("OR014_at3_0.npy", "Normal_0.npy", "109.mat", "97.mat"):
        (tmp_path / name).write_bytes(b"not to be opened")
    found = cwru_12k.index(tmp_path)
    assert [e.id for e in found.entries] == ["IR007_0"]
    assert {path.name: reason.removeprefix("the 12 kHz drive-end set has no ") for path, reason in found.left_out} == {
        "109.mat": "file of this number",
        "97.mat": "file of this number",
        "OR014_at3_0.npy": "OR014_at3_0",
        "Normal_0.npy": "Normal_0",
    }


@pytest.mark.parametrize(("name", "learned", "judged"), [("D1", "007", ("014", "021")), ("D2", "021", ("007", "014"))])
def test_folds_by_size_follow_their_rule(name, learned, judged):
    fold = load_fold(name)
    faults = {"inner": f"IR{learned}", "outer": f"OR{learned}_at6", "ball": f"B{learned}"}
    assert fold.support == {label: tuple(f"{fault}_{load}" for load in (0, 1, 2)) for label, fault in faults.items()}
    assert set(fold.evaluation) == of(fault for fault in FAULTS if any(mil in fault for mil in judged))


def test_the_fold_by_load_follows_its_rule():
    fold = load_fold("D3")
    assert fold.support == {
        "inner": ("IR007_0", "IR014_0", "IR021_0", "IR028_0"),
        "outer": ("OR007_at6_0", "OR014_at6_0", "OR021_at6_0", "OR007_at3_0"),
        "ball": ("B007_0", "B014_0", "B021_0", "B028_0"),
    }
    assert set(fold.evaluation) == of(FAULTS, (1, 2, 3))


def test_the_real_recordings_are_those_that_the_table_numbers(data):
    with (data / "cwru_12k" / "labels.csv").open(newline="") as file:
        for row in csv.DictReader(file):
            fault = row["file"].removeprefix("signals/").rpartition("_")[0].replace("_at", "@")
            number = cwru_12k.FILES_12K[fault][int(row["load_hp"])]
            assert number == int(row["official_number"])
            assert official("cwru", f"{number}.mat").sha256 == row["official_sha256"]
