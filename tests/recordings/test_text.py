import numpy as np
import pytest

from dualres.recordings import text
from dualres.recordings.text import read_text


@pytest.fixture
def table(tmp_path):
    """Read a text, as {name: values}."""

    def parse(content: str | bytes):
        path = tmp_path / "a.csv"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return {one.name: load().tolist() for one, load in read_text(path).items() if one.fault is None}

    return parse


@pytest.mark.parametrize(
    "content",
    [
        "time,DE\n0,1.5\n1,-2e-003\n",
        "time;DE\n0;1.5\n1;-2e-003\n",
        "time;DE\n0;1,5\n1;-2e-003\n",
        "time\tDE\n0\t1.5\n1\t-2e-003\n",
        "time DE\n0 1.5\n1   -2e-003\n",
        '"time","DE"\r\n"0","1.5"\r\n"1","-2e-003"\r\n',
        b"\xef\xbb\xbftime, DE\n\n0, 1.5\n\n1, -2e-003",
        "# time DE\n0 1.5\n1 -2e-003\n",
    ],
)
def test_delimiters_are_found(table, content):
    assert table(content) == {"time": [0, 1], "DE": [1.5, -0.002]}


def test_columns_without_a_title_are_counted(table):
    assert table("1 2\n3 4\n") == {"column 1": [1, 3], "column 2": [2, 4]}
    assert table("a,a,,b\n1,2,3,4\n5,6,7,8\n").keys() == {"column 1", "column 2", "column 3", "b"}
    assert table("Time (s) Force\n1 2\n3 4\n").keys() == {"column 1", "column 2"}


def test_one_column_keeps_a_title_of_several_words(table):
    assert table("acceleration in m/s²\n1\n2\n") == {"acceleration in m/s²": [1, 2]}
    assert table(b"acceleration in m/s\xb2\n1\n2\n") == {"acceleration in m/s\N{REPLACEMENT CHARACTER}": [1, 2]}


def test_a_column_of_text_does_not_spoil_the_others(table):
    assert table("when,DE\n10:00,1\n10:01,2\n") == {"DE": [1, 2]}
    assert table("10:00,1\n10:01,2\n") == {"column 2": [1, 2]}


def test_what_is_not_a_signal_is_listed_as_such(tmp_path):
    path = tmp_path / "a.csv"
    for content, faults in {
        "when,DE\n10:00,1\n10:01,2\n": ["holds something other than numbers", None],
        "a,b\n": ["holds no samples"] * 2,
        "a,b\nx,y\n": ["holds something other than numbers"] * 2,
        "1,2\n": ["holds a single sample"] * 2,
    }.items():
        path.write_text(content)
        assert [one.fault for one in read_text(path)] == faults


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "the file is empty"),
        ("\n \n", "the file is empty"),
        ("1,2\n3,x\n", "could not convert string 'x' to float64 at row 1, column 2"),
        ("1,2\n3,\n", "could not convert string '' to float64"),
        ("1,2\n3,4\n5,6,7\n", "the number of columns changed from 2 to 3 at row 3"),
        ("1\t2\n3\t4,5\n", "could not convert string '4,5'"),
    ],
)
def test_what_is_wrong_with_a_table_is_said(table, content, message):
    with pytest.raises(ValueError, match=message):
        table(content)


def test_huge_tables_are_refused(table, monkeypatch):
    monkeypatch.setattr(text, "LARGEST", 10)
    with pytest.raises(ValueError, match=r"save it as \.npy"):
        table("1\n" * 10)


def test_what_numpy_writes_is_read_exactly(tmp_path):
    signal = np.random.default_rng(0).standard_normal((100, 3))
    np.savetxt(tmp_path / "a.txt", signal)
    assert np.array_equal(np.stack([load() for load in read_text(tmp_path / "a.txt").values()], axis=1), signal)
