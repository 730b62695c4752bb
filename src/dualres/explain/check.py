"""A recording's first verdict without any label, by what is known of its machine."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from dualres.errors import ConfigError, DualResError, RecordingError
from dualres.faultlines.bearing import bearing_of
from dualres.faultlines.check import ERROR, Check, Machine, cannot_tell, check_signals
from dualres.faultlines.fault_orders import FaultOrders, orders_of
from dualres.faultlines.growth import LEAST_HEALTHY, HealthyMachine
from dualres.faultlines.lines import teeth_of
from dualres.faultlines.order_spectra import BLOCK_S
from dualres.faultlines.severity import velocity_rms, zone_of
from dualres.faultlines.speed_estimate import estimate_speed
from dualres.faultlines.speed_evidence import MOST_S
from dualres.faultlines.unknown_bearing import elements_of
from dualres.recordings.labels.read import LabelRow, read_row, row_of
from dualres.recordings.readers import Channel
from dualres.recordings.recording import Recording, axes_of
from dualres.recordings.speed import Speed, SpeedGiven
from dualres.utils.rates import Rate, exact_rate

COLUMNS = ("bearing", "orders", "gear", "unit")  # of a labels.csv, that say what a machine is


@dataclass(frozen=True)
class CheckedMachine:
    """What is known of a machine, as people write it."""

    bearing: str | None = None
    orders: str | None = None
    gear: str | None = None
    unit: str | None = None  # of the samples
    zones: tuple[float, ...] | None = None  # mm/s, between zones A, B, C and D

    def with_columns(self, condition: Mapping[str, str]) -> "CheckedMachine":
        """With what a list says of a recording, where nothing else does."""
        left = [name for name in COLUMNS if getattr(self, name) is None]
        listed: dict[str, Any] = {name: condition[name] for name in left if condition.get(name)}
        if self.orders or self.bearing:  # one says what the other would
            listed.pop("bearing", None)
            listed.pop("orders", None)
        return replace(self, **listed)

    @property
    def known(self) -> Machine:
        orders = orders_of(self.orders) if self.orders else None
        elements = elements_of(self.bearing) if self.bearing and not orders else None
        if orders is None and elements is None and self.bearing:
            orders = FaultOrders.of_bearing(bearing_of(self.bearing))
        return Machine(orders, teeth_of(self.gear) if self.gear else None, elements)


@dataclass(frozen=True)
class CheckedRecording:
    """A recording's check, and what else is said of it."""

    file: str
    check: Check
    speed: Speed | None = None
    axes: tuple[str, ...] = ()
    velocity_mm_s: float | None = None  # rms, the largest of all axes, where the unit is known
    zone: str | None = None  # where the limits are given

    def as_data(self) -> dict[str, Any]:
        said: dict[str, Any] = {"file": self.file, **self.check.as_data()}
        if self.speed:
            said["speed_source"] = self.speed.source
        if self.axes:
            said["axes"] = list(self.axes)
        if self.velocity_mm_s is not None:
            said["velocity_mm_s"] = self.velocity_mm_s
        if self.zone:
            said["zone"] = self.zone
        return said


def check_recording(
    recording: Recording,
    machine: CheckedMachine | None = None,
    *,
    error: float = ERROR,
    healthy: HealthyMachine | None = None,
) -> CheckedRecording:
    """Look for faults of a machine in all axes of a recording, at the speed that it states or that is found surely.

    Where the machine is known while it was `healthy`, its shaft is judged by what has grown; a recording that is one of
    these is compared with the others.
    """
    machine = (machine or CheckedMachine()).with_columns(recording.condition)
    axes, rate = axes_of(recording), float(recording.rate)
    speed = None if recording.speedless else recording.speed or _estimated(axes, rate)
    velocity = max(velocity_rms(axis.signal, rate, machine.unit) for axis in axes) if machine.unit else None
    zone = zone_of(velocity, machine.zones) if velocity is not None and machine.zones else None
    if speed is None:
        found = cannot_tell("the speed of the shaft is not known, and the vibration does not tell it")
    else:
        blocks = [axis.blocks(int(BLOCK_S * rate)) for axis in axes]
        seconds = float(recording.length / recording.rate)
        others = healthy and healthy.without(recording.id)
        found = check_signals(blocks, rate, speed.over, seconds, machine=machine.known, error=error, healthy=others)
    return CheckedRecording(recording.id, found, speed, recording.channels, velocity, zone)


def healthy_machine(recordings: Iterable[Recording], machine: CheckedMachine | None = None) -> HealthyMachine:
    """What recordings of a machine, or of sisters of it, say of how it is while it runs well."""
    asked = replace(machine or CheckedMachine(), gear=None)  # the shaft is all that is compared
    checks = [(one.id, check_recording(one, asked).check) for one in recordings]
    known = tuple(filter(None, (check.healthy(name) for name, check in checks)))
    if len(known) < LEAST_HEALTHY:
        reasons = "".join(f"; {name}: {check.said}" for name, check in checks if check.spectra is None)
        raise ConfigError(
            f"{len(known)} healthy recordings can be compared with; give {LEAST_HEALTHY} or more{reasons}"
        )
    return HealthyMachine(known)


def check_rows(
    rows: Iterable[LabelRow],
    machine: CheckedMachine,
    read: Callable[[LabelRow], Recording],
    *,
    error: float = ERROR,
    healthy: HealthyMachine | None = None,
) -> Iterator[tuple[LabelRow, CheckedRecording | None, str]]:
    """Each row with its check, or with the reason why there is none."""
    for row in rows:
        try:
            recording = replace(read(row), id=row_name(row))
            yield row, check_recording(recording, machine, error=error, healthy=healthy), ""
        except DualResError as problem:
            yield row, None, str(problem)


def row_name(row: LabelRow) -> str:
    """Of a recording, as it is told."""
    return f"{row.file}{row.which}"


def check_file(
    path: Path | str,
    machine: CheckedMachine | None = None,
    *,
    channel: Channel = None,
    rate: Rate | None = None,
    speed: SpeedGiven | None = None,
    healthy: HealthyMachine | None = None,
) -> CheckedRecording:
    """As `check_recording`, of a file; `rate` and `speed` serve where neither it nor a list beside it states them."""
    row = row_of(Path(path))
    recording = read_row(row, channel, None if rate is None else exact_rate(rate), speed=speed)
    return check_recording(replace(recording, id=str(path)), machine, healthy=healthy)


def _estimated(axes: Iterable[Recording], rate: float) -> Speed | None:
    """By vibration alone, where it is sure."""
    for axis in axes:
        try:
            found = estimate_speed(next(iter(axis.blocks(int(MOST_S * rate)))), rate)
        except RecordingError:
            continue
        if found.sure:
            return Speed((found.hz,), source="estimated")
    return None
