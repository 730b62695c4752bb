"""`dualres show`: what a recording, a folder of recordings or a model is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape
from rich.table import Table

from dualres.cli.console import console, say
from dualres.cli.folder import ChannelOption, RateOption, SpeedOptions, cost_of, loaded, parsed_rate, with_options
from dualres.errors import RecordingError
from dualres.utils.json_text import json_text

if TYPE_CHECKING:
    from dualres.recordings.formats.contents import Vector
    from dualres.recordings.labels.read import LabelRow
    from dualres.recordings.recording import Recording
    from dualres.recordings.speed import Speed

BARS = " ▁▂▃▄▅▆▇█"
MOST_FILES = 40  # of a folder that are shown


@with_options
def show(
    path: Annotated[Path, typer.Argument(help="A recording, a folder of recordings, or a model file.")],
    channel: ChannelOption = None,
    rate: RateOption = None,
    *,
    speeds: SpeedOptions,
) -> None:
    """Show a recording's facts with a small spectrum, what a folder holds, or a model's card."""
    if path.is_dir():
        _show_folder(path)
    elif path.suffix == ".safetensors":
        _show_model(path)
    else:
        _show_recording(path, channel, parsed_rate(rate), speeds)


def _show_model(path: Path) -> None:
    from dualres.judge.verdict import promised_under, promises_of
    from dualres.learn.estimate_text import expected

    model = loaded(path)
    card = model.card
    for key, value in card.as_data().items():
        named = f"{card.recipe}: " if key == "recipe" and value else ""
        seeds = f", seeds {', '.join(map(str, card.seeds))}" if key == "members" else ""
        told = (
            "; ".join(filter(None, [*promises_of(card), promised_under(card)]))
            if key == "calibration"
            else json_text(value, default=str)
        )
        say(f"{key:<12} {named}{told}{seeds}")
    for sentence in expected(card.estimates):
        say(sentence)
    for sentence in model.geometry.sentences if model.geometry else ():
        say(f"{'geometry':<12} {sentence}")
    if card.axes:
        say(f"{'verdicts':<12} {cost_of(card)}")


@dataclass(frozen=True)
class _SampleBySample:
    """For a file that does not say its rate: its samples can be counted all the same."""

    rate: Fraction | None = Fraction(1)

    def channel_in(self, listing: Sequence[Vector]) -> str | None:
        return None


def _show_recording(path: Path, channel: str | None, rate: Fraction | None, speeds: SpeedOptions) -> None:
    from dualres.recordings.labels.read import LabelRow, read_row, row_of
    from dualres.recordings.recording import axes_of

    known, sources = row_of(path), speeds.sources
    row = LabelRow(path, known.known, None if rate else known.rate)  # channel and rate are shown as they are asked for
    unknown_rate = None if sources else _SampleBySample()  # by a tachometer's channel a rate is needed
    shown = read_row(row, channel, rate, unknown_rate, speed=sources)
    for number, recording in enumerate(axes_of(shown)):
        if number:
            say("")
        for name, text in _facts(recording).items():
            say(f"{name:<10} {text}")


def _facts(recording: Recording) -> dict[str, str]:
    from dualres.recordings.recording import facts_of

    facts, origin, speed = facts_of(recording), recording.origin, recording.speed
    bars = "".join(BARS[round((len(BARS) - 1) * level)] for level in facts.spectrum)
    timed = not origin.rate_assumed
    half = f"{float(recording.rate / 2):g} Hz" if timed else "half the rate"
    return {
        "file": f"{origin.path}",
        **({"read": origin.remark} if origin.remark else {}),
        "channel": f"{origin.channel}",
        "rate": f"{recording.rate} Hz" if timed else "not known; give it by --rate, or in a column rate of labels.csv",
        "length": f"{facts.samples} samples" + (f", {facts.seconds:.3f} s" if timed else ""),
        **({"speed": f"{_speed(speed)}, {speed.source}"} if speed else {}),
        "mean, rms": f"{facts.mean:.4g}, {facts.rms:.4g}",
        "crest": f"{facts.crest:.2f}",
        **({"heard": _speed_heard(recording)} if timed else {}),
        "spectrum": f"{bars}  0 to {half}, log" if bars else "not shown: there are too few samples",
    }


def _speed(speed: Speed) -> str:
    if not speed.varies:
        return f"{speed.rpm:.5g} rpm"
    return f"{60 * min(speed.hz):.5g} to {60 * max(speed.hz):.5g} rpm, {speed.rpm:.5g} in the mean"


def _speed_heard(recording: Recording) -> str:
    """What vibration says of the shaft's speed."""
    from dualres.faultlines.speed_estimate import estimate_speed
    from dualres.faultlines.speed_evidence import MOST_S

    try:
        return str(estimate_speed(next(recording.blocks(int(MOST_S * recording.rate) + 1)), float(recording.rate)))
    except RecordingError:
        return "not clear (the recording is too short)"


def _show_folder(folder: Path) -> None:
    """Its files with what each says of itself, none of them read to its end; what cannot be read says why."""
    from dualres.recordings.labels.read import rows_below

    rows = rows_below(folder, unlabelled=True)
    if not rows:
        raise RecordingError(f"{folder}: there are no recordings in this folder")
    columns = ("File", "Label", "Signals", "Samples", "Rate in Hz", "Seconds")
    table = Table(title=f"{len(rows)} recordings in {folder}", title_justify="left")
    for column in columns:
        table.add_column(column, justify="left" if column in columns[:3] else "right")
    for row in rows[:MOST_FILES]:
        name = row.file.relative_to(folder).as_posix() + row.which
        table.add_row(*map(escape, (name, row.known.get("label") or "", *_held(row))))
    console.print(table)
    if len(rows) > MOST_FILES:
        say(f"and {len(rows) - MOST_FILES} more")


def _held(row: LabelRow) -> tuple[str, str, str, str]:
    """What a file holds: names, samples, rate and seconds of its signals."""
    from dualres.recordings.preview import previews_of

    try:
        signals = previews_of(row.file)
    except RecordingError as error:
        return f"not readable: {str(error).removeprefix(f'{row.file}: ')}", "", "", ""
    rate = row.rate or signals[0].rate
    names = ", ".join(one.name for one in signals[:3]) + ", ..." * (len(signals) > 3)
    seconds = f"{float(signals[0].length / rate):.1f}" if rate else ""
    return names, str(signals[0].length), f"{float(rate):g}" if rate else "not known", seconds
