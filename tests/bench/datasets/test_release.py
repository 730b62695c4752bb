import re
from pathlib import Path

import numpy as np
import pytest

from dualres.bench.datasets import catalog
from dualres.bench.datasets.release import ReleaseEntry, collect, find
from dualres.bench.paper.protocol import FOLDS
from dualres.errors import RecordingError

OURS = ("simulated", "cwru_12k", "uestc", "machines")
NAME = re.compile(r"(?P<letter>[AB])(?P<number>\d)")


def touch(folder, *names):
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()


def entry(id, path):
    return ReleaseEntry(id, "healthy", "bearing", {}, Path(path), lambda: np.zeros(8, np.float32))


def test_files_are_found_by_their_whole_stem_at_any_depth(tmp_path):
    touch(tmp_path, "deep/er/A1.mat", "B2.MAT", "A1.csv", "A12.mat", "xB2.mat", "a1.mat", "A3.mat.part")
    (tmp_path / "A4.mat").mkdir()
    found = find(tmp_path, {".mat"}, NAME)
    assert [(p.relative_to(tmp_path).as_posix(), m["letter"], m["number"]) for p, m in found] == [
        ("B2.MAT", "B", "2"),
        ("deep/er/A1.mat", "A", "1"),
    ]


def test_what_macos_leaves_behind_is_ignored(tmp_path):
    touch(tmp_path, "__MACOSX/A1.mat", "inside/__MACOSX/set/A2.mat", "._A3.mat")
    assert find(tmp_path, {".mat"}, re.compile(r"(\._)?A\d")) == []


def test_only_what_lies_below_the_folder_can_be_junk(tmp_path):
    touch(tmp_path, "__MACOSX/A1.mat")
    assert len(find(tmp_path / "__MACOSX", {".mat"}, NAME)) == 1


def test_an_index_keeps_what_was_found_and_what_was_refused(tmp_path):
    index = collect(tmp_path, [entry("A1", "A1.mat")], "A1.mat", [(Path("B1.mat"), "reserved")], variant="excerpts")
    assert [e.id for e in index.entries] == ["A1"]
    assert index.left_out == ((Path("B1.mat"), "reserved"),)
    assert index.variant == "excerpts"


def test_nothing_but_refused_files_says_why(tmp_path):
    with pytest.raises(RecordingError, match="1 file refused: B1 is reserved"):
        collect(tmp_path, [], "A1.mat", [(Path("B1.mat"), "B1 is reserved")])
    with pytest.raises(RecordingError, match="2 files refused, the first: B1 is reserved"):
        collect(tmp_path, [], "A1.mat", [(Path("B1.mat"), "B1 is reserved"), (Path("B2.mat"), "B2 is reserved")])


def test_the_paper_s_datasets_are_told_from_others():
    assert tuple(FOLDS) == catalog.NAMES
    assert all(catalog.release(name).folds == folds for name, folds in FOLDS.items())
    assert catalog.groups() == {"In the paper": catalog.NAMES, "Not in the paper": OURS}
    assert tuple(name for group in catalog.groups().values() for name in group) == catalog.names()
