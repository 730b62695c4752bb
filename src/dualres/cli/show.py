"""`dualres show`: what a recording or a model is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dualres.cli.console import say
from dualres.cli.folder import ChannelOption, RateOption, SpeedOptions, cost_of, loaded, parsed_rate, with_options

if TYPE_CHECKING:
    from dualres.recordings.recording import Recording
    from dualres.recordings.speed import Speed

BARS = " ▁▂▃▄▅▆▇█"


@with_options
def show(
    path: Annotated[Path, typer.Argument(help="A recording or a model file.")],
    channel: ChannelOption = None,
    rate: RateOption = None,
    *,
    speeds: SpeedOptions,
) -> None:
    """Show a recording's facts with a small spectrum, or a model's card."""
    from dualres.judge.verdict import promises_of
    from dualres.learn.estimate_text import sentences
    from dualres.recordings.labels.read import LabelRow, read_row, row_of
    from dualres.recordings.recording import axes_of, facts_of

    if path.suffix == ".safetensors":
        card = loaded(path).card
        for key, value in card.as_data().items():
            named = f"{card.recipe}: " if key == "recipe" and value else ""
            seeds = f", seeds {', '.join(map(str, card.seeds))}" if key == "members" else ""
            told = "; ".join(promises_of(card)) if key == "calibration" else json.dumps(value, default=str)
            say(f"{key:<12} {named}{told}{seeds}")
        for entry in card.estimates:
            for sentence in sentences(entry):
                say(sentence)
        if card.axes:
            say(f"{'verdicts':<12} {cost_of(card)}")
        return
    known = row_of(path)
    row = LabelRow(path, known.known, None if rate else known.rate)  # channel and rate are shown as they are asked for
    shown = read_row(row, channel, parsed_rate(rate), speed=speeds.sources)
    for number, recording in enumerate(axes_of(shown)):
        if number:
            say("")
        facts = facts_of(recording)
        bars = "".join(BARS[round((len(BARS) - 1) * level)] for level in facts.spectrum)
        speed = recording.speed
        for name, text in {
            "file": f"{recording.origin.path}",
            "channel": f"{recording.origin.channel}",
            "rate": f"{recording.rate} Hz",
            "length": f"{facts.samples} samples, {facts.seconds:.3f} s",
            **({"speed": f"{_speed(speed)}, {speed.source}"} if speed else {}),
            "mean, rms": f"{facts.mean:.4g}, {facts.rms:.4g}",
            "crest": f"{facts.crest:.2f}",
            "heard": _speed_heard(recording),
            "spectrum": f"{bars}  0 to {float(recording.rate / 2):g} Hz, log",
        }.items():
            say(f"{name:<10} {text}")


def _speed(speed: Speed) -> str:
    if not speed.varies:
        return f"{speed.rpm:.5g} rpm"
    return f"{60 * min(speed.hz):.5g} to {60 * max(speed.hz):.5g} rpm, {speed.rpm:.5g} in the mean"


def _speed_heard(recording: Recording) -> str:
    """What vibration says of the shaft's speed."""
    from dualres.errors import RecordingError
    from dualres.faultlines.speed_estimate import estimate_speed
    from dualres.faultlines.speed_evidence import MOST_S

    try:
        return str(estimate_speed(next(recording.blocks(int(MOST_S * recording.rate) + 1)), float(recording.rate)))
    except RecordingError:
        return "not clear (the recording is too short)"
