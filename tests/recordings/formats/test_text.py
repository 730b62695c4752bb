import tracemalloc

import numpy as np
import pytest

from dualres.recordings.formats import text
from dualres.recordings.formats.text import read_text


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
        "FE,DE\n0,1.5\n1,-2e-003\n",
        "FE;DE\n0;1.5\n1;-2e-003\n",
        "FE;DE\n0;1,5\n1;-2e-003\n",
        "FE\tDE\n0\t1.5\n1\t-2e-003\n",
        "FE DE\n0 1.5\n1   -2e-003\n",
        '"FE","DE"\r\n"0","1.5"\r\n"1","-2e-003"\r\n',
        b"\xef\xbb\xbfFE, DE\n\n0, 1.5\n\n1, -2e-003",
        "# FE DE\n0 1.5\n1 -2e-003\n",
    ],
)
def test_delimiters_are_found(table, content):
    assert table(content) == {"FE": [0, 1], "DE": [1.5, -0.002]}


def test_titles_may_be_missing_double_or_of_several_words(table):
    assert table("1 2\n3 4\n") == {"column 1": [1, 3], "column 2": [2, 4]}
    assert table("a,a,,b\n1,2,3,4\n5,6,7,8\n").keys() == {"column 1", "column 2", "column 3", "b"}
    assert table("Time (s) Force\n1 2\n3 4\n").keys() == {"column 1", "column 2"}
    assert table("acceleration in m/s²\n1\n2\n") == {"acceleration in m/s²": [1, 2]}
    assert table(b"acceleration in m/s\xb2\n1\n2\n") == {"acceleration in m/s\N{REPLACEMENT CHARACTER}": [1, 2]}


def test_a_column_of_text_or_one_that_begins_empty_does_not_spoil_the_others(table):
    assert table("when,DE\n10:00,1\n10:01,2\n") == {"DE": [1, 2]}
    assert table("10:00,1\n10:01,2\n") == {"column 2": [1, 2]}
    assert table("DE;marker\n1;\n2,5;7\n3;\n4;start\n") == {"DE": [1, 2.5, 3, 4]}


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
        ("1,2\n3,4\n5,6,7\n", "the number of columns changed from 2 to 3 at row 3"),
        # a row like most is among the first
        ("1,2\n3,4,5\n1,2\n3,4,5\n3,4,5\n3,4,5\n3,4,5\n", "the number of columns changed"),
        ("1,2,3\n1,2,3\n4,5\n6,7\n", "the number of columns changed from 3 to 2 at row 3"),  # no majority
        ("1\n2\nthree\n4\n5\n", "could not convert string 'three'"),
        ("a,b\n1,2\n3,4\nx,y\n5,6\n7,8\n", "could not convert string 'x'"),
        ("a,b\n0,1,2,5\n0,2,3,7\n", "2 titles, 4 cells; save it with semicolons between columns"),
    ],
)
def test_what_is_wrong_with_a_table_is_said(table, content, message):
    with pytest.raises(ValueError, match=message):
        table(content)


DECIMALS = {"when": [0, 0.5], "DE": [1.25, -0.05]}


@pytest.mark.parametrize(
    "content",
    [
        "when;DE\n0,0;1,25\n0,5;-0,05\n",
        "when\tDE\n0,0\t1,25\n0,5\t-0,05\n",
        "when\tDE\n0\t1,25\n,5\t-0,05\n",
        "when DE\n0,0 1,25\n0,5   -0,05\n",
        "when DE\n0 1,25\n0,5 -5,0e-2\n",
        '"when","DE"\n"0,0","1,25"\n"0,5","-0,05"\n',
        '"when";"DE"\n"0,0";"1,25"\n"0,5";"-0,05"\n',
    ],
)
def test_decimal_commas_stand_between_any_separators(table, content):
    assert table(content) == DECIMALS


@pytest.mark.parametrize(
    "content",
    ["DE\n1,25\n0,5\n-3\n", "acceleration in m/s²\n1,25\n0,5\n-3\n", "1,25\n0,05\n-3,0\n", "1,25\n-0,5\n2,0\n"],
)
def test_one_column_of_decimal_commas_is_not_two(table, content):
    (values,) = table(content).values()
    assert values[0] == 1.25
    assert len(values) == 3


@pytest.mark.parametrize("content", ["1,25\n10,5\n", "a,b\n1,25\n0,05\n", "1,-25\n-0,5\n", "# a note\n1,25\n3,5\n"])
def test_two_columns_of_whole_numbers_stay_two(table, content):
    assert len(table(content)) == 2


@pytest.mark.parametrize(
    "content",
    [
        "when,DE\ns,g\n0,1\n1,2\n",
        "when;DE\n[s];[m/s²]\n0;1\n1;2\n",
        "when\tDE\n(s)\t\n0\t1\n1\t2\n",
        "Machine: pump 7\nwhen,DE\n0,1\n1,2\n",
        "Machine;pump 7\nRange;50\nChannels;2\n\nwhen;DE\ns;g\n0;1\n1;2\n",
        "# pump 7\n# 12 March, 10:04\n# when DE\n0 1\n1 2\n",
        "a,b,c,d\n1,2,x,4\nwhen,DE\n0,1\n1,2\n",
    ],
)
def test_units_and_a_block_above_are_no_samples(table, content):
    assert table(content) == {"when": [0, 1], "DE": [1, 2]}


@pytest.mark.parametrize("titles", ["when,DE,", "when,DE,note", "when,DE,,,"])
def test_more_titles_than_columns(table, titles):
    assert table(f"{titles}\n0,1\n1,2\n") == {"when": [0, 1], "DE": [1, 2]}


@pytest.mark.parametrize(
    ("content", "found", "passed_over"),
    [
        ("1,2,3\n4,5\n6,7\n", {"column 1": [4, 6], "column 2": [5, 7]}, "the first row is"),
        ("9\n4,5\n6,7\n", {"column 1": [4, 6], "column 2": [5, 7]}, "the first row is"),
        ("FE,DE\n1,2,3\n4,5\n6,7\n8,9\n", {"FE": [4, 6, 8], "DE": [5, 7, 9]}, "the first row is"),
        ("a,b,c\n1,2,3\n4,5\n6,7\n8,9\n", {"column 1": [4, 6, 8], "column 2": [5, 7, 9]}, "the first 2 rows are"),
    ],
)
def test_first_rows_of_another_length_than_most_are_passed_over_and_told(table, tmp_path, content, found, passed_over):
    assert table(content) == found
    remarks = {one.remark for one in read_text(tmp_path / "a.csv")}
    assert remarks == {f"{passed_over} passed over: most rows have 2 columns, and not as many as there"}


def test_gaps_are_nan_up_to_the_last_number_of_a_column(table):
    assert table("a,b\n1,2\n3,4\n5,\n,\n") == {"a": [1, 3, 5], "b": [2, 4]}
    assert table("a;b;\n1;;\n3;4,5;\n5;6;\n")["a"] == [1, 3, 5]
    np.testing.assert_array_equal(table("a;b\n1;2\n3;\n5;4,5\n")["b"], [2, np.nan, 4.5])
    np.testing.assert_array_equal(table("1,,3\n4,5,6\n")["column 2"], [np.nan, 5])


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("content", ["wänn\tDE\r\n0\t1,5\r\n1\t2\r\n", "0\t1,5\n1\t2\n"])
def test_utf_16(table, encoding, content):
    assert list(table(content.encode(encoding)).values()) == [[0, 1], [1.5, 2]]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_line_that_is_too_long_is_refused_before_it_is_held(table, monkeypatch, encoding, end):
    monkeypatch.setattr(text, "LONGEST_LINE", 50)
    just = end.join(["1", "2" * 49, "3" * 50, "4"])
    assert table(just.encode(encoding))["column 1"][2] == float("3" * 50)
    for content in (end.join(["1", "", "3" * 51]), end.join(["1", "", "3" * 500, "4"])):
        with pytest.raises(ValueError, match="line 3 has more than 50 characters"):
            table(content.encode(encoding))


def test_one_line_of_many_megabytes_takes_little_memory(table):
    content = b"1," * (10 << 20)
    tracemalloc.start()
    with pytest.raises(ValueError, match="line 1 has more than 262144 characters"):
        table(content)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 << 20


def test_huge_tables_are_refused_and_wide_ones_known_by_their_first_lines(table, monkeypatch):
    line = ",".join(["1.5"] * 60_000) + "\n"
    assert len(table(line * 10)) == 60_000
    monkeypatch.setattr(text, "LARGEST", 10)
    with pytest.raises(ValueError, match=r"save it as \.npy"):
        table("1\n" * 10)


@pytest.mark.parametrize("above", ["", "x,y\n", "a description\nof two lines\nx,y\n"])
def test_a_table_of_too_many_numbers_is_refused_before_it_is_read(table, monkeypatch, above):
    content = above + "1,2\n" * 10
    lines = content.count("\n")
    monkeypatch.setattr(text, "MOST_NUMBERS", 2 * lines)
    assert len(table(content)) == 2
    monkeypatch.setattr(text, "MOST_NUMBERS", 2 * lines - 1)
    with pytest.raises(ValueError, match=f"{lines} lines of 2 numbers are more than"):
        table(content)


def test_what_numpy_writes_is_read_exactly(tmp_path):
    signal = np.random.default_rng(0).standard_normal((100, 3))
    np.savetxt(tmp_path / "a.txt", signal)
    assert np.array_equal(np.stack([load() for load in read_text(tmp_path / "a.txt").values()], axis=1), signal)


@pytest.mark.parametrize(
    "content",
    [
        "t,DE,FE\ns,g,m/s^2\n0,1,2\n1,3,4\n",
        "t (s);DE [g];FE (m/s^2)\n0;1;2\n1;3;4\n",
        "Pump 7\nt\tDE\tFE\n[s]\t[g]\t[m/s^2]\n0\t1\t2\n1\t3\t4\n",
    ],
)
def test_units_come_from_a_line_or_from_the_titles(tmp_path, content):
    (tmp_path / "a.csv").write_text(content)
    assert [one.unit for one in read_text(tmp_path / "a.csv")] == ["s", "g", "m/s^2"]


def test_what_is_no_unit_is_none(tmp_path):
    (tmp_path / "a.csv").write_text("DE (near the door),FE,x\n1,2,3\n4,5,6\n")
    assert [one.unit for one in read_text(tmp_path / "a.csv")] == [None] * 3
    (tmp_path / "a.csv").write_text("DE,FE,x\ng,-,\n1,2,3\n4,5,6\n")
    assert [one.unit for one in read_text(tmp_path / "a.csv")] == ["g", None, None]
