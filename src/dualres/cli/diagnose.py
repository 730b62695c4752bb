"""`dualres diagnose`: verdicts on recordings."""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from dualres.cli.changes import show_changes
from dualres.cli.folder import Channel, Rate, parsed_rate
from dualres.cli.screen import complain
from dualres.errors import ConfigError

if TYPE_CHECKING:
    from fractions import Fraction

    from dualres.baseline import Baseline
    from dualres.file import Model
    from dualres.judge import Verdict
    from dualres.judge_files import Judged, Together


def diagnose(
    model: Annotated[Path, typer.Argument(help="A model file, from dualres fit.")],
    files: Annotated[
        list[Path], typer.Argument(help="Recordings, or folders with recordings and perhaps a labels.csv.")
    ],
    channel: Channel = None,
    rate: Rate = None,
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
    """Judge recordings: one line each, with verdict, probability and runner-up.

    Of a folder's labels.csv the channels, rates, parts and operating conditions are used, and no labels. A file that
    cannot be judged is reported and skipped; the exit status is then 1.
    """
    from dualres import judge_files as archive
    from dualres.cli.models import loaded as load
    from dualres.recordings.folder import to_judge

    if address and executor != "ray":
        raise ConfigError("--address names a Ray cluster; use it with --executor ray")
    loaded, hz, rows = load(model), parsed_rate(rate), to_judge(files)
    if compare:
        if together or healthy or executor == "ray":
            raise ConfigError("--compare judges every file alone and here; leave out --together, --healthy and ray")
        every = list(rows)
        before, now = (archive.judge_files(one, every, channel, hz) for one in (load(compare), loaded))
        style: Literal["text", "json", "csv"] = "json" if as_json else "csv" if as_csv else "text"
        if not show_changes(before, now, style, name=_name, described=lambda one: _object(one, None, None)):
            raise typer.Exit(1)
        return
    baseline = _baseline(loaded, healthy, healthy_class, channel, hz)
    if baseline:
        loaded = baseline.model
    table = csv.writer(sys.stdout) if as_csv else None
    if table:
        table.writerow(["file", "verdict", "probability", "runner_up", *(["alone"] if together else []), "error"])
    failed = 0
    if executor == "ray":
        judged = archive.judge_files_by_ray(loaded, list(rows), channel, hz, address)
    else:
        judged = archive.judge_files(loaded, rows, channel, hz)
    batch = archive.together(loaded, judged) if together else None
    for one in batch.judged if batch else judged:
        verdict, problem = one.verdict, one.problem
        failed += not verdict
        if as_json:
            typer.echo(json.dumps(_object(one, batch, baseline)))
        elif table:
            cells = [verdict.label, f"{verdict.probability:.4f}", verdict.runner_up] if verdict else ["", "", ""]
            alone = [one.alone.label if one.alone else ""] if together else []
            table.writerow([_name(one), *cells, *alone, problem])
        elif verdict:
            rival = f"then {verdict.runner_up} {verdict.probabilities[verdict.runner_up]:.2f}"
            alone_said = f"; alone {one.alone.label} {one.alone.probability:.2f}" if one.alone else ""
            typer.echo(f"{_name(one)}  {verdict.label} {verdict.probability:.2f}  ({rival}{alone_said})")
        if problem and not as_json:
            complain("not judged", problem)
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
    from dualres.baseline import with_baseline
    from dualres.recordings.folder import read_row, to_judge

    return with_baseline(model, [read_row(row, channel, rate) for row in to_judge(healthy)], label)


def _name(one: Judged) -> str:
    return f"{one.path}{''.join(f' [{which}]' for which in (one.channel, one.part) if which)}"


def _summary(batch: Together) -> str:
    conditions = f" at {batch.conditions} known conditions" if batch.conditions else ""
    seconds = f"{batch.unlabelled_s:.1f} unlabelled seconds"
    changed = f"{batch.changed} verdict{'s' * (batch.changed != 1)} changed"
    return f"{batch.verdicts} recordings{conditions}, {seconds}; {changed}"


def _object(one: Judged, batch: Together | None, baseline: Baseline | None) -> dict[str, object]:
    """One line of JSON."""
    named: dict[str, object] = {"file": str(one.path), **({"channel": one.channel} if one.channel else {})}
    if one.part:
        named |= {"start_s": one.part.start_s, "end_s": one.part.end_s}
    if not one.verdict:
        return {**named, "error": one.problem}
    said: dict[str, object] = {**named, **_fields(one.verdict)}
    if batch and one.alone:
        said["condition"] = dict(one.condition)
        said["alone"] = {name: value for name, value in _fields(one.alone).items() if name != "windows"}
        said["together"] = {"recordings": batch.verdicts, "unlabelled_seconds": batch.unlabelled_s}
    if baseline:
        known = {"class": baseline.label, "recordings": baseline.recordings, "seconds": baseline.seconds}
        said["healthy"] = known
    return said


def _fields(verdict: Verdict) -> dict[str, object]:
    return {
        "verdict": verdict.label,
        "probability": verdict.probability,
        "runner_up": verdict.runner_up,
        "probabilities": verdict.probabilities,
        "windows": verdict.windows,
    }
