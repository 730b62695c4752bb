"""An option of `dualres fit` that leaves out the first seconds of each recording, say while a machine runs up."""

from dataclasses import replace

from dualres.learn.workflow import FitOption, FitSettings, register_option
from dualres.recordings.recording import Recording


def trimmed(recording: Recording, seconds: float) -> Recording:
    first = int(seconds * recording.rate)
    return replace(recording, load=lambda: recording.signal[first:])


def trim(settings: FitSettings, seconds: float) -> FitSettings:
    return replace(settings, recordings=tuple(trimmed(r, seconds) for r in settings.recordings))


OPTION = register_option(
    FitOption(
        "--trim", type=float, default=0.0, help="Leave out the first seconds of each recording, this many.", apply=trim
    )
)
