"""The trends of the machines whose recordings lie in a folder.

from dualres.explain.trend.folder import trend_folder

for trend in trend_folder("pump"):
    print(trend.sentence)
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from dualres.errors import ConfigError, DualResError, RecordingError
from dualres.explain.check import CheckedMachine
from dualres.explain.trend.change import ERROR
from dualres.explain.trend.kept import KeptLevels
from dualres.explain.trend.levels import RecordingLevels, levels_of
from dualres.explain.trend.series import Trend, TrendPoint, trend_of
from dualres.explain.trend.times import recording_times
from dualres.judge.verdict import channels_to_read, diagnose_recording
from dualres.recordings.labels.read import LabelRow, read_row, rows_below
from dualres.recordings.readers import Channel
from dualres.recordings.recording import Recording, axes_of
from dualres.utils.progress import Progress, quiet
from dualres.utils.rates import Rate, exact_rate

if TYPE_CHECKING:
    from dualres.judge.model import Model
    from dualres.recordings.speed_sources import SpeedKnown

MACHINE_COLUMNS = ("machine", "asset")  # that tell machines apart, where there is no component


@dataclass(frozen=True)
class TrendSettings:
    """How recordings are read, and what is said of them."""

    machine: CheckedMachine | None = None
    channel: Channel = None
    rate: Fraction | None = None  # Hz, of files that do not state it
    speed: "SpeedKnown" = None
    by_axis: bool = False  # a series for each axis, else axes are pooled
    model: "Model | None" = None  # whose verdicts stand beside the levels
    time: str | None = None  # the column that says when a recording was made
    error: float = ERROR  # share of healthy machines that are ever said to have changed
    healthy: int | str | None = None  # how many of the first recordings are healthy, or the label that they have
    adjust: tuple[str, ...] | None = None  # columns that explain levels


def trend_folder(
    folder: Path | str,
    settings: TrendSettings | None = None,
    *,
    rate: Rate | None = None,
    kept: KeptLevels | None = None,
    progress: Progress = quiet,
) -> list[Trend]:
    """A trend for every machine, by the columns component or machine of a labels.csv.

    Every file is read once; `kept` remembers what was found in it for the next time. A file that cannot be used is left
    out of its series with the reason.
    """
    settings = settings or TrendSettings()
    if rate is not None:
        settings = replace(settings, rate=exact_rate(rate))
    folder = Path(folder)
    if not folder.is_dir():
        raise RecordingError(f"{folder}: there is no such folder; a trend needs one with recordings of a machine")
    rows = rows_below(folder, unlabelled=True, problems=True)
    if not rows:
        raise RecordingError(f"{folder}: there are no recordings in this folder")
    machines: dict[str, list[LabelRow]] = defaultdict(list)
    for row in rows:
        machines[_machine(row)].append(row)
    done, trends = 0, list[Trend]()
    for name, members in sorted(machines.items()):
        reader = _SeriesReader(folder, name, settings, kept)
        for found in reader.read(members):
            progress("Read", done + found, len(rows), "")
        done += len(members)
        trends += reader.trends()
    if all(not trend.points for trend in trends):
        reasons = [reason for trend in trends for reason in trend.left_out]
        raise RecordingError(f"{folder}: none of the {len(rows)} files could be used; {reasons[0][0]}: {reasons[0][1]}")
    return trends


def _machine(row: LabelRow) -> str:
    condition = row.known.get("condition", {})
    return row.known.get("component") or next((condition[name] for name in MACHINE_COLUMNS if condition.get(name)), "")


class _SeriesReader:
    """Reads the recordings of one machine."""

    def __init__(self, folder: Path, name: str, settings: TrendSettings, kept: KeptLevels | None) -> None:
        self._folder, self._name, self._settings, self._kept = folder, name, settings, kept
        self._points: dict[str, list[TrendPoint]] = defaultdict(list)  # by axis
        self._left_out: list[tuple[str, str]] = []
        self._times, self._dated = "", False

    def read(self, rows: Sequence[LabelRow]) -> Iterator[int]:
        """How many are done, after each."""
        times = recording_times(rows, self._settings.time)
        self._times, self._dated = times.source, times.dated
        for number, row in enumerate(rows):
            name, at = self._file(row), times.seconds[number]
            try:
                if row.problem:
                    raise RecordingError(row.problem)
                for axis, levels in self._levels(row).items():
                    if at is None:
                        raise RecordingError(f"nothing says when it was made, and others have {times.source}")
                    known = row.known.get("condition", {})
                    point = TrendPoint(name, at, times.text(number), levels, known, row.known.get("label"))
                    self._points[axis].append(point)
            except DualResError as problem:
                self._left_out.append((name, str(problem).removeprefix(f"{row.file}: ")))
            yield number + 1

    def trends(self) -> Iterator[Trend]:
        """One, or one for each axis."""
        settings = self._settings
        for axis, points in self._points.items() or [("", [])]:
            yield trend_of(
                sorted(points, key=lambda one: (one.at, one.file)),
                machine=self._name,
                axis=axis,
                times=self._times,
                dated=self._dated,
                error=settings.error,
                healthy=settings.healthy,
                adjust=settings.adjust,
                left_out=self._left_out,
            )

    def _file(self, row: LabelRow) -> str:
        try:
            return f"{row.file.relative_to(self._folder).as_posix()}{row.which}"
        except ValueError:
            return f"{row.file}{row.which}"

    def _levels(self, row: LabelRow) -> dict[str, RecordingLevels]:
        if self._kept is not None and (known := self._kept.of(row)):
            return known
        settings = self._settings
        model = settings.model
        channel = channels_to_read(model, settings.channel) if model else settings.channel
        usual = model.training_profile if model else None
        recording = replace(read_row(row, channel, settings.rate, usual, speed=settings.speed), id=self._file(row))
        found = {name: levels_of(one, settings.machine) for name, one in self._series(recording).items()}
        if model:
            verdict = diagnose_recording(model, recording)
            found = {
                name: replace(one, verdict=verdict.label, probability=verdict.probability)
                for name, one in found.items()
            }
        if self._kept is not None:
            self._kept.keep(row, found)
        return found

    def _series(self, recording: Recording) -> dict[str, Recording]:
        if not self._settings.by_axis:
            return {"": recording}
        if not recording.axes:
            raise ConfigError(f"{recording.id}: has one signal, and --by-axis needs several; name them by --axis x,y,z")
        return dict(zip(recording.channels, axes_of(recording), strict=True))
