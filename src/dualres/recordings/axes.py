"""Which axes recordings have, and those of one in the order in which they are needed."""

from collections.abc import Sequence

from dualres.errors import RecordingError
from dualres.recordings.recording import Recording


def common_channels(recordings: Sequence[Recording]) -> tuple[str, ...]:
    """Names of the axes that all recordings have, as the first one has them; none where each is a single signal."""
    if not recordings:
        return ()
    first = recordings[0]
    for other in recordings[1:]:
        if len(other.axes) != len(first.axes) or not _found(other, first.channels):
            raise RecordingError(
                f"{other.id}: has {_said(other)}, and {first.id} has {_said(first)}; all recordings need the same "
                "axes: choose them by name (--channel x,y,z), or leave it out"
            )
    return first.channels


def in_order(recording: Recording, channels: Sequence[str]) -> tuple[Recording, ...]:
    """The signals of a recording that go by these names; others are left out.

    Letter case and what stands before a dot matter only where they tell names apart. Fewer than two names ask for a
    single signal, which may go by another one. Axes without names are taken in order.
    """
    found = _found(recording, channels)
    if found:
        return found
    needed = f"the axes {', '.join(channels)}" if len(channels) > 1 else channels[0] if channels else "one signal"
    raise RecordingError(
        f"{recording.id}: has {_said(recording)}, and the model judges {needed}; choose signals of these names, "
        "or fit a model of these recordings"
    )


def _found(recording: Recording, channels: Sequence[str]) -> tuple[Recording, ...]:
    if not recording.axes:
        return (recording,) if len(channels) < 2 else ()
    if not channels:
        return ()
    for fold in (str, str.casefold, lambda name: name.rpartition(".")[2].casefold()):
        names = [fold(name) for name in recording.channels]
        if all(names.count(fold(name)) == 1 for name in channels):
            return tuple(recording.axes[names.index(fold(name))] for name in channels)
    numbers = tuple(str(number) for number in range(1, len(channels) + 1))
    nameless = numbers in (recording.channels, tuple(channels))
    return recording.axes if nameless and len(recording.axes) == len(channels) else ()


def _said(recording: Recording) -> str:
    return f"{len(recording.axes)} axes ({', '.join(recording.channels)})" if recording.axes else "one signal"
