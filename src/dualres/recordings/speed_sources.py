"""From where the speed of a recording is taken: its list, its file, a channel beside its signal, or somebody's word."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import TypeAlias

from dualres.errors import ConfigError, RecordingError
from dualres.recordings.formats.contents import choose
from dualres.recordings.preview import SignalPreview, previews_of
from dualres.recordings.recording import Recording
from dualres.recordings.speed import Speed, SpeedGiven, given_speed, speed_in, unit_of
from dualres.recordings.tachometer import recorded_speed, tachometer_speed

CONTRADICTION = 0.05  # by how much two statements of one speed may differ, as a share
NONE = "none"  # what is written for no speed at all


class SpeedError(RecordingError):
    """Two statements of one speed that contradict each other: a mistake of the list or the command, not of the file."""


@dataclass(frozen=True)
class SpeedSources:
    """How the speed of recordings is known, besides what their lists and files state."""

    stated: Speed | None = None  # of recordings that state none
    tacho: str | None = None  # the channel of the same file that holds a tachometer's pulses
    pulses: int = 1  # of the tachometer, per revolution
    channel: str | None = None  # the one that holds the speed itself, in rpm, or in Hz if its name or unit says so
    used: bool = True  # False: no recording has a speed, whatever it states

    def __post_init__(self) -> None:
        if self.pulses < 1:
            raise ConfigError(f"{self.pulses} pulses per revolution: at least one is needed")
        if sum((self.stated is not None, self.tacho is not None, self.channel is not None, not self.used)) > 1:
            raise ConfigError("a speed, a tachometer and a channel of the speed all say the speed; give one of them")

    @classmethod
    def of(cls, given: SpeedSources | SpeedGiven | None) -> SpeedSources:
        """Of a speed, as a number of rpm or a text such as "29.95Hz"; "none" is for no speed at all."""
        if isinstance(given, SpeedSources):
            return given
        if isinstance(given, str) and given.strip().casefold() == NONE:
            return cls(used=False)
        return cls(given_speed(given))

    @property
    def options(self) -> list[str]:
        """As commands take them."""
        if not self.used:
            return ["--speed", NONE]
        given = {"--speed": self.stated and f"{self.stated.mean_hz!r}Hz", "--speed-channel": self.channel}
        tacho = ["--tacho", self.tacho, "--pulses", str(self.pulses)] if self.tacho else []
        return [*tacho, *(each for name, text in given.items() if text for each in (name, text))]

    def known(self, whole: Recording, cut: Callable[[Recording], Recording]) -> Recording:
        """What `cut` takes of a recording, with the speed that holds there by all that states or measures it."""
        path = whole.origin.path
        measured = self.measured(path, whole.rate) if path else None
        return self.settled(cut(replace(whole, speed=measured or whole.speed)))

    def measured(self, path: Path, rate: Fraction | None) -> Speed | None:
        """By a channel of the file, where one is named; `rate` in Hz serves a channel that does not say its own."""
        name = self.tacho or self.channel
        if name is None:
            return None
        there = previews_of(path)
        try:
            found = choose([one.listed for one in there], name)
            beside = next(one for one in there if one.listed == found)
            return self._by(beside, _rate_of(beside, rate))
        except (ValueError, RecordingError) as error:
            raise RecordingError(f"{path}: {name}: {str(error).removeprefix(f'{path}: ')}") from None

    def _by(self, beside: SignalPreview, rate: float) -> Speed:
        samples = beside.samples(0, beside.length)
        if self.tacho is not None:
            return tachometer_speed(samples, rate, self.pulses)
        return recorded_speed(samples, rate, unit_of(f"{beside.name} {beside.listed.unit}"))

    def settled(self, recording: Recording) -> Recording:
        """The recording, whose speed is that of its file so far, with the one that holds.

        What was measured beside the signal comes first, then the list, then what the file states. What somebody states
        of all serves the others. Two statements must agree.
        """
        if not self.used:
            return replace(recording, speed=None, speedless=True)
        own, listed = recording.speed, speed_in(recording.condition)
        said = "its channel measures" if own and own.source == "measured" else "the file says"
        _agree(recording, ("the list states", listed), (said, own))
        _agree(recording, ("the speed is given as", self.stated), ("the list states", listed))
        _agree(recording, ("the speed is given as", self.stated), (said, own))
        measured = own if own and own.source == "measured" else None
        return replace(recording, speed=measured or listed or own or self.stated)


SpeedKnown: TypeAlias = SpeedSources | SpeedGiven | None


def _rate_of(beside: SignalPreview, rate: Fraction | None) -> float:
    known = beside.rate or rate
    if known is None:
        raise RecordingError("the file does not say its sampling rate; give it in Hz (rate=..., --rate)")
    return float(known)


def _agree(recording: Recording, one: tuple[str, Speed | None], other: tuple[str, Speed | None]) -> None:
    (first, stated), (second, known) = one, other
    if stated is None or known is None:
        return
    if not (1 - CONTRADICTION) * min(known.hz) <= stated.mean_hz <= (1 + CONTRADICTION) * max(known.hz):
        at_most = f" to {60 * max(known.hz):.5g}" if known.varies else ""
        raise SpeedError(
            f"{recording.origin.path or recording.id}: {first} {stated.rpm:.5g} rpm, and {second} "
            f"{60 * min(known.hz):.5g}{at_most} rpm; correct one of them, or judge without a speed (--speed none)"
        )
