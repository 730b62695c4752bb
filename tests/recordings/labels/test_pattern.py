"""What names of files say, by a pattern; what is no pattern says so."""

import time

import pytest

from dualres.errors import ConfigError
from dualres.recordings.labels.pattern import NamePattern

SAID = [
    ("{label}_{component}_{load}.wav", "inner_b3_2.wav", {"label": "inner", "component": "b3", "load": "2"}),
    ("{label}_{component}_{load}", "rig/day 1/inner_b3_2.5.flac", {"label": "inner", "component": "b3", "load": "2.5"}),
    ("{label}_{load}.wav", "inner_race_2.wav", None),  # a place holds no mark that ends one
    ("{label}_*_{load}.wav", "inner_race_2.wav", {"label": "inner", "load": "2"}),
    ("{component}/{label}-{speed}rpm", "b7/out-60rpm.wav", {"component": "b7", "label": "out", "speed": "60"}),
    ("{label}.wav", "inner.wav", {"label": "inner"}),
    ("{label}.wav", "inner.csv", None),
    ("{Load}kN*", "2kN run.wav", {"load": "2"}),
    ("[{label}] (*)", "[good] (1).wav", {"label": "good"}),
]  # fmt: skip


@pytest.mark.parametrize(("pattern", "name", "cells"), SAID)
def test_a_pattern_reads_names(pattern: str, name: str, cells: dict[str, str] | None) -> None:
    assert NamePattern.parsed(pattern).cells(name) == cells


REFUSED = [
    ("", "1 to 200 characters"),
    ("name.wav", "names each of 1 to 10 columns"),
    ("{label}{load}", "side by side"),
    ("{label}_{label}", "once"),
    ("{label_{load}", "brace stands alone"),
    ("{file}_{label}", "the column file says which samples"),
    ("{}_x", "is no column"),
    ("{label}a*b*c*d*", "at most 3 places"),
]


@pytest.mark.parametrize(("pattern", "said"), REFUSED)
def test_what_is_no_pattern_is_told(pattern: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        NamePattern.parsed(pattern)


def test_a_hostile_name_is_tried_quickly() -> None:
    pattern = NamePattern.parsed("{label}a{load}a*ab")
    begin = time.process_time()
    assert pattern.cells("a" * 250) is None
    assert time.process_time() - begin < 2
