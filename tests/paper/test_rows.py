import pytest

from dualres.paper.rows import rows


def test_every_line_is_a_row_by_its_name():
    assert rows("""
        dualres   1.5  1_024
        mambasl  -2
    """) == {"dualres": (1.5, 1024.0), "mambasl": (-2.0,)}


def test_what_is_no_number_is_refused():
    with pytest.raises(ValueError, match="much"):
        rows("dualres much")
