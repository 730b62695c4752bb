"""`dualres audit`: does a split leak?"""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape
from rich.table import Table

from dualres.cli.fit import Channel, Rate, parsed_rate, show_left_out
from dualres.cli.screen import Report, console, progress
from dualres.errors import RecordingError

if TYPE_CHECKING:
    from dualres.learn.estimate import Rounds
    from dualres.recordings.audit import Finding, Split
    from dualres.recordings.recording import Recording


def audit(
    source: Annotated[Path, typer.Argument(help="A prepared dataset, or a folder of your own recordings.")],
    fold: Annotated[str | None, typer.Option(help="Audit this frozen fold; see `dualres data folds`.")] = None,
    split: Annotated[
        Path | None, typer.Option(help="Audit a CSV with the columns file and side (support or evaluation).")
    ] = None,
    held_out: Annotated[
        str | None, typer.Option(help="The unit claimed to be new: component, recording, or a condition.")
    ] = None,
    channel: Channel = None,
    rate: Rate = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False,
) -> None:
    """Find what an evaluation could have seen in training; exit status 1 if it could.

    Without a fold or a split, the rounds that `dualres fit` would hold out are audited.
    """
    from dualres.recordings.folder import read_folder
    from dualres.recordings.store import open_store, read_index

    limitations: tuple[str, ...] = ()
    recordings: Sequence[Recording]
    if (source / "recordings.json").exists():
        recordings, limitations = open_store(source), _limitations(str(read_index(source)["dataset"]))
    else:
        with progress("Nothing was changed.") as report:
            found = read_folder(source, channel, parsed_rate(rate), lambda i, n, name: report("Read", i, n, name))
        show_left_out(found)
        recordings = found.recordings
    findings = _audited(recordings, _splits(recordings, fold, split, held_out), limitations)
    if as_json:
        typer.echo(json.dumps([asdict(f) for f in findings], indent=1))
    else:
        _print(findings)
    if any(f.severity == "leak" for f in findings):
        raise typer.Exit(1)


def refuse_leaks(recordings: Sequence[Recording], rounds: Rounds) -> None:
    """Stop before recordings are held out that would leak."""
    findings = _audited(recordings, _splits_of(recordings, rounds), ())
    leaks = [f for f in findings if f.severity == "leak"]
    if leaks:
        _print(leaks)
        raise RecordingError(f"{len(leaks)} leaks found; mend the recordings or labels.csv, or leave out --strict")


def _splits(recordings: Sequence[Recording], fold: str | None, split: Path | None, held_out: str | None) -> list[Split]:
    from dualres.datasets.folds import load_fold
    from dualres.learn.estimate import plan_rounds
    from dualres.recordings.audit import Split

    if fold:
        frozen = load_fold(fold)
        return [Split(tuple(sorted(frozen.supporting())), frozen.evaluation, held_out or frozen.held_out)]
    if split:
        return [_read_split(split, held_out)]
    return _splits_of(recordings, plan_rounds(recordings))


def _splits_of(recordings: Sequence[Recording], rounds: Rounds) -> list[Split]:
    from dualres.recordings.audit import Split

    claim = "component" if rounds.unit == "component" else "recording"  # the claim that holds for every class
    return [
        Split(tuple(r.id for r in recordings if r.id not in held), tuple(sorted(held)), claim)
        for held in rounds.held_out
    ]


def _read_split(path: Path, held_out: str | None) -> Split:
    from dualres.recordings.audit import Split

    try:
        with path.open(newline="", encoding="utf-8-sig") as lines:
            rows = [(row["file"].strip(), row["side"].strip()) for row in csv.DictReader(lines)]
    except OSError as error:
        raise RecordingError(f"{path}: cannot be read ({error.strerror})") from error
    except (KeyError, AttributeError, UnicodeDecodeError, csv.Error) as error:
        raise RecordingError(f"{path}: needs the columns file and side ({error!r})") from error
    wrong = {side for _, side in rows} - {"support", "evaluation"}
    if wrong:
        raise RecordingError(f"{path}: side is {sorted(wrong)[0]!r}; write support or evaluation")
    sides = {side: tuple(file for file, s in rows if s == side) for side in ("support", "evaluation")}
    return Split(sides["support"], sides["evaluation"], held_out)


def _limitations(dataset: str) -> tuple[str, ...]:
    from dualres.datasets import catalog

    return catalog.release(dataset).limitations if dataset in catalog.names() else ()


def _audited(recordings: Sequence[Recording], splits: list[Split], limitations: tuple[str, ...]) -> list[Finding]:
    """The findings of all splits, each once."""
    from dualres.recordings.audit import audit as run

    findings: dict[tuple[str, tuple[str, ...], str], Finding] = {}
    with progress("Nothing was changed.") as report:
        for number, split in enumerate(splits, start=1):
            stage = "Audit" if len(splits) == 1 else f"Audit round {number} of {len(splits)}"
            for finding in run(recordings, split, limitations=limitations, progress=partial(_tell, report, stage)):
                findings.setdefault((finding.kind, finding.recordings, finding.message), finding)
    return list(findings.values())


def _tell(report: Report, stage: str, done: int, total: int) -> None:
    report(stage, done, total, "")


def _print(findings: Sequence[Finding]) -> None:
    if not findings:
        console.print("No leak found.")
        return
    colours = {"leak": "bold red", "warning": "yellow", "limitation": "dim"}
    table = Table(show_lines=True)
    for column in ("", "Kind", "What was found", "Recordings", "Evidence"):
        table.add_column(column, overflow="fold")
    for f in sorted(findings, key=lambda f: list(colours).index(f.severity)):
        shown = [*f.recordings[:4], *([f"and {len(f.recordings) - 4} more"] if len(f.recordings) > 4 else [])]
        evidence = ", ".join(f"{k} {v:.4g}" if isinstance(v, float) else f"{k} {v}" for k, v in f.evidence.items())
        cells = map(escape, (f.kind, f.message, "\n".join(shown), evidence))
        table.add_row(f"[{colours[f.severity]}]{f.severity}[/]", *cells)
    console.print(table)
    leaks = sum(f.severity == "leak" for f in findings)
    console.print(f"{leaks} leaks" if leaks else "No leak found.")
