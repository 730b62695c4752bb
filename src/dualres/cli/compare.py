"""`dualres diagnose --compare`: the verdicts that are others than those of an earlier model."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Literal

import typer

from dualres.cli.console import complain

if TYPE_CHECKING:
    from dualres.judge.files import FileVerdict

BEFORE = ("verdict", "probability", "runner_up", "probabilities")  # in JSON, of the earlier verdict


def show_changes(
    before: Iterable[FileVerdict],
    now: Iterable[FileVerdict],
    style: Literal["text", "json", "csv"],
    *,
    name: Callable[[FileVerdict], str],
    described: Callable[[FileVerdict], Mapping[str, object]],
) -> bool:
    """A line for each file whose verdict differs, with both; whether all files could be judged."""
    judged = changed = failed = 0
    table = csv.writer(sys.stdout)
    if style == "csv":
        table.writerow(["file", "verdict", "probability", "before", "probability_before"])
    for was, one in zip(before, now, strict=True):
        if not (was.verdict and one.verdict):
            failed += 1
            complain("not judged", one.problem or was.problem)
            continue
        judged += 1
        if was.verdict.label == one.verdict.label:
            continue
        changed += 1
        new, old = ((v.label, v.probability) for v in (one.verdict, was.verdict))
        if style == "json":
            earlier = described(was)
            typer.echo(json.dumps({**described(one), "before": {key: earlier[key] for key in BEFORE}}))
        elif style == "csv":
            table.writerow([name(one), new[0], f"{new[1]:.4f}", old[0], f"{old[1]:.4f}"])
        else:
            typer.echo(f"{name(one)}  {new[0]} {new[1]:.2f}  (before {old[0]} {old[1]:.2f})")
    complain("compare", f"{changed} of {judged} verdicts changed", "cyan")
    return not failed
