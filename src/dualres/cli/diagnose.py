"""`dualres diagnose`: verdicts on recordings."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from typer.core import TyperCommand

from dualres.cli.console import complain, counted
from dualres.cli.diagnose_archive import Archive, check_options, results_in, write_lines
from dualres.cli.folder import ChannelOption, RateOption, SpeedOptions, loaded, parsed_rate, told_of_rows, with_options
from dualres.cli.over_time import check_picture, draw, judged_over_time
from dualres.cli.verdict_writers import WRITERS, VerdictContext, VerdictWriter
from dualres.errors import ConfigError
from dualres.recordings.child_start import start_early

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from fractions import Fraction

    from dualres.judge.archive.line import VerdictLine
    from dualres.judge.files import FileVerdict, JointVerdicts
    from dualres.judge.healthy_baseline import Baseline
    from dualres.judge.model import Model
    from dualres.recordings.speed_sources import SpeedSources

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
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Write verdicts to this file as they come, .csv, .jsonl or .parquet, and print none of them.",
        ),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="With -o: go on with a file that was begun; judge only what is not in it.")
    ] = False,
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
    start_early(files[0])
    check_options(output, resume, printed=as_json or as_csv, whole=together or over_time is not None or bool(compare))
    from dualres.judge import files as judging
    from dualres.judge.turning import labelled_speeds
    from dualres.recordings.labels.rows_to_judge import RowsToJudge

    judge, hz, rows = loaded(model), parsed_rate(rate), RowsToJudge(files)
    speed = told_of_rows(rows.told, speeds)
    style = output.suffix.lower() if output else ".jsonl" if as_json else ".csv" if as_csv else ""
    if compare:
        before, now = (judging.judge_files(one, rows, channel, hz, speed=speed) for one in (loaded(compare), judge))
        _show_changes(before, now, WRITERS[style](VerdictContext(compared=True)))
        return
    if picture:
        check_picture(picture, len(rows))
    baseline = _baseline(judge, healthy, healthy_class, channel=channel, rate=hz, speed=speed)
    judge = baseline.model if baseline else judge
    archive = Archive(judge, judging.JudgeSettings(channel, hz, error, sure, speed), rows, executor == "ray", address)
    judged: list[FileVerdict] = []
    batch = None
    if together:
        with closing(counted(archive.verdicts(), len(rows), "Judge")) as each:
            batch = judging.together(judge, each)
    card = judge.card
    context = VerdictContext(
        over_time is not None,
        batch,
        baseline,
        learned_from=bool(card.learned_from),
        calibrated=bool(card.calibration),
        speeds=labelled_speeds(judge) is not None,
        geometry=judge.geometry is not None,
        run=archive.run if output else "",
    )
    writer = WRITERS[style](context)
    lines: Iterator[list[VerdictLine]]
    with results_in(output, writer) as results:
        if over_time is not None:
            told = judged_over_time(judge, rows, channel, hz, seconds=over_time, error=error, sure=sure, speed=speed)
            judged = list(told) if picture else judged
            lines = iter([writer(one)] for one in (judged if picture else told))
        else:
            lines = iter([writer(one)] for one in batch.judged) if batch else archive.lines(writer, results)
        failed = write_lines(lines, writer, results)
    if picture:
        draw(picture, judged, judge.classes)
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


def _show_changes(before: Iterable[FileVerdict], now: Iterable[FileVerdict], writer: VerdictWriter) -> None:
    judged = changed = failed = 0
    if writer.head:
        typer.echo(writer.head)
    for was, one in zip(before, now, strict=True):
        if not (was.verdict and one.verdict):
            failed += 1
            complain("not judged", one.problem or was.problem)
            continue
        judged += 1
        if was.verdict.label != one.verdict.label:
            changed += 1
            typer.echo(writer.change(was, one))
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
