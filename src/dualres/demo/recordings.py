"""Recordings of the demonstration as files, for the page and for whatever else takes a folder."""

import csv
import io
from collections import defaultdict
from pathlib import Path

import numpy as np

from dualres.demo.run import Demo
from dualres.recordings.labels.read import LABELS
from dualres.recordings.recording import Recording
from dualres.simulated import rig as simulated
from dualres.utils.files import write_whole

SECONDS = 4  # of each
TO_JUDGE = 2  # recordings of each class without a label


def write_recordings(demo: Demo, folder: Path) -> Path:
    """What was learned from, with its labels, and a few of what was judged, without; beside a list of all of them."""
    everything = {one.id: one for one in simulated.recordings()}
    learned = dict.fromkeys(name for name, _ in demo.support.origins)
    others: dict[str | None, list[str]] = defaultdict(list)
    for name in demo.fold.evaluation:
        others[everything[name].label].append(name)
    judged = [name for names in others.values() for name in names[:TO_JUDGE]]
    conditions = sorted({column for one in everything.values() for column in one.condition} - {"severity"})
    table = io.StringIO()
    rows = csv.writer(table, lineterminator="\n")
    rows.writerow(["file", "label", *conditions])
    for name in (*learned, *judged):
        one = everything[name]
        _write(one, folder / f"{name}.wav")
        rows.writerow(
            [f"{name}.wav", one.label if name in learned else "", *(one.condition.get(c, "") for c in conditions)]
        )
    write_whole(folder / LABELS, table.getvalue().encode())
    return folder


def _write(recording: Recording, path: Path) -> None:
    """As a sound file of 32-bit floats; the samples are not changed."""
    import soundfile

    sound = io.BytesIO()
    samples = np.asarray(recording.signal[: SECONDS * int(recording.rate)])
    soundfile.write(sound, samples, int(recording.rate), format="WAV", subtype="FLOAT")
    write_whole(path, sound.getvalue())
