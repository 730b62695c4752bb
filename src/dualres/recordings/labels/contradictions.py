"""The same samples under two labels: nothing can be learned from both."""

from collections import defaultdict
from collections.abc import Iterable
from itertools import combinations

from dualres.errors import RecordingError
from dualres.recordings.recording import Recording, Segment, axes_of


def refuse_contradictions(recordings: Iterable[Recording]) -> None:
    """An error if the same bytes, or the same seconds of them, carry two labels."""
    same: dict[tuple[str, str | None], list[Recording]] = defaultdict(list)
    for recording in recordings:
        for axis in axes_of(recording):
            if axis.origin.sha256:
                same[axis.origin.sha256, axis.origin.channel].append(recording)
    for members in same.values():
        for one, other in combinations(members, 2):
            if one.label != other.label and _span(one).overlaps(_span(other)):
                raise RecordingError(
                    f"{one.id} is labelled {one.label} and {other.id} is labelled {other.label}, but they hold the "
                    "same bytes; correct a label, or remove one of the files"
                )


def _span(recording: Recording) -> Segment:
    return recording.origin.part or Segment()
