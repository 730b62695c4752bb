import csv
from collections import Counter

import numpy as np
import pytest

from dualres.bench.datasets import uestc
from dualres.bench.datasets.folds import load_fold

STATES = {"healthy": "N", "inner": "I", "outer": "O", "ball": "B"}
SPEEDS = (800, 1000, 1200, 1400)


def write(folder, *names):
    (folder / "signals").mkdir(exist_ok=True)
    for name in names:
        np.save(folder / "signals" / f"{name}.npy", np.array([1, 2, 3], np.float32))


def test_what_an_entry_says(tmp_path):
    write(tmp_path, "B_1000", "B_800", "N_1400", "I_900", "X_800")
    (tmp_path / "labels.csv").write_text("file,label\n")
    found = uestc.index(tmp_path)
    assert [(e.id, e.label, e.component, dict(e.condition)) for e in found.entries] == [
        ("N_1400", "healthy", "N", {"speed_rpm": "1400"}),
        ("B_800", "ball", "B", {"speed_rpm": "800"}),
        ("B_1000", "ball", "B", {"speed_rpm": "1000"}),
    ]
    samples = found.entries[0].read()
    assert samples.dtype == np.float32
    assert samples.tolist() == [1, 2, 3]


@pytest.mark.parametrize(("name", "learned"), [("E1", 800), ("E2", 1000), ("E3", 1200), ("E4", 1400)])
def test_the_folds_follow_their_rule(name, learned):
    others = {f"{state}_{rpm}" for state in STATES.values() for rpm in SPEEDS if rpm != learned}
    assert set(load_fold(name).evaluation) == others


def test_the_real_recordings(data):
    folder = data / "uestc"
    found = uestc.index(folder)
    assert Counter(e.label for e in found.entries) == dict.fromkeys(STATES, 4)
    assert Counter(e.condition["speed_rpm"] for e in found.entries) == {str(rpm): 4 for rpm in SPEEDS}
    with (folder / "labels.csv").open(newline="") as file:
        stated = {row["file"]: row for row in csv.DictReader(file)}
    assert len(stated) == len(found.entries) == uestc.RELEASE.recordings == 16
    for entry in found.entries:
        row, signal = stated[entry.path.relative_to(folder).as_posix()], entry.read()
        assert (entry.label, entry.condition["speed_rpm"]) == (row["label"], row["rpm"])
        assert int(row["rate"]) == uestc.RATE
        assert len(signal) == int(row["samples"]) == 262_144
        assert np.isfinite(signal).all()
    assert float(16 * 262_144 / uestc.RATE) == pytest.approx(uestc.RELEASE.recorded_s, abs=1)
