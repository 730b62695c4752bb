"""The dataset of the simulated rig (`dualres.simulated.rig`): nothing to download, nothing to prepare."""

from dataclasses import replace
from fractions import Fraction

from dualres.bench.datasets.release import described
from dualres.simulated.rig import CHANNEL, CLASSES, NAME, RATE, recordings, settings

_LABELS = {setting.id: setting.label for setting in settings()}

RELEASE = replace(
    described(NAME, channel=CHANNEL, rate=Fraction(RATE), classes=CLASSES, label_of=_LABELS.__getitem__),
    generate=recordings,
)
