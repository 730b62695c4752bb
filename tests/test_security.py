"""The limits that SECURITY.md states are those of the code."""

from pathlib import Path

from dualres.model_file.integrity import LARGEST_FILE
from dualres.recordings.formats import text
from dualres.recordings.labels import table as labels

STATED = " ".join((Path(__file__).parents[1] / "SECURITY.md").read_text().split())


def test_the_limits_are_those_of_the_code():
    assert f"a safetensors file of at most {LARGEST_FILE // 2**20} MiB" in STATED
    assert f"{text.LONGEST_LINE:,} characters in a line" in STATED
    assert f"2**{text.MOST_NUMBERS.bit_length() - 1} numbers in a table" in STATED
    assert 1 << (text.MOST_NUMBERS.bit_length() - 1) == text.MOST_NUMBERS
    assert f"{labels.LARGEST // 2**20} MiB in a `labels.csv`" in STATED
