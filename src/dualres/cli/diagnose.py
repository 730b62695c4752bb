"""`dualres diagnose`: verdicts on recordings."""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from dualres.cli.compare import show_changes
from dualres.cli.console import complain, counted, echo
from dualres.cli.folder import ChannelOption, RateOption, parsed_rate
from dualres.cli.over_time import check_picture, draw, judged_over_time
from dualres.errors import ConfigError
from dualres.utils.printable import printable

if TYPE_CHECKING:
    from collections.abc import Iterable
    from fractions import Fraction

    from dualres.judge.files import FileVerdict, JointVerdicts
    from dualres.judge.healthy_baseline import Baseline
    from dualres.judge.model import Model
    from dualres.judge.training_profile import Difference
    from dualres.judge.verdict import Verdict


STRETCH_S = 10.0  # of --over-time without a number: about forty windows, so that one of them alone turns no verdict


def diagnose(
    model: Annotated[Path, typer.Argument(help="A model file, from dualres fit.")],
    files: Annotated[
        list[Path], typer.Argument(help="Recordings, or folders with recordings and perhaps a labels.csv.")
    ],
    channel: ChannelOption = None,
    rate: RateOption = None,
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
            "(docs/adaptation.md); may be repeated. For models of views."
        ),
    ] = None,
    healthy_class: Annotated[
        str | None,
        typer.Option(
            show_default="good, healthy, normal ...", help="With --healthy: the class of machines running well."
        ),
    ] = None,
    error: Annotated[
        float, typer.Option(help="The error rate of the answers: how often the set may lack the truth (docs/trust.md).")
    ] = 0.1,
    sure: Annotated[
        float | None,
        typer.Option(
            show_default="on average over calibrations",
            help="Keep the error rate in this share of calibrations, such as 0.9, with larger sets.",
        ),
    ] = None,
    over_time: Annotated[
        float | None,
        typer.Option(
            "--over-time",
            metavar="[SECONDS]",
            help=f"A verdict for every so many seconds of each recording, {STRETCH_S:g} if no number follows.",
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
    Of a folder's labels.csv the channels, rates, parts and operating conditions are used, and no labels. A file that
    cannot be judged is reported and skipped; the exit status is then 1. A model remembers the channel and the rate
    that it learned from; what is different about a recording is said after its verdict.
    """
    from dualres.cli.models import loaded as load
    from dualres.judge import files as archive
    from dualres.recordings.labels.folder import to_judge

    if address and executor != "ray":
        raise ConfigError("--address names a Ray cluster; use it with --executor ray")
    if over_time is not None and (together or executor == "ray"):
        raise ConfigError("--over-time judges each file by itself, here; leave out --together and --executor")
    if picture and over_time is None:
        raise ConfigError("--picture shows verdicts over time; use it with --over-time")
    loaded, hz, rows = load(model), parsed_rate(rate), list(to_judge(files))
    if compare:
        if together or healthy or over_time is not None or executor == "ray":
            raise ConfigError(
                "--compare judges every file alone and here; leave out --together, --healthy, --over-time and ray"
            )
        before, now = (archive.judge_files(one, rows, channel, hz) for one in (load(compare), loaded))
        style: Literal["text", "json", "csv"] = "json" if as_json else "csv" if as_csv else "text"
        if not show_changes(before, now, style, name=_name, described=lambda one: _object(one, None, None)):
            raise typer.Exit(1)
        return
    if picture:
        check_picture(picture, rows)
    baseline = _baseline(loaded, healthy, healthy_class, channel, hz)
    if baseline:
        loaded = baseline.model
    table = csv.writer(sys.stdout) if as_csv else None
    remarks = ["differences"] if loaded.card.learned_from else []
    if table:
        also = ["alone"] if together else []
        when = [] if over_time is None else ["start_s", "end_s"]
        answer = ["answer", "set", "reason"]
        table.writerow(["file", *when, "verdict", "probability", "runner_up", *also, "error", *remarks, *answer])
    failed = 0
    silent: dict[Path, Difference] = {}
    judged: Iterable[FileVerdict]
    if over_time is not None:
        judged = judged_over_time(loaded, rows, channel, hz, over_time, error, sure)
        judged = list(judged) if picture else judged
    elif executor == "ray":
        judged = counted(
            archive.judge_files_by_ray(loaded, rows, channel, hz, address, error, sure), len(rows), "Judge"
        )
    else:
        judged = counted(archive.judge_files(loaded, rows, channel, hz, error, sure), len(rows), "Judge")
    batch = archive.together(loaded, judged) if together else None
    for one in batch.judged if batch else judged:
        verdict, problem = one.verdict, one.problem
        failed += not verdict
        for each in verdict.differences if verdict else ():
            if each.here is None:
                silent[one.path] = each
        if as_json:
            typer.echo(json.dumps(_object(one, batch, baseline)))
        elif table:
            cells = [verdict.label, f"{verdict.probability:.4f}", verdict.runner_up] if verdict else ["", "", ""]
            alone = [one.alone.label if one.alone else ""] if together else []
            named = [_name(one)] if over_time is None else _name_and_time(one)
            differing = [_differences(one)] if remarks else []
            row = [*named, *cells, *alone, problem, *differing, *_answer_cells(verdict)]
            table.writerow([printable(cell) if isinstance(cell, str) else cell for cell in row])
        elif verdict:
            rival = f"then {verdict.runner_up} {verdict.probabilities[verdict.runner_up]:.2f}"
            alone_said = f"; alone {one.alone.label} {one.alone.probability:.2f}" if one.alone else ""
            differ = [each for each in verdict.differences if each.here is not None]
            remark = f"  ! {'; '.join(map(str, differ))}" if differ else ""
            answer_said = f"  {verdict.answer}" if verdict.answer and loaded.card.calibration else ""
            said = f"{verdict.label} {verdict.probability:.2f}  ({rival}{alone_said}){answer_said}{remark}"
            echo(f"{_name(one)}  {said}")
        if problem and not as_json:
            complain("not judged", problem)
    if picture:
        draw(picture, list(judged), loaded.classes)
        complain("picture", f"{picture}", "cyan")
    if silent:
        some = "1 file does" if len(silent) == 1 else f"{len(silent)} files do"
        (assumed,) = {each.learned[0] for each in silent.values()}
        complain("note", f"{some} not say the rate: taken as {assumed:g} Hz, as learned", "yellow")
    if batch:
        complain("together", _summary(batch), "cyan")
    if baseline:
        known = f"{baseline.recordings} recordings of {baseline.label}, {baseline.seconds:.1f} s"
        complain("baseline", f"{known} of this machine running well", "cyan")
    if failed:
        raise typer.Exit(1)


def _baseline(
    model: Model, healthy: list[Path] | None, label: str | None, channel: str | None, rate: Fraction | None
) -> Baseline | None:
    if not healthy:
        if label:
            raise ConfigError("--healthy-class names the class of --healthy files; give these, too")
        return None
    from dualres.judge.healthy_baseline import with_baseline
    from dualres.judge.verdict import channels_to_read
    from dualres.recordings.labels.folder import read_row, to_judge

    channels, known = channels_to_read(model, channel), model.training_profile
    return with_baseline(model, [read_row(row, channels, rate, known) for row in to_judge(healthy)], label)


def _name(one: FileVerdict) -> str:
    return f"{one.path}{''.join(f' [{which}]' for which in (one.channel, one.part) if which)}"


def _name_and_time(one: FileVerdict) -> list[str | float | None]:
    """Of a stretch, as three cells."""
    name = f"{one.path} [{one.channel}]" if one.channel else f"{one.path}"
    return [name, one.part.start_s, one.part.end_s] if one.part else [name, None, None]


def _differences(one: FileVerdict) -> str:
    """From all that the model learned from, for a line of text."""
    return "; ".join(map(str, one.verdict.differences)) if one.verdict else ""


def _summary(batch: JointVerdicts) -> str:
    conditions = f" at {batch.conditions} known conditions" if batch.conditions else ""
    seconds = f"{batch.unlabelled_s:.1f} unlabelled seconds"
    changed = f"{batch.changed} verdict{'s' * (batch.changed != 1)} changed"
    return f"{batch.verdicts} recordings{conditions}, {seconds}; {changed}"


def _object(one: FileVerdict, batch: JointVerdicts | None, baseline: Baseline | None) -> dict[str, object]:
    """One line of JSON."""
    from dualres.judge.files import as_object

    said = as_object(one)
    if batch and one.alone:
        said["condition"] = dict(one.condition)
        said["alone"] = {name: value for name, value in one.alone.as_data().items() if name != "windows"}
        said["together"] = {"recordings": batch.verdicts, "unlabelled_seconds": batch.unlabelled_s}
    if baseline and one.verdict:
        known = {"class": baseline.label, "recordings": baseline.recordings, "seconds": baseline.seconds}
        said["healthy"] = known
    return said


def _answer_cells(verdict: Verdict | None) -> list[str]:
    """Kind, set and reason of an answer, for a table."""
    answer = verdict.answer if verdict else None
    return [answer.kind, " ".join(answer.classes), answer.reason] if answer else ["", "", ""]
