"""`dualres explain`: why a recording got its verdict."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dualres.cli.console import complain, say
from dualres.cli.folder import (
    BearingOption,
    ChannelOption,
    FolderOptions,
    GearOption,
    RateOption,
    SpeedOptions,
    UnitOption,
    loaded,
    parsed_rate,
    show_left_out,
    told_of_rows,
    with_options,
)
from dualres.cli.over_time import check_picture_file
from dualres.errors import ConfigError
from dualres.utils.json_text import json_text

if TYPE_CHECKING:
    from dualres.explain.reasons import Reasons
    from dualres.explain.report import Case
    from dualres.faultlines.assess import Assessment
    from dualres.judge.model import Model
    from dualres.recordings.recording import Recording

TOP = 5  # regions and moments that are told


@with_options
def explain(
    model: Annotated[Path, typer.Argument(help="A model file, from dualres fit.")],
    file: Annotated[Path, typer.Argument(help="A recording.")],
    channel: ChannelOption = None,
    rate: RateOption = None,
    *,
    axis: Annotated[
        str | None,
        typer.Option(metavar="NAME", show_default="the first", help="Of a model of several axes, the one to explain."),
    ] = None,
    speeds: SpeedOptions,
    bearing: BearingOption = None,
    gear: GearOption = None,
    unit: UnitOption = None,
    labelled: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Labelled recordings; the most similar one is shown beside the file."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
    picture: Annotated[Path | None, typer.Option(help="Draw everything into this file (.png, .svg, .pdf).")] = None,
) -> None:
    """Say why a recording gets its verdict: which bands and which moments spoke for it and against the runner-up.

    With the speed of the shaft and the geometry of a bearing or a gear, look for fault lines as well.
    """
    from dualres.explain.report import MachineFacts, examine
    from dualres.judge.files import read_for
    from dualres.recordings.labels.read import row_of

    if picture:
        check_picture_file(picture)
    row = row_of(file)
    speed = told_of_rows([row], speeds)
    judging = loaded(model)
    recording = replace(read_for(judging, row, channel, parsed_rate(rate), speed=speed), id=str(file))
    # For one recording a speed is stated more exactly than its list has it.
    turning = speed.stated if speed and speed.stated else recording.speed
    machine = MachineFacts.stated(turning, bearing=bearing, gear=gear, unit=unit)
    judging, recording, channel = _one_axis(judging, recording, axis, channel)
    known = FolderOptions(channel=channel, rate=rate).read(labelled) if labelled else None
    if known:
        show_left_out(known)
    case = examine(judging, recording, machine, known.recordings if known else ())
    if (bearing or gear) and case.assessment is None:
        raise ConfigError("fault lines follow the speed; give it by --speed, by --tacho, or in a column of labels.csv")
    if as_json:
        typer.echo(json_text(case.as_data()))
    else:
        for line in _lines(case):
            say(line)
    if picture:
        from dualres.explain.picture import draw_explanation

        draw_explanation(case, picture)
        complain("picture", str(picture), "cyan")


def _one_axis(
    model: Model, recording: Recording, axis: str | None, channel: str | None
) -> tuple[Model, Recording, str | None]:
    """What judges one axis, its signal and its name; of a model that knows one signal only, that one."""
    from dualres.recordings.axes import in_order

    names = model.card.channels if model.card.axes else ()
    if axis is not None and axis not in names:
        known = f"its axes are {', '.join(names)}" if names else "it knows one signal; leave the option out"
        raise ConfigError(f"--axis {axis}: the model has no such axis; {known}")
    if not names:
        return model, recording, channel
    number = names.index(axis) if axis else 0
    complain("axis", f"{names[number]} of {', '.join(names)}: what is said below is said by this one alone", "cyan")
    return model.along(number), in_order(recording, names)[number], names[number]


def _lines(case: Case) -> Iterator[str]:
    verdict, reasons = case.verdict, case.reasons
    rival = f"then {verdict.runner_up} {verdict.probabilities[verdict.runner_up]:.2f}"
    yield f"{verdict.recording}  {verdict.label} {verdict.probability:.2f}  ({rival})"
    yield f"  {case.sentence}"
    if case.answer:
        yield _row("answer", str(case.answer))
    if verdict.sources:
        yield _row("geometry", verdict.source_words)
    yield from _reasons(reasons, case.rate / 2)
    for one in case.nearest if case.neighbours else ():
        yield _row("nearest", f"{one.recording.id}, {one.recording.label}, at a distance of {one.distance:.3g}")
    if case.velocity_mm_s is not None:
        yield _row("velocity", f"{case.velocity_mm_s:.3g} mm/s rms from 10 to 1,000 Hz")
    if case.assessment:
        yield from _fault_lines(case.assessment)


def _reasons(reasons: Reasons, highest_hz: float) -> Iterator[str]:
    yield _row("odds", f"{reasons.logit:+.2f} nats for {reasons.label} against {reasons.rival}")
    yield _row("said by", ", ".join(f"{name} {nats:+.2f}" for name, nats in reasons.heads.items()))
    if reasons.speed:
        yield _row("judged at", f"{_speed(reasons.speed.mean_hz)}, {reasons.speed.source}")
    for against, title in ((False, f"for {reasons.label}"), (True, f"for {reasons.rival}")):
        for share in reasons.top(TOP, against):
            memory = f", through the memory {share.memory:+.2f}" if share.memory else ""
            yield _row(title, f"{share.nats:+.2f}  {share.region.view:<10}  {share.region.heard(highest_hz)}{memory}")
            title = ""
    moments = sorted(reasons.moments, key=lambda moment: moment.strength)
    for title, moment in (("most", moments[-1]), ("least", moments[0])):
        yield _row(f"{title} telling", f"{moment.start_s:.2f} to {moment.end_s:.2f} s")


def _fault_lines(heard: Assessment) -> Iterator[str]:
    band = f"{heard.band.low_hz:,.0f} to {heard.band.high_hz:,.0f} Hz, kurtosis {heard.band.kurtosis:.2f}"
    yield _row("speed", _speed(heard.shaft_hz))
    yield _row("envelope", f"of {band}")
    title = "lines"
    for one in heard.found:
        found = f"found, {100 * one.slip:+.1f} %" if one.named else "not found"
        yield _row(
            title, f"{one.line.name:<13}{one.line.hz:>9.2f} Hz  p {one.adjusted:.3f}  {found}  ({one.line.meaning})"
        )
        title = ""


def _speed(hz: float) -> str:
    return f"{hz:.2f} Hz, {60 * hz:.0f} rpm"


def _row(title: str, text: str) -> str:
    return f"  {title:<16}{text}"
