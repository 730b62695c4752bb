"""A part of a recording, from one second to another, as a recording of its own."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from dualres.config import ModelConfig
from dualres.errors import RecordingError
from dualres.recordings.readers import checked
from dualres.recordings.recording import BLOCK, Blockwise, Recording, Samples, Segment, mean_of, regrouped, sliced
from dualres.recordings.windows import samples_for, shortage

TOLERANCE_S = 0.001  # s by which a part may end after its file: people round


def segment_of(recording: Recording, part: Segment) -> Recording:
    """The samples of `recording` within `part`; on disk if they are there. Its origin says so.

    An error if the part reaches beyond the recording, is too short for a window, or is constant.
    """
    speed = recording.speed and recording.speed.between(part.start_s, part.end_s)
    if recording.axes:
        axes = tuple(segment_of(axis, part) for axis in recording.axes)
        return replace(recording, axes=axes, origin=replace(recording.origin, part=part), speed=speed)
    name, rate, length = recording.origin.path or Path(recording.id), recording.rate, recording.length
    seconds = float(length / rate)
    if part.start_s >= seconds or (part.end_s is not None and part.end_s > seconds + TOLERANCE_S):
        beyond = f"start_s {part.start_s:g}" if part.start_s >= seconds else f"end_s {part.end_s:g}"
        raise SegmentError(
            f"{name}: is {seconds:.3f} s long, so {beyond} lies beyond its end; correct it, or leave the cell empty"
        )
    first = round(part.start_s * rate)
    stop = length if part.end_s is None else min(round(part.end_s * rate), length)
    window = samples_for(ModelConfig.window, ModelConfig.rate, rate)
    if stop - first < window:
        raise SegmentError(f"{name}, {part}: is {shortage(stop - first, window, rate)}; label a longer part")
    load: Callable[[], Samples]
    if isinstance(recording.load, Blockwise):
        there = SegmentOnDisk(recording.load, first, stop - first)
        load = replace(there, mean=mean_of(checked(name, there.blocks())))
    else:
        load = SegmentInMemory(recording.load, first, stop)
        for _ in checked(name, sliced(load(), BLOCK)):
            pass
    return replace(recording, load=load, origin=replace(recording.origin, part=part), speed=speed)


class SegmentError(RecordingError):
    """A part that its file does not have: a mistake in the list, not in the file."""


@dataclass(frozen=True)
class SegmentInMemory:
    """The samples from `first` until before `stop`, of what `whole` loads."""

    whole: Callable[[], Samples]
    first: int
    stop: int

    def __call__(self) -> Samples:
        return self.whole()[self.first : self.stop]


@dataclass(frozen=True)
class SegmentOnDisk(Blockwise):
    """As `SegmentInMemory`, of samples in blocks; those before `first` are passed over, those behind it not read."""

    whole: Blockwise
    first: int
    length: int
    mean: float = math.nan

    def blocks(self) -> Iterator[Samples]:
        return regrouped(self._pieces(), min(BLOCK, self.length))

    def _pieces(self) -> Iterator[Samples]:
        at, stop = 0, self.first + self.length  # in the whole
        for block in self.whole.blocks():
            piece = block[max(self.first - at, 0) : stop - at]
            if piece.size:
                yield piece
            at += len(block)
            if at >= stop:
                return
