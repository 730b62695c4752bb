"""An export read back: checked against its hashes, and made a ledger again."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from dualres.campaign.job import Job, read_job
from dualres.campaign.ledger import Ledger, LedgerError, Outcome
from dualres.errors import reason_of
from dualres.exchange.export import (
    FORMAT,
    HEAD,
    JOBS,
    JUDGED,
    MACHINES,
    SIGNALS,
    SUPPORTS,
    Progress,
    Signals,
    history_of,
    is_measurement,
    used,
)
from dualres.machinery.checksums import NAME as SUMS
from dualres.machinery.checksums import check_sums, listed
from dualres.machinery.files import write_whole
from dualres.profile.measurements import FOLDER

FILES = (HEAD, JOBS, SIGNALS, JUDGED, SUPPORTS, MACHINES)


def is_export(folder: Path, ledger: str) -> bool:
    """Whether a folder holds an export and not the ledger itself, whose file has the given name."""
    return (folder / JOBS).is_file() and not (folder / ledger).exists()


def check_export(folder: Path) -> list[str]:
    """What does not agree with the hashes of an export, one sentence each."""
    found = {name for name in FILES if (folder / name).is_file()}
    found |= {f"{FOLDER}/{path.name}" for path in (folder / FOLDER).glob("*.json")}
    strange = [f"{folder / name}: is not listed in {SUMS}" for name in sorted(found - listed(folder).keys())]
    return check_sums(folder) + strange


def load_export(folder: Path, path: Path, progress: Progress | None = None) -> Ledger:
    """The exported ledger as a new file at `path`, and its measurements beside it."""
    problems = check_export(folder)
    if problems:
        raise LedgerError(f"{problems[0]}; export the ledger again")
    if path.exists():
        raise LedgerError(f"{path}: exists already; give another name, or merge with `dualres bench import`")
    _check_format(folder)
    with ExitStack() as stack:
        ledger = stack.enter_context(Ledger(path))
        _fill(ledger, folder, progress)
        for name in filter(is_measurement, listed(folder)):
            write_whole(path.parent / name, (folder / name).read_bytes())
        stack.pop_all()
    return ledger


def _check_format(folder: Path) -> None:
    try:
        found = json.loads((folder / HEAD).read_text(encoding="utf-8"))["format"]
    except FileNotFoundError:
        found = "dualres-export/1"  # had no such file
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise LedgerError(f"{folder / HEAD}: cannot be read ({error}); export the ledger again") from error
    if found != FORMAT:
        raise LedgerError(
            f"{folder}: an export in format {found!r}, and this version reads {FORMAT!r}; "
            "export the ledger again with this version"
        )


def _fill(ledger: Ledger, folder: Path, progress: Progress | None) -> None:
    where = folder / JOBS
    try:
        judged, supports, machines = (
            {line.pop("name"): line for line in _lines(folder / name)} for name in (JUDGED, SUPPORTS, MACHINES)
        )
        signals = _read_signals(folder / SIGNALS)
        lines = list(_lines(where))
        for done, line in enumerate(lines, start=1):
            job = read_job(line["plan"])
            if job.key != line["key"]:
                raise LedgerError(f"{where}: job {line['key'][:16]} has a plan with another hash")
            shared = judged[line["judged"]], supports[line["support"]], machines[line["machine"]]
            ledger.record(job, _outcome(job, line, *shared, signals))
            if progress:
                progress(done, len(lines))
    except (OSError, LookupError, TypeError, ValueError, AttributeError) as error:
        raise LedgerError(f"{where}: cannot be read ({reason_of(error)}); export the ledger again") from error


def _outcome(
    job: Job,
    line: dict[str, Any],
    judged: dict[str, Any],
    support: dict[str, Any],
    computed: dict[str, Any],
    signals: Signals,
) -> Outcome:
    classes, recordings, truth, windows = (
        tuple(judged[name]) for name in ("classes", "recordings", "truth", "windows")
    )
    inputs = {name: signals[job.dataset, name] for name in used(support, recordings)}
    return Outcome(
        classes=classes,
        recordings=recordings,
        truth=truth,
        windows=windows,
        scores=tuple(map(tuple, line["scores"])),
        history=history_of(job, line["losses"]),
        facts={**line["facts"], **support, "inputs": inputs, **computed},
    )


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        yield from map(json.loads, file)


def _read_signals(path: Path) -> Signals:
    rows = (line.split("\t") for line in path.read_text(encoding="utf-8").splitlines())
    return {(dataset, name): digest for dataset, name, digest in rows}
