"""`dualres diagnose`: verdicts on recordings."""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from dualres.cli.folder import Channel, Rate, parsed_rate
from dualres.cli.screen import complain
from dualres.errors import ConfigError

if TYPE_CHECKING:
    from dualres.judge import Verdict


def diagnose(
    model: Annotated[Path, typer.Argument(help="A model file, from dualres fit.")],
    files: Annotated[list[Path], typer.Argument(help="Recordings, or folders with recordings.")],
    channel: Channel = None,
    rate: Rate = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object per line.")] = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Comma-separated values with a header.")] = False,
    executor: Annotated[
        Literal["local", "ray"], typer.Option(help="Judge in this process, or on a Ray cluster (docs/cluster.md).")
    ] = "local",
    address: Annotated[
        str | None, typer.Option(help="Ray cluster to join, auto or host:port; by default a local one.")
    ] = None,
) -> None:
    """Judge recordings: one line each, with verdict, probability and runner-up.

    A file that cannot be judged is reported and skipped; the exit status is then 1.
    """
    from dualres.cli.models import loaded as load
    from dualres.judge_files import judge_files, judge_files_by_ray
    from dualres.recordings.folder import expanded

    if address and executor != "ray":
        raise ConfigError("--address names a Ray cluster; use it with --executor ray")
    loaded, hz, paths = load(model), parsed_rate(rate), expanded(files)
    table = csv.writer(sys.stdout) if as_csv else None
    if table:
        table.writerow(["file", "verdict", "probability", "runner_up", "error"])
    failed = 0
    if executor == "ray":
        judged = judge_files_by_ray(loaded, list(paths), channel, hz, address)
    else:
        judged = judge_files(loaded, paths, channel, hz)
    for one in judged:
        path, verdict, problem = one.path, one.verdict, one.problem
        failed += not verdict
        if as_json:
            typer.echo(json.dumps({"file": str(path), **(_fields(verdict) if verdict else {"error": problem})}))
        elif table:
            cells = [verdict.label, f"{verdict.probability:.4f}", verdict.runner_up] if verdict else ["", "", ""]
            table.writerow([path, *cells, problem])
        elif verdict:
            rival = verdict.probabilities[verdict.runner_up]
            typer.echo(f"{path}  {verdict.label} {verdict.probability:.2f}  (then {verdict.runner_up} {rival:.2f})")
        if problem and not as_json:
            complain("not judged", problem)
    if failed:
        raise typer.Exit(1)


def _fields(verdict: Verdict) -> dict[str, object]:
    return {
        "verdict": verdict.label,
        "probability": verdict.probability,
        "runner_up": verdict.runner_up,
        "probabilities": verdict.probabilities,
        "windows": verdict.windows,
    }
