from fractions import Fraction

import numpy as np
import pytest

from dualres.errors import ConfigError, RecordingError
from dualres.recordings.labels.folder import read_folder
from dualres.recordings.labels.selection import Selection

LIST = "file,label,component,load,speed\n" + "".join(
    f"{label}/{load}.npy,{label},{label[0]}{load},{load},{speed}\n"
    for label in ("good", "worn")
    for load, speed in ((0, "1800.0"), (1, "900"), (2, "900"))
)


@pytest.fixture
def folder(tmp_path):
    for i, label in enumerate(("good", "worn")):
        (tmp_path / label).mkdir()
        for load in range(3):
            noise = np.random.default_rng(10 * i + load).standard_normal(600)
            np.save(tmp_path / label / f"{load}.npy", noise)
    (tmp_path / "labels.csv").write_text(LIST)
    return tmp_path


def chosen(folder, *where, exclude=(), **options):
    selection = Selection.parsed(where, exclude)
    found = read_folder(folder, rate=Fraction(1000), selection=selection, **options)
    return [r.id for r in found.recordings], found.not_chosen


@pytest.mark.parametrize(
    ("where", "left", "not_chosen"),
    [
        (["load=0,speed=1800"], ["good/0.npy", "worn/0.npy"], {"--where load=0": 4}),
        (["load=0|1", "Label=WORN"], ["worn/0.npy", "worn/1.npy"], {"--where load=0|1": 2, "--where label=WORN": 2}),
        (["component=g2"], ["good/2.npy"], {"--where component=g2": 5}),
    ],
)
def test_columns_choose(folder, where, left, not_chosen):
    assert chosen(folder, *where) == (left, not_chosen)


@pytest.mark.parametrize("pattern", ["good/*", "./good/?.npy", "good\\*"])
def test_names_and_patterns_exclude(folder, pattern):
    names, left = chosen(folder, exclude=[pattern, "worn/1.npy"])
    assert names == ["worn/0.npy", "worn/2.npy"]
    assert left == {f"--exclude {pattern}": 3, "--exclude worn/1.npy": 1}


def test_what_is_not_chosen_is_not_read_nor_is_it_of_subfolders(folder):
    (folder / "good" / "0.npy").unlink()
    selection = Selection.parsed(["load=1"])
    assert not read_folder(folder, rate=Fraction(1000), selection=selection).left_out
    (folder / "labels.csv").unlink()
    assert chosen(folder, "label=worn", exclude=["0.npy"])[0] == ["worn/1.npy", "worn/2.npy"]


@pytest.mark.parametrize(
    ("where", "exclude", "reason"),
    [
        ("lod=0", [], "--where lod=...: no recording has a lod; there is component, label, load, speed"),
        ("load=7", [], "--where load=7: no recording has that; there is 0, 1, 2"),
        ("load", [], "--where load: write a column and a value, such as load=0"),
        ("load=", [], "write a column and a value"),
        ("load=0,load=1", [], r"load is already given; write several values as load=0\|1"),
        ("load=0", ["bad*"], r"--exclude bad\*: no file in .* matches that; .* such as good/0.npy"),
        ("load=0", ["*/0.npy"], "leave none of its 6 recordings"),
    ],
)
def test_what_occurs_nowhere_is_an_error(folder, where, exclude, reason):
    with pytest.raises(ConfigError, match=reason):
        chosen(folder, where, exclude=exclude)


def test_another_list_names_files_relative_to_the_folder(folder, tmp_path_factory):
    labels = tmp_path_factory.mktemp("elsewhere") / "half.csv"
    labels.write_text("file,label\ngood/0.npy,fine\nworn/1.npy,bad\n")
    assert chosen(folder, labels=labels) == (["good/0.npy", "worn/1.npy"], {})
    assert read_folder(folder, rate=Fraction(1000), labels=labels).classes == ("bad", "fine")
    labels.write_text("file,label\n../x.npy,fine\n")
    with pytest.raises(RecordingError, match=r"half.csv, line 2: ../x.npy lies outside the folder"):
        chosen(folder, labels=labels)
    with pytest.raises(RecordingError, match=r"none.csv: cannot be read"):
        chosen(folder, labels=labels.with_name("none.csv"))
