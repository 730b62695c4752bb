"""An export read back: checked against its hashes, and made a ledger again."""

import json
import lzma
import os
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from dualres.bench.campaign.exchange import export as written
from dualres.bench.campaign.exchange.export import HEAD, JOBS, LOSSES, SHARED, SIGNALS, Signals, is_measurement
from dualres.bench.campaign.job import Job, read_job
from dualres.bench.campaign.ledger import Ledger, LedgerError, Outcome
from dualres.bench.profile.measurements import FOLDER
from dualres.errors import MISFIT, reason_of
from dualres.utils.checksums import NAME as SUMS
from dualres.utils.checksums import check_sums, listed
from dualres.utils.files import write_whole
from dualres.utils.json_text import json_value
from dualres.utils.progress import Progress, quiet

READABLE = (written.FORMAT, "dualres-export/2")  # the latter had the losses of each job in its line
NUMBER_BYTES = 32  # that one loss takes in the file of losses, at most

_Line = dict[str, Any]  # of JSON


def check_export(folder: Path) -> list[str]:
    """What does not agree with the hashes of an export, one sentence each."""
    found = {name for name in (HEAD, JOBS, LOSSES, SIGNALS, *SHARED) if os.path.lexists(folder / name)}
    found |= {f"{FOLDER}/{path.name}" for path in (folder / FOLDER).glob("*.json")}
    strange = [f"{folder / name}: is not listed in {SUMS}" for name in sorted(found - listed(folder).keys())]
    return check_sums(folder) + strange


def load_export(folder: Path, path: Path, progress: Progress = quiet) -> Ledger:
    """The exported ledger as a new file at `path`, and its measurements beside it."""
    problems = check_export(folder)
    if problems:
        raise LedgerError(f"{problems[0]}; export the ledger again")
    if path.exists():
        raise LedgerError(f"{path}: exists already; give another name, or merge with `dualres bench import`")
    _check_format(folder)
    with ExitStack() as stack:
        ledger = stack.enter_context(Ledger(path))
        with ledger.filled_at_once():
            _fill(ledger, folder, progress)
        for name in filter(is_measurement, listed(folder)):
            write_whole(path.parent / name, (folder / name).read_bytes())
        stack.pop_all()
    return ledger


def _check_format(folder: Path) -> None:
    try:
        found = json_value((folder / HEAD).read_text(encoding="utf-8"))["format"]
    except FileNotFoundError:
        found = "dualres-export/1"  # had no such file
    except (OSError, *MISFIT) as error:
        raise LedgerError(f"{folder / HEAD}: cannot be read ({error}); export the ledger again") from error
    if found not in READABLE:
        remedy = "update DualRes" if _is_newer(found) else "export the ledger again with this version"
        reads = f"this version reads {written.FORMAT!r}; {remedy}"
        raise LedgerError(f"{folder}: an export in format {found!r}, and {reads}")


def _is_newer(found: object) -> bool:
    """Whether it is our format with a higher number."""
    name, _, ours = written.FORMAT.partition("/")
    its_name, _, its = str(found).partition("/")
    return its_name == name and its.isascii() and its.isdecimal() and len(its) < 9 and int(its) > int(ours)


def _fill(ledger: Ledger, folder: Path, progress: Progress) -> None:
    where = folder / JOBS
    try:
        judged, supports, machines = ({line.pop("name"): line for line in _lines(folder / name)} for name in SHARED)
        rows = (line.split("\t") for line in (folder / SIGNALS).read_text(encoding="utf-8").splitlines())
        signals = {(dataset, name): digest for dataset, name, digest in rows}
        lines = list(_lines(where))
        plans = [read_job(line["plan"]) for line in lines]
        if LOSSES in listed(folder):
            where = folder / LOSSES
            _give_losses(where, lines, plans)
            where = folder / JOBS
        for done, (line, job) in enumerate(zip(lines, plans, strict=True), start=1):
            if job.key != line["key"]:
                raise LedgerError(f"{where}: job {line['key'][:16]} has a plan with another hash")
            parts = judged[line["judged"]], supports[line["support"]], machines[line["machine"]]
            ledger.record(job, _outcome(job, line, parts, signals))
            progress("Read the export", done, len(lines), "")
    except (OSError, EOFError, lzma.LZMAError, *MISFIT) as error:
        raise LedgerError(f"{where}: cannot be read ({reason_of(error)}); export the ledger again") from error


def _give_losses(path: Path, lines: list[_Line], plans: list[Job]) -> None:
    """Put those of each job into its line; the file may unpack to what the plans' updates need, and no more."""
    updates = sum(job.recipe.updates for job in plans if job.recipe)
    most = NUMBER_BYTES * (updates + len(lines))
    with lzma.open(path) as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise ValueError(f"it unpacks to more than the {updates:,} losses of its jobs")
    found = content.decode("ascii").splitlines()
    if len(found) != sum(job.recipe is not None for job in plans):
        raise ValueError(f"it holds losses of {len(found)} jobs, and there are others")
    lists = iter(found)
    for line, job in zip(lines, plans, strict=True):
        line["losses"] = list(map(float, json_value(next(lists)))) if job.recipe else []


def _outcome(job: Job, line: _Line, parts: tuple[_Line, _Line, _Line], signals: Signals) -> Outcome:
    """`parts` are what it shares with other jobs: what was judged, learned from and computed with."""
    judged, support, computed = parts
    evaluated = {name: tuple(judged[name]) for name in written.EVALUATED}
    inputs = {name: signals[job.dataset, name] for name in written.used(support, evaluated["recordings"])}
    return Outcome(
        **evaluated,
        scores=tuple(map(tuple, line["scores"])),
        history=written.history_of(job, line["losses"]),
        facts={**line["facts"], **support, "inputs": inputs, **computed},
    )


def _lines(path: Path) -> Iterator[_Line]:
    with path.open(encoding="utf-8") as file:
        yield from map(json.loads, file)
