"""An alarm for every stream of an agent, all learned from the same healthy recordings."""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from dualres.errors import RecordingError
from dualres.judge.healthy_baseline import class_of_healthy
from dualres.judge.model import Model
from dualres.recordings.labels.read import expanded
from dualres.recordings.speed_sources import SpeedSources
from dualres.stream.alarm.alarm import SURE, Alarm, fault_score
from dualres.stream.alarm.alarm_rate import rate_of
from dualres.stream.alarm.e_values import LEAST
from dualres.stream.monitor.block import seconds_between
from dualres.stream.monitor.event import BLOCK, Event
from dualres.stream.monitor.monitor import Monitor
from dualres.stream.watch.sources.recordings_folder import axes_in
from dualres.utils.progress import Progress, quiet

SHORT_ROWS = 3  # one after the other, before a warning
TOO_SHORT = (
    "no rate of false alarms can be promised: {} has {} blocks, too few; every recording stands for a load, and needs "
    f"{LEAST} blocks, about {{:.2g}} minutes without a break"
)


class Alarms:
    """By the names of machines: what is known of one outlasts a restart of its sensor, and its recordings."""

    def __init__(self, template: Alarm, healthy: Sequence[str]) -> None:
        """Every machine's alarm starts as `template`; `healthy` are the classes of machines running well."""
        self.template, self._healthy = template, healthy
        self._alarms: dict[str, Alarm] = {}
        self._in_a_row: dict[str, tuple[int, int]] = {}  # blocks, and rows before them that were too short to bet

    @property
    def promise(self) -> str:
        """The rate of false alarms, or why none is promised."""
        return self.template.state.promise or self.template.state.reason

    def unused(self) -> "Alarms":
        """The same alarms, before any block."""
        return Alarms(self.template, self._healthy)

    def update(self, machine: str, event: Event, *, follows: bool) -> dict[str, Any]:
        """The state of a machine's alarm after a block, as plain data; `follows` as for `Alarm.update`."""
        blocks, short = self._in_a_row.get(machine, (0, 0))
        if blocks and not follows:
            blocks, short = 0, short + 1 if blocks < self.template.least_in_a_row else 0
        self._in_a_row[machine] = blocks + 1, short
        return self._of(machine).update(fault_score(event, self._healthy), follows=follows).as_data()

    def rows_too_short(self, machine: str) -> bool:
        """Whether its blocks come in rows too short for an e-value."""
        return self._in_a_row.get(machine, (0, 0))[1] >= SHORT_ROWS

    def state(self, machine: str) -> dict[str, Any]:
        return self._of(machine).state.as_data()

    def progress(self, machine: str) -> dict[str, Any]:
        """What a machine's alarm goes on from after a restart, as plain data."""
        return self._of(machine).progress

    def resume(self, machine: str, progress: dict[str, Any]) -> None:
        self._alarms[machine] = self.template.another(progress)

    def _of(self, machine: str) -> Alarm:
        return self._alarms.setdefault(machine, self.template.another())


def alarms_at(
    rate: str,
    model: Model,
    healthy: Iterable[Path],
    *,
    block_s: float,
    machines: int = 1,
    label: str | None = None,
    hz: Fraction | None = None,
    speed: SpeedSources | None = None,
    carry_memory: bool = False,
    progress: Progress = quiet,
) -> Alarms:
    """Alarms at a rate of false ones such as "1 per year", learned from files or folders of healthy recordings.

    Every recording stands for a load. `label` is the class of machines running well, and `hz` the rate of recordings
    that do not state it, `speed` the one of their shafts; `carry_memory` as `Monitor` has it.
    """
    good = class_of_healthy(model, label)
    between = rate_of(rate, seconds_between(block_s, model.card.config), machines)
    known = speed or SpeedSources()
    how = {"block_s": block_s, "speedless": not known.used, "carry_memory": carry_memory}
    paths, scores = list(expanded(healthy)), dict[Path, list[float]]()
    for number, path in enumerate(paths):
        progress("Healthy recordings", number, len(paths), path.name)
        scores[path] = _scores(model, path, known, how, healthy=[good], hz=hz)
    template = Alarm.learned(list(scores.values()), blocks_between_false_alarms=between)
    shortest = min(scores, key=lambda path: len(scores[path]), default=None)
    if shortest and len(scores[shortest]) < LEAST:
        template = Alarm(None, between, SURE, TOO_SHORT.format(shortest, len(scores[shortest]), LEAST * block_s / 60))
    return Alarms(template, [good])


def _scores(
    model: Model,
    path: Path,
    speed: SpeedSources,
    how: Mapping[str, Any],
    *,
    healthy: Sequence[str],
    hz: Fraction | None,
) -> list[float]:
    """Of every whole block of a recording, as a monitor judges it that is made with `how`."""
    axes, events = axes_in(path, model, hz), list[Event]()
    monitor = Monitor(model, axes[0].rate, name=str(path), **how)
    if stated := axes[0].speed or speed.stated:
        monitor.tell_speed(stated)
    for blocks in zip(*(axis.blocks() for axis in axes), strict=True):
        events += monitor.push(np.stack(blocks, axis=1))
    found = [fault_score(event, healthy) for event in events if event.kind == BLOCK]
    if not found:
        raise RecordingError(
            f"{path}: is shorter than one block of {how['block_s']:g} s; leave it out or record longer"
        )
    return found
