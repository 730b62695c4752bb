import re
from collections import Counter
from importlib import resources

import pytest

from dualres.bench.datasets.checksums import check, official
from dualres.errors import RecordingError


def test_the_table_covers_the_releases():
    lines = resources.files("dualres.bench.datasets").joinpath("checksums.tsv").read_text().splitlines()[1:]
    assert Counter(line.split("\t")[0] for line in lines) == {
        "cwru": 161,
        "ottawa": 60,
        "uored": 60,
        "paderborn": 32,
        "hust": 60,
    }
    for line in lines:
        dataset, name, size, sha256 = line.split("\t")
        assert "/" not in name
        assert re.fullmatch("[0-9a-f]{64}", sha256)
        assert official(dataset, name).bytes == int(size)


@pytest.mark.parametrize(
    ("dataset", "name", "size", "start"),
    [
        ("cwru", "97.mat", 3_903_344, None),
        ("ottawa", "H-A-1.mat", 11_909_642, "a113089d"),
        ("uored", "H_10_0.mat", 3_586_275, "e3421cb9"),
        ("paderborn", "K001.rar", 173_881_721, "0f119ebd"),
        ("hust", "I400.mat", 7_421_553, "92c803f7"),
    ],
)
def test_released_files_go_by_their_bare_names(dataset, name, size, start):
    released = official(dataset, name)
    assert released.bytes == size
    assert released.sha256.startswith(start or "")


@pytest.mark.parametrize(("dataset", "name"), [("cwru", "IR007_2.mat"), ("hust", "B500.mat"), ("mcc5", "97.mat")])
def test_of_other_files_nothing_is_claimed(tmp_path, dataset, name):
    assert official(dataset, name) is None
    (tmp_path / name).write_bytes(b"abc")
    assert check(dataset, tmp_path / name) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


def test_a_changed_file_is_refused_with_what_was_expected(tmp_path):
    path = tmp_path / "97.mat"
    path.write_bytes(b"abc")
    with pytest.raises(RecordingError, match=r"97\.mat.*3903344 bytes.*has 3 bytes.*ba7816bf.*download it again"):
        check("cwru", path)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(RecordingError, match=r"97\.mat: cannot be read \(No such file"):
        check("cwru", tmp_path / "97.mat")


def test_the_real_0_hp_files_are_those_released(data):
    files = [*(data / "cwru" / "48k_DE").glob("*.mat"), *(data / "cwru" / "Normal").glob("*.mat")]
    assert len(files) == 14
    for path in files:
        assert check("cwru", path) == official("cwru", path.name).sha256


def test_one_changed_byte_of_a_real_file_is_noticed(data, tmp_path):
    content = bytearray((data / "cwru" / "48k_DE" / "174.mat").read_bytes())
    content[500_000] ^= 1
    (tmp_path / "174.mat").write_bytes(content)
    with pytest.raises(RecordingError, match="download it again"):
        check("cwru", tmp_path / "174.mat")
