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
