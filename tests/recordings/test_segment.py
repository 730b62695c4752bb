from fractions import Fraction

import numpy as np
import pytest

from dualres.errors import RecordingError
from dualres.recordings.readers import IN_MEMORY, OnDisk, read
from dualres.recordings.recording import BLOCK, Recording, Segment
from dualres.recordings.segment import SegmentOnDisk, segment_of

RATE = 1000


def noise(samples, seed=1):
    return np.random.default_rng(seed).standard_normal(samples).astype(np.float32)


def recording(samples=3000):
    return Recording.from_array(noise(samples), RATE, id="pump")


@pytest.mark.parametrize(
    ("interval", "first", "stop"),
    [
        (Segment(0.5, 2.0), 500, 2000),
        (Segment(1.0), 1000, 3000),
        (Segment(end_s=0.7), 0, 700),
        (Segment(1.0, 3.0009), 1000, 3000),  # rounded, and a millisecond is forgiven
    ],
)
def test_a_part_has_its_own_samples_and_mean(interval, first, stop):
    part = segment_of(recording(), interval)
    np.testing.assert_array_equal(part.signal, noise(3000)[first:stop])
    assert part.length == stop - first
    assert part.mean == pytest.approx(noise(3000)[first:stop].mean(dtype=float))
    assert part.origin.part == interval


@pytest.mark.parametrize(
    ("interval", "reason"),
    [
        (Segment(0, 3.1), "pump: is 3.000 s long, so end_s 3.1 lies beyond its end; correct it"),
        (Segment(3.0), "so start_s 3 lies beyond its end"),
        (Segment(1, 1.5), "pump, 1 s to 1.5 s: is 0.500 s long, but one window takes 0.512 s; label a longer part"),
        (Segment(2.6), "2.6 s to the end: is 0.400 s long"),
    ],
)
def test_a_part_that_the_file_does_not_have_is_an_error(interval, reason):
    with pytest.raises(RecordingError, match=reason):
        segment_of(recording(), interval)


def test_a_constant_part_is_an_error():
    signal = noise(3000)
    signal[:1000] = 2
    with pytest.raises(RecordingError, match="constant, all 900 samples are 2"):
        segment_of(Recording.from_array(signal, RATE, id="pump"), Segment(0, 0.9))


def test_a_part_of_a_long_recording_stays_on_disk(tmp_path):
    signal = noise(IN_MEMORY + 5)
    np.save(tmp_path / "long.npy", signal)
    whole = read(tmp_path / "long.npy", rate=Fraction(RATE))
    assert isinstance(whole.load, OnDisk)
    first, stop = BLOCK - 7, 3 * BLOCK + 11
    part = segment_of(whole, Segment(first / RATE, stop / RATE))
    assert isinstance(part.load, SegmentOnDisk)
    assert [len(block) for block in part.load.blocks()] == [BLOCK, BLOCK, 18]
    np.testing.assert_array_equal(part.signal, signal[first:stop])
    assert part.length == stop - first
    assert part.mean == Recording.from_array(signal[first:stop], RATE).mean, "to the last bit"


def test_intervals_overlap_unless_one_ends_where_the_other_starts():
    assert Segment(0, 2).overlaps(Segment(1.9, 5))
    assert Segment().overlaps(Segment(7, 8))
    assert not Segment(0, 2).overlaps(Segment(2))
    assert not Segment(2).overlaps(Segment(0, 2))
