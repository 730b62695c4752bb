from pathlib import Path

import numpy as np
import pytest

from dualres.errors import RecordingError
from dualres.recordings.checks import checked

FILE = Path("a.wav")


def blocks(*values, dtype=np.float64):
    return [np.array(block, dtype=dtype) for block in values]


def test_blocks_come_as_float32_in_their_order():
    found = list(checked(FILE, blocks([1, 2], [3], dtype=">i2")))
    assert [block.tolist() for block in found] == [[1, 2], [3]]
    assert all(block.dtype == np.float32 for block in found)


def test_float32_is_not_copied():
    (block,) = blocks([1, 2], dtype=np.float32)
    assert next(checked(FILE, [block])) is block


@pytest.mark.parametrize(
    ("vectors", "message"),
    [
        (blocks([0, 1], [np.nan, 2], [3, np.nan]), "2 of 6 samples are NaN, the first is number 2"),
        (blocks([0, np.inf], [np.nan, -np.inf]), "1 of 4 samples are NaN, the first is number 2"),
        (blocks([0, 1], [-np.inf], [1, np.inf]), "2 of 5 samples are infinite, the first is number 2"),
        (blocks([0, 1], [1e39], [2]), r"it has samples beyond 3\.4e38"),
        (blocks([1e39], [np.nan]), "1 of 2 samples are NaN, the first is number 1"),
        (blocks([2.5, 2.5], [2.5]), r"the signal is constant, all 3 samples are 2\.5; was the sensor connected"),
    ],
)
def test_what_is_wrong_is_told_of_the_whole_signal(vectors, message):
    with pytest.raises(RecordingError, match=rf"a\.wav: {message}"):
        list(checked(FILE, vectors))


def test_nothing_unusable_is_handed_out():
    handed = []
    with pytest.raises(RecordingError, match="NaN"):
        handed.extend(checked(FILE, blocks([0, 1], [np.nan], [2, 3])))
    assert [block.tolist() for block in handed] == [[0, 1]]


def test_two_constant_blocks_may_differ():
    assert len(list(checked(FILE, blocks([1, 1], [2, 2])))) == 2
