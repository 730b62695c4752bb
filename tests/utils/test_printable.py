import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dualres.utils.printable import printable, table_cell


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Zahnbruch \N{TOOTH}, \N{NO-BREAK SPACE}48", "Zahnbruch \N{TOOTH}, \N{NO-BREAK SPACE}48"),
        ("می\N{ZERO WIDTH NON-JOINER}خواهم", "می\N{ZERO WIDTH NON-JOINER}خواهم"),
        ("\x1b[2J\x07\r\n\t\0\x7f\x9b", r"\x1b[2J\x07\r\n\t\x00\x7f\x9b"),
        ("good\N{RIGHT-TO-LEFT OVERRIDE}doog\N{LINE SEPARATOR}", r"good\u202edoog\u2028"),
        ("pump\udcff\ud800", r"pump\udcff\ud800"),
    ],
)
def test_what_would_steer_a_terminal_is_shown(text, shown):
    assert printable(text) == shown
    assert printable("a\nb\tc\r", keep="\n\t") == "a\nb\tc\\r"


def text_of_cell(cell):
    """As docs/own-files.md tells readers of tables."""
    return cell[1:] if re.match("'+ *[=+@\uff1d\uff0b\uff0d\uff20-]", cell) else cell


FORMULAS = ["=1+1", "+1+1", "-1+1", "@sum(a1)", "=cmd()", "-", "+49 (0) 30", " =1+1", "\uff1d1+1", "-1,5", "- good"]
NUMBERS = ["-1", "+1", "-2.5", "+.5e-3", "-1E+30", "7", "0.5"]


@pytest.mark.parametrize("text", FORMULAS)
def test_no_cell_is_a_formula(text):
    assert table_cell(text) == f"'{text}"
    assert table_cell(f"a{text}") == f"a{text}"


@pytest.mark.parametrize("text", NUMBERS)
def test_numbers_stay_numbers(text):
    assert table_cell(text) == text
    assert float(table_cell(text)) == float(text)


@pytest.mark.parametrize("text", [*FORMULAS, *NUMBERS, "", "'", "good", "'good'", "'=1", "''=1", "'-1", "''-1", "' =1"])
def test_cells_are_read_as_what_was_written(text):
    assert text_of_cell(table_cell(text)) == text


@given(st.text(alphabet="'=+-@ 1.e\uff1da\"", max_size=8))
def test_any_text_comes_back(text):
    cell = table_cell(text)
    assert text_of_cell(cell) == text
    try:
        float(cell)
    except ValueError:
        assert not cell.strip().startswith(("=", "+", "-", "@", "\uff1d"))
