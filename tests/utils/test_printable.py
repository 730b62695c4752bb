import pytest

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


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@sum(a1)", "=cmd()"])
def test_no_cell_is_a_formula(text):
    assert table_cell(text) == f"'{text}"
    assert table_cell(f"a{text}") == f"a{text}"
