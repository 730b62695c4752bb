import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dualres.errors import ExportError
from dualres.export.sources import doubles, floats, text


@given(st.lists(st.floats(width=32, allow_nan=False, allow_infinity=False), min_size=1, max_size=40))
def test_floats_come_back_to_the_last_bit(values):
    words = re.split(r",\s+", floats(values))
    assert all(word.endswith("f") for word in words)
    again = np.array([float.fromhex(word[:-1]) for word in words], np.float32)
    assert again.tobytes() == np.array(values, np.float32).tobytes()


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=20))
def test_doubles_come_back_to_the_last_bit(values):
    again = np.array([float.fromhex(word) for word in re.split(r",\s+", doubles(values))])
    assert again.tobytes() == np.array(values, np.float64).tobytes()


def test_lines_stay_short():
    assert max(map(len, floats(np.linspace(-1e-30, 1, 100)).splitlines())) <= 150


@given(st.text())
def test_a_name_is_one_plain_literal(name):
    literal = text(name)
    assert re.fullmatch(r'"(?:[ !#->@-\[\]-~]|\\[0-7]{3})*"', literal)
    plain = re.sub(r"\\([0-7]{3})", lambda m: chr(int(m[1], 8)), literal[1:-1])
    assert plain.encode("latin-1").decode() == name


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("written", [floats, doubles])
def test_c_has_no_number_for_what_is_none(written, value):
    with pytest.raises(ExportError, match="which C has no number for; fit the model again"):
        written([1.0, value])
