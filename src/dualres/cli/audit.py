"""`dualres audit`: does a split leak?"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dualres.cli.bench.folds import frozen_split
from dualres.cli.bench.folds import limitations as limitations_of
from dualres.cli.console import console, progress, say
from dualres.cli.folder import FolderOptions, show_left_out, with_options
from dualres.errors import ConfigError
from dualres.utils.json_text import json_text

if TYPE_CHECKING:
    from dualres.audit import Finding, Split
    from dualres.recordings.recording import Recording

SHOWN = 4  # recordings of a finding; --json has all


@with_options
def audit(
    source: Annotated[Path, typer.Argument(help="A prepared dataset, or a folder of your own recordings.")],
    fold: Annotated[str | None, typer.Option(help="Audit this frozen fold; see `dualres data folds`.")] = None,
    split: Annotated[
        Path | None,
        typer.Option(help="Audit a CSV with the columns file, as in labels.csv, and side (support or evaluation)."),
    ] = None,
    *,
    held_out: Annotated[
        str | None, typer.Option(help="The unit that is claimed to be new: component, recording, or a condition.")
    ] = None,
    reading: FolderOptions,
    as_json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False,
) -> None:
    """Find out whether training could have seen what is evaluated; the exit status is then 1.

    Without --fold or --split, the command audits the rounds that `dualres fit` would hold out.
    """
    from dualres.audit import audit_splits
    from dualres.audit.claims import check_claim
    from dualres.audit.finding import read_split, with_ids
    from dualres.recordings.store import open_store, read_index

    limitations: tuple[str, ...] = ()
    left_out: dict[str, str] = {}
    recordings: Sequence[Recording]
    if (source / "recordings.json").exists():
        if reading.labels or reading.where or reading.exclude:
            raise ConfigError(f"{source}: is a prepared dataset; --labels, --where and --exclude apply to folders only")
        recordings, limitations = open_store(source), limitations_of(str(read_index(source)["dataset"]))
    else:
        found = reading.read(source)
        show_left_out(found)
        recordings, left_out = found.recordings, dict(found.left_out)
    if held_out is not None:
        check_claim(recordings, held_out)
    given = with_ids(read_split(split), recordings, source, left_out) if split else None
    splits = _splits(recordings, fold, given, held_out)
    with progress("Nothing was changed.") as report:
        findings = audit_splits(recordings, splits, limitations=limitations, progress=report)
    if as_json:
        typer.echo(json_text([asdict(f) for f in findings], indent=1))
    else:
        show_findings(findings)
    if any(f.severity == "leak" for f in findings):
        raise typer.Exit(1)


def _splits(
    recordings: "Sequence[Recording]", fold: str | None, split: "Split | None", held_out: str | None
) -> "list[Split]":
    from dualres.learn.holdout import plan_rounds

    if fold:
        return [frozen_split(fold, held_out)]
    if split:
        return [replace(split, held_out=held_out)]
    rounds = plan_rounds(recordings).splits(recordings)
    return [replace(one, held_out=held_out or one.held_out) for one in rounds]


@contextmanager
def leaks_shown() -> Iterator[None]:
    """What a strict fit is refused for, as a table before the error."""
    from dualres.audit import LeakError

    try:
        yield
    except LeakError as error:
        show_findings(error.findings)
        raise


def show_findings(findings: "Sequence[Finding]") -> None:
    """Each finding with its recordings. Lines are not wrapped here, so that no name is broken."""
    colours = {"leak": "bold red", "warning": "yellow", "limitation": "dim"}
    for f in sorted(findings, key=lambda f: list(colours).index(f.severity)):
        rounds = f"  in {f.rounds} rounds" if f.rounds > 1 else ""
        console.print(f"[{colours[f.severity]}]{f.severity}[/]  {f.kind}{rounds}", highlight=False, soft_wrap=True)
        say(f"  {f.message}")
        for name in f.recordings[:SHOWN]:
            say(f"    {name}")
        if len(f.recordings) > SHOWN:
            say(f"    and {len(f.recordings) - SHOWN} more")
        if f.evidence:
            evidence = (f"{k} {v:.4g}" if isinstance(v, float) else f"{k} {v}" for k, v in f.evidence.items())
            say(f"  evidence: {', '.join(evidence)}")
    leaks = sum(f.severity == "leak" for f in findings)
    say(f"{leaks} leak{'s' * (leaks != 1)}" if leaks else "No leak found.")
