"""An alarm for a device, learned from recordings as that of `dualres watch` is."""

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from dualres.export.alarm import DeviceAlarm
from dualres.judge.healthy_baseline import class_of_healthy
from dualres.judge.model import Model
from dualres.recordings.speed_sources import SpeedSources
from dualres.stream.watch.alarms import alarms_at
from dualres.utils.progress import Progress, quiet


def alarm_for(
    model: Model,
    rate: str,
    healthy: Sequence[Path],
    *,
    block_s: float,
    machines: int = 1,
    label: str | None = None,
    hz: Fraction | None = None,
    speed: SpeedSources | None = None,
    progress: Progress = quiet,
) -> DeviceAlarm:
    """As `dualres.stream.watch.alarms.alarms_at` learns it from healthy recordings; an error where nothing can be
    promised, for then a device would never raise one."""
    good = class_of_healthy(model, label)
    asked: dict[str, Any] = {"machines": machines, "label": good, "hz": hz, "speed": speed, "progress": progress}
    found = DeviceAlarm(alarms_at(rate, model, healthy, block_s=block_s, **asked).template, rate, good, block_s)
    _ = found.e_values
    return found
