"""Which axes recordings have, and those of one in the order in which they are needed."""

from collections.abc import Sequence

from dualres.errors import RecordingError
from dualres.recordings.recording import Recording


def common_channels(recordings: Sequence[Recording]) -> tuple[str, ...]:
    """Names of the axes that all recordings have, in the first one's order; none where each has a single signal."""
    first, *others = recordings
    for other in others:
        if len(other.axes) != len(first.axes) or set(other.channels) != set(first.channels):
            raise RecordingError(
                f"{other.id}: has {_said(other)}, and {first.id} has {_said(first)}; all recordings need the same "
                "axes: choose them by name (--channel x,y,z), or leave it out"
            )
    return first.channels


def in_order(recording: Recording, channels: Sequence[str]) -> tuple[Recording, ...]:
    """The signals of a recording that go by these names, in any letter case where that is unique; others are left out.

    Fewer than two names ask for a single signal, which may go by another one. Axes without names are taken in order.
    """
    if not recording.axes:
        if len(channels) < 2:
            return (recording,)
    elif len(channels) == len(recording.axes) and not any(axis.origin.channel for axis in recording.axes):
        return recording.axes
    elif channels:
        for fold in (str, str.casefold):
            names = [fold(name) for name in recording.channels]
            if all(names.count(fold(name)) == 1 for name in channels):
                return tuple(recording.axes[names.index(fold(name))] for name in channels)
    needed = f"the axes {', '.join(channels)}" if len(channels) > 1 else channels[0] if channels else "one signal"
    raise RecordingError(
        f"{recording.id}: has {_said(recording)}, and the model judges {needed}; choose signals of these names, "
        "or fit a model of these recordings"
    )


def _said(recording: Recording) -> str:
    return f"{len(recording.axes)} axes ({', '.join(recording.channels)})" if recording.axes else "one signal"
