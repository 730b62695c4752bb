"""A recording as a notebook shows it."""

import numpy as np

from dualres.errors import RecordingError
from dualres.recordings.recording import BLOCK, Recording, axes_of
from dualres.utils.notebook import box, facts, sentences, wave

COLUMNS = 240  # of a wave


def recording_html(recording: Recording) -> str:
    """What is known of it, and the wave of its first samples; one that cannot be read says why."""
    label = f", {recording.label}" if recording.label else ""
    try:
        seconds = f"{float(recording.length / recording.rate):.4g} s"
        return box(f"Recording {recording.id}{label}", "", facts(_known(recording, seconds)), _waves(recording))
    except RecordingError as error:
        return box(f"Recording {recording.id}{label}", "cannot be read", sentences([str(error)]))


def _known(recording: Recording, seconds: str) -> dict[str, str]:
    origin, speed = recording.origin, recording.speed
    known = {
        "length": f"{seconds}, {recording.length} samples",
        "rate": f"{float(recording.rate):.10g} Hz{', as was assumed' if origin.rate_assumed else ''}",
        "axes": ", ".join(recording.channels),
        "component": recording.component or "",
        "condition": ", ".join(f"{name} {value}" for name, value in recording.condition.items()),
        "speed": f"{speed.rpm:.5g} rpm, {speed.source}" if speed else "",
        "unit": origin.unit or "",
        "file": str(origin.path or ""),
        "segment": str(origin.part or ""),
    }
    return {name: value for name, value in known.items() if value}


def _waves(recording: Recording) -> str:
    """Of every axis, from its first block: a long recording is not read to its end to be shown."""
    drawn = []
    for axis in axes_of(recording):
        first = next(axis.blocks(BLOCK))
        columns = np.array_split(first, min(COLUMNS, len(first)))
        low, high = ([float(end(one)) for one in columns] for end in (np.min, np.max))
        name = f"{axis.origin.channel}: " if recording.axes else ""
        shown = float(len(first) / axis.rate)
        part = f"the first {shown:.4g} s" if axis.length > len(first) else f"{shown:.4g} s"
        drawn.append(wave(low, high, f"{name}{part}, from {min(low):.4g} to {max(high):.4g}"))
    return "".join(drawn)
