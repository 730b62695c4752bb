"""`dualres diagnose`: verdicts on recordings."""

from __future__ import annotations

import csv
import sys
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from typer.core import TyperCommand

from dualres.cli.console import complain, counted, echo
from dualres.cli.diagnose_notes import VerdictNotes
from dualres.cli.folder import ChannelOption, RateOption, SpeedOptions, loaded, parsed_rate, told_of_rows, with_options
from dualres.cli.over_time import check_picture, draw, judged_over_time
from dualres.errors import ConfigError
from dualres.utils.json_text import json_text
from dualres.utils.printable import table_cell

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from fractions import Fraction

    from dualres.judge.files import FileVerdict, JointVerdicts
    from dualres.judge.healthy_baseline import Baseline
    from dualres.judge.model import Model
    from dualres.judge.verdict import Verdict
    from dualres.recordings.speed_sources import SpeedSources

BEFORE = ("verdict", "probability", "runner_up", "probabilities")  # in JSON, of the verdict of an earlier model
SEGMENT_S = 10.0  # of --over-time without a number: about forty windows, so that one of them alone turns no verdict


@with_options
def diagnose(
    model: Annotated[Path, typer.Argument(help="A model file, from dualres fit.")],
    files: Annotated[
        list[Path],
        # One that cannot be read keeps nobody from judging the others.
        typer.Argument(readable=False, help="Recordings, or folders with recordings and perhaps a labels.csv."),
    ],
    channel: ChannelOption = None,
    rate: RateOption = None,
    *,
    speeds: SpeedOptions,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object per line.")] = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Comma-separated values with a header.")] = False,
    together: Annotated[
        bool,
        typer.Option(
            "--together",
            help="Let all files correct each other's verdicts, per operating condition that a folder's labels.csv "
            "names (docs/adaptation.md). For files of several classes.",
        ),
    ] = False,
    healthy: Annotated[
        list[Path] | None,
        typer.Option(
            help="A recording of this very machine running well, or a folder of them, as its baseline "
            "(docs/adaptation.md); may be repeated. For models of orders and views."
        ),
    ] = None,
    healthy_class: Annotated[
        str | None,
        typer.Option(
            show_default="good, healthy, normal ...", help="With --healthy: the class of machines running well."
        ),
    ] = None,
    error: Annotated[
        float,
        typer.Option(
            help="The error rate of the answers: how often a set may lack the truth or a name be wrong (docs/trust.md)."
        ),
    ] = 0.1,
    sure: Annotated[
        float | None,
        typer.Option(
            show_default="on average over calibrations",
            help="Keep the error rate in this share of calibrations, such as 0.9, with larger sets and fewer names.",
        ),
    ] = None,
    over_time: Annotated[
        float | None,
        typer.Option(
            "--over-time",
            metavar="[SECONDS]",
            help=f"A verdict for every so many seconds of each recording, {SEGMENT_S:g} if no number follows.",
        ),
    ] = None,
    picture: Annotated[
        Path | None, typer.Option(help="With --over-time: draw the probabilities into this file (.png, .svg, .pdf).")
    ] = None,
    compare: Annotated[
        Path | None,
        typer.Option(
            metavar="MODEL", help="An earlier model: show only the files whose verdict is another than its, with both."
        ),
    ] = None,
    executor: Annotated[
        Literal["local", "ray"], typer.Option(help="Judge in this process, or on a Ray cluster (docs/cluster.md).")
    ] = "local",
    address: Annotated[
        str | None, typer.Option(help="Ray cluster to join, auto or host:port; by default a local one.")
    ] = None,
) -> None:
    """Judge recordings: one line each, with verdict, probability, runner-up and answer.

    The answer is one class, one of several, none of these, or no promise.
    With a network of orders a stated speed of the shaft is refined by vibration, and one that nobody states searched
    for; the line ends with the speed that was used.
    Of a folder's labels.csv the channels, rates, parts, components, speeds and operating conditions are used, and no
    labels. A file that cannot be judged is reported and skipped; the exit status is then 1. A model remembers the
    channel and the rate that it learned from; what is different about a recording is said after its verdict.
    """
    if over_time is not None and (together or executor == "ray"):
        raise ConfigError("--over-time judges each file by itself, here; leave out --together and --executor")
    if compare and (together or healthy or over_time is not None or executor == "ray"):
        raise ConfigError(
            "--compare judges every file alone and here; leave out --together, --healthy, --over-time and ray"
        )
    if address and executor != "ray":
        raise ConfigError("--address names a Ray cluster; use it with --executor ray")
    if picture and over_time is None:
        raise ConfigError("--picture shows verdicts over time; use it with --over-time")
    from dualres.judge import files as judging
    from dualres.judge.turning import labelled_speeds
    from dualres.recordings.labels.read import to_judge

    judge, hz, rows = loaded(model), parsed_rate(rate), list(to_judge(files))
    speed = told_of_rows(rows, speeds)
    style = "json" if as_json else "csv" if as_csv else "text"
    if compare:
        before, now = (judging.judge_files(one, rows, channel, hz, speed=speed) for one in (loaded(compare), judge))
        _show_changes(before, now, _writer(style, VerdictContext(compared=True)))
        return
    if picture:
        check_picture(picture, rows)
    baseline = _baseline(judge, healthy, healthy_class, channel=channel, rate=hz, speed=speed)
    judge = baseline.model if baseline else judge
    judge_all: Callable[..., Iterable[FileVerdict]]
    if over_time is not None:
        judge_all = partial(judged_over_time, judge, rows, channel, hz, seconds=over_time)
    elif executor == "ray":
        judge_all = partial(judging.judge_files_by_ray, judge, rows, channel, hz, address=address)
    else:
        judge_all = partial(judging.judge_files, judge, rows, channel, hz)
    judged: Iterable[FileVerdict] = judge_all(error=error, sure=sure, speed=speed)
    if over_time is None:
        judged = counted(judged, len(rows), "Judge")
    elif picture:
        judged = list(judged)
    batch = judging.together(judge, judged) if together else None
    card = judge.card
    context = VerdictContext(
        over_time is not None,
        batch,
        baseline,
        learned_from=bool(card.learned_from),
        calibrated=bool(card.calibration),
        speeds=labelled_speeds(judge) is not None,
        geometry=judge.geometry is not None,
    )
    failed = _write(batch.judged if batch else judged, _writer(style, context))
    if picture:
        draw(picture, list(judged), judge.classes)
        complain("picture", f"{picture}", "cyan")
    if batch:
        complain("together", _summary(batch), "cyan")
    if baseline:
        known = f"{baseline.recordings} recordings of {baseline.label}, {baseline.seconds:.1f} s"
        complain("baseline", f"{known} of this machine running well", "cyan")
    if failed:
        raise typer.Exit(1)


class DiagnoseCommand(TyperCommand):
    """`diagnose` as typer sees it: its --over-time may be given with or without a number."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        return super().parse_args(ctx, completed(args, "--over-time", SEGMENT_S))


command_class = DiagnoseCommand


def completed(arguments: list[str], option: str, otherwise: float) -> list[str]:
    """The arguments, `otherwise` after the option where no number is."""
    found: list[str] = []
    for i, argument in enumerate(arguments):
        found.append(argument)
        if argument == option and not _is_number("".join(arguments[i + 1 : i + 2])):
            found.append(str(otherwise))
    return found


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _writer(style: str, context: VerdictContext) -> VerdictWriter:
    kinds: dict[str, type[TextWriter | JsonWriter | TableWriter]] = {
        "text": TextWriter,
        "json": JsonWriter,
        "csv": TableWriter,
    }
    return kinds[style](context)


def _write(judged: Iterable[FileVerdict], writer: VerdictWriter) -> int:
    """Write every verdict; how many files could not be judged."""
    notes, failed = VerdictNotes(), 0
    for one in judged:
        writer.write(one)
        failed += not one.verdict
        notes.add(one)
    for said in notes.sentences():
        complain("note", said, "yellow")
    return failed


def _show_changes(before: Iterable[FileVerdict], now: Iterable[FileVerdict], writer: VerdictWriter) -> None:
    judged = changed = failed = 0
    for was, one in zip(before, now, strict=True):
        if not (was.verdict and one.verdict):
            failed += 1
            complain("not judged", one.problem or was.problem)
            continue
        judged += 1
        if was.verdict.label != one.verdict.label:
            changed += 1
            writer.write_change(was, one)
    complain("compare", f"{changed} of {judged} verdicts changed", "cyan")
    if failed:
        raise typer.Exit(1)


def _baseline(
    model: Model,
    healthy: list[Path] | None,
    label: str | None,
    *,
    channel: str | None,
    rate: Fraction | None,
    speed: SpeedSources | None,
) -> Baseline | None:
    if not healthy:
        if label:
            raise ConfigError("--healthy-class names the class of --healthy files; give these, too")
        return None
    from dualres.judge.healthy_baseline import with_baseline
    from dualres.judge.verdict import channels_to_read
    from dualres.recordings.labels.read import read_row, to_judge

    channels, known = channels_to_read(model, channel), model.training_profile
    well = [read_row(row, channels, rate, known, speed=speed) for row in to_judge(healthy)]
    return with_baseline(model, well, label)


def _summary(batch: JointVerdicts) -> str:
    conditions = f" at {batch.conditions} known conditions" if batch.conditions else ""
    seconds = f"{batch.unlabelled_s:.1f} unlabelled seconds"
    changed = f"{batch.changed} verdict{'s' * (batch.changed != 1)} changed"
    return f"{batch.verdicts} recordings{conditions}, {seconds}; {changed}"


@dataclass(frozen=True)
class VerdictContext:
    """What all verdicts of one command share."""

    over_time: bool = False  # whether they are of segments
    batch: JointVerdicts | None = None  # where files were judged together
    baseline: Baseline | None = None
    learned_from: bool = False  # whether the model states how its labelled recordings looked
    calibrated: bool = False
    speeds: bool = False  # whether the model learned from speeds
    geometry: bool = False  # whether it knows the geometry of bearings
    compared: bool = False  # whether they stand beside those of an earlier model


class VerdictWriter(ABC):
    """One output format."""

    def __init__(self, context: VerdictContext) -> None:
        self.context = context

    @abstractmethod
    def write(self, one: FileVerdict) -> None:
        """A file's verdict, or why there is none."""

    @abstractmethod
    def write_change(self, before: FileVerdict, one: FileVerdict) -> None:
        """Two verdicts on a file, by an earlier model and by this one."""


class TextWriter(VerdictWriter):
    """A line for each verdict; why there is none stands on the error channel."""

    def write(self, one: FileVerdict) -> None:
        verdict = one.verdict
        if verdict:
            rival = f"then {verdict.runner_up} {verdict.probabilities[verdict.runner_up]:.2f}"
            alone = f"; alone {one.alone.label} {one.alone.probability:.2f}" if one.alone else ""
            differing = [str(each) for each in verdict.differences if each.here is not None]
            remark = f"  ! {'; '.join(differing)}" if differing else ""
            answer = f"  {verdict.answer}" if verdict.answer and self.context.calibrated else ""
            how = "".join(f"  {each}" for each in (verdict.speed_words, verdict.source_words) if each)
            echo(f"{_name(one)}  {verdict.label} {verdict.probability:.2f}  ({rival}{alone}){answer}{how}{remark}")
        if one.problem:
            complain("not judged", one.problem)

    def write_change(self, before: FileVerdict, one: FileVerdict) -> None:
        old, new = _verdicts(before, one)
        typer.echo(f"{_name(one)}  {new.label} {new.probability:.2f}  (before {old.label} {old.probability:.2f})")


class JsonWriter(VerdictWriter):
    """An object per line."""

    def write(self, one: FileVerdict) -> None:
        from dualres.judge.files import as_object

        said, batch, baseline = as_object(one), self.context.batch, self.context.baseline
        if batch and one.alone:
            said["condition"] = dict(one.condition)
            said["alone"] = {name: value for name, value in one.alone.as_data().items() if name != "windows"}
            said["together"] = {"recordings": batch.verdicts, "unlabelled_seconds": batch.unlabelled_s}
        if baseline and one.verdict:
            known = {"class": baseline.label, "recordings": baseline.recordings, "seconds": baseline.seconds}
            said["healthy"] = known
        typer.echo(json_text(said))

    def write_change(self, before: FileVerdict, one: FileVerdict) -> None:
        from dualres.judge.files import as_object

        earlier = as_object(before)
        typer.echo(json_text({**as_object(one), "before": {key: earlier[key] for key in BEFORE}}))


class TableWriter(VerdictWriter):
    """Comma-separated values below a header."""

    def __init__(self, context: VerdictContext) -> None:
        super().__init__(context)
        self._table = csv.writer(sys.stdout)
        when = ["start_s", "end_s"] if context.over_time else []
        alone = ["alone"] if context.batch else []
        remarks = ["differences"] if context.learned_from else []
        heads = [*when, "verdict", "probability", "runner_up", *alone, "error", *remarks, "answer", "set", "reason"]
        heads += ["speed_rpm"] * context.speeds + ["geometry"] * context.geometry
        changes = ["verdict", "probability", "before", "probability_before"]
        self._table.writerow(["file", *(changes if context.compared else heads)])

    def write(self, one: FileVerdict) -> None:
        context, verdict = self.context, one.verdict
        times = (one.part.start_s, one.part.end_s) if one.part else (None, None)
        whole = f"{one.path} [{one.channel}]" if one.channel else f"{one.path}"
        named = [whole, *times] if context.over_time else [_name(one)]
        said = [verdict.label, f"{verdict.probability:.4f}", verdict.runner_up] if verdict else ["", "", ""]
        alone = [one.alone.label if one.alone else ""] if context.batch else []
        differing = ["; ".join(map(str, verdict.differences)) if verdict else ""] if context.learned_from else []
        answer = verdict.answer if verdict else None
        answered = [answer.kind, " ".join(answer.classes), answer.reason] if answer else ["", "", ""]
        speed = verdict.speed if verdict else None
        turning = [f"{speed.rpm:.1f}" if speed else ""] if context.speeds else []
        geometry = [verdict.source_words if verdict else ""] if context.geometry else []
        row = [*named, *said, *alone, one.problem, *differing, *answered, *turning, *geometry]
        self._table.writerow([table_cell(cell) if isinstance(cell, str) else cell for cell in row])
        if one.problem:
            complain("not judged", one.problem)

    def write_change(self, before: FileVerdict, one: FileVerdict) -> None:
        old, new = _verdicts(before, one)
        row = [_name(one), new.label, f"{new.probability:.4f}", old.label, f"{old.probability:.4f}"]
        self._table.writerow(map(table_cell, row))


def _verdicts(before: FileVerdict, one: FileVerdict) -> tuple[Verdict, Verdict]:
    assert before.verdict
    assert one.verdict
    return before.verdict, one.verdict


def _name(one: FileVerdict) -> str:
    """A file as it was given, with the channel and the segment that a list names."""
    return f"{one.path}{''.join(f' [{which}]' for which in (one.channel, one.part) if which)}"
