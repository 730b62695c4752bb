from fractions import Fraction

import numpy as np
import pytest

from dualres.recordings.formats.contents import LazyArray, Vector, choose, columns, printable

VIBRATION, SPEED = Vector("run.Y.vibration", 100, "f", Fraction(1000)), Vector("run.X.speed", 50, "i")
SPECTRUM, NOTE, GAIN = Vector("spectrum", 100, "c"), Vector("note", 9, "U"), Vector("gain", 1, "f")


def test_a_channel_goes_by_its_full_name_before_its_last_part_and_an_only_one_by_none():
    assert choose([SPECTRUM, VIBRATION, NOTE, GAIN], None) is VIBRATION
    assert choose([VIBRATION, SPEED], "run.X.speed") is SPEED
    assert choose([VIBRATION, SPEED], "vibration") is VIBRATION
    whole = Vector("speed", 10, "f")
    assert choose([SPEED, whole], "speed") is whole


def test_a_number_counts_signals_and_letter_case_matters_only_where_it_must():
    assert choose([VIBRATION, SPEED], "RUN.x.Speed") is SPEED
    assert choose([VIBRATION, SPEED], "Vibration") is VIBRATION
    lower, upper = Vector("x", 10, "f"), Vector("X", 10, "f")
    assert choose([lower, upper], "X") is upper
    assert choose([Vector("a.SPEED", 10, "f"), SPEED], "speed") is SPEED
    time = Vector("time", 100, "t")
    assert choose([time, VIBRATION, NOTE, SPEED], "2") is SPEED
    assert choose([VIBRATION, SPEED], "1") is VIBRATION
    named = Vector("2", 10, "f")
    assert choose([named, VIBRATION], "2") is named


@pytest.mark.parametrize(
    ("listing", "channel", "message"),
    [
        ([VIBRATION, SPEED], "3", r"no signal called 3 .*: run.Y.vibration .*run.X.speed"),
        ([VIBRATION, SPEED], "0", r"no signal called 0 "),
        ([VIBRATION, SPEED], "9" * 5000, "no signal called 9"),
        ([Vector("Ab", 9, "f"), Vector("AB", 9, "f")], "ab", r"2 signals called ab .*: Ab .*AB"),
        ([VIBRATION, Vector("time", 100, "t")], "time", "time is time, and no signal"),
        ([VIBRATION, SPEED], None, r"2 signals .* run.Y.vibration \(100 samples\), .* \(50 samples\)"),
        ([VIBRATION, SPEED], "force", r"no signal called force .*: run.Y.vibration .*run.X.speed"),
        ([SPEED, Vector("run.Z.speed", 7, "i")], "speed", r"2 signals called speed .*: run.X.speed .*run.Z.speed"),
        ([VIBRATION, SPECTRUM], "spectrum", "spectrum is complex"),
        ([VIBRATION, NOTE], "note", "note holds something other than numbers"),
        ([GAIN], None, "gain holds a single sample"),
        ([Vector("a", 0, "f")], None, "a holds no samples"),
        ([NOTE, GAIN], None, "no signal in it: note holds .*, gain holds"),
        ([], None, "there is no signal in it$"),
        ([], "a", "there is no signal in it$"),
    ],
)
def test_what_cannot_be_chosen_is_explained(listing, channel, message):
    with pytest.raises(ValueError, match=message):
        choose(listing, channel)


def test_a_long_list_is_cut_and_cannot_steer_the_terminal():
    listing = [Vector(f"\x1b[2J{i}", 10, "f") for i in range(50)]
    with pytest.raises(ValueError, match=r"\?\[2J19 \(10 samples\) and 30 more") as caught:
        choose(listing, None)
    assert str(caught.value).isprintable()
    assert len(printable("x" * 10_000)) == 300


@pytest.mark.parametrize("shape", [(6, 2), (2, 6)])
def test_a_matrix_is_its_longer_lines(shape):
    matrix = np.arange(12).reshape(shape)
    found = {one: load().tolist() for one, load in columns("m", LazyArray(shape, "i", lambda: matrix))}
    lines = matrix.T if shape == (6, 2) else matrix
    assert found == {Vector("m[0]", 6, "i"): lines[0].tolist(), Vector("m[1]", 6, "i"): lines[1].tolist()}
