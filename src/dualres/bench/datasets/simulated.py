"""The dataset of the simulated rig (`dualres.simulated.rig`): nothing to download, nothing to prepare."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from dualres.bench.datasets.release import Index, described
from dualres.errors import RecordingError
from dualres.simulated.rig import CHANNEL, CLASSES, NAME, RATE, recordings, settings


def index(folder: Path) -> Index:
    raise RecordingError(f"{folder}: the dataset {NAME} comes with dualres; there is nothing to prepare")


_LABELS = {setting.id: setting.label for setting in settings()}


def label_of(recording: str) -> str:
    return _LABELS[recording]


RELEASE = replace(
    described(NAME, index, channel=CHANNEL, rate=Fraction(RATE), classes=CLASSES, label_of=label_of),
    generate=recordings,
)
