"""A ledger as text that can be kept under version control: one line of JSON per job, and hashes.

Numbers are written with all their digits, so that the ledger read back is equal to the one written. The hashes of the
input signals, which many jobs share, stand in a list of their own.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from dualres.benchmark.job import read_job
from dualres.benchmark.ledger import Ledger, LedgerError, Outcome
from dualres.benchmark.sums import check_sums, write_sums
from dualres.files import write_whole
from dualres.fit import Step

JOBS, SIGNALS = "jobs.jsonl", "signals.tsv"

Signals = dict[tuple[str, str], str]  # dataset and recording -> SHA-256 of the prepared signal


def export(ledger: Ledger, folder: Path) -> int:
    """Write all finished jobs; gives their number. Two ledgers with the same jobs give the same files."""
    signals: Signals = {}
    lines = []
    for key, job in ledger.jobs().items():
        outcome = ledger.outcome(key)
        facts = dict(outcome.facts)
        for name, digest in facts.pop("inputs").items():
            if signals.setdefault((job.dataset, name), digest) != digest:
                raise LedgerError(
                    f"{ledger.path}: two jobs saw different signals of {job.dataset} {name}; "
                    "`dualres bench verify` names them"
                )
        line = {
            "key": key,
            "plan": job.plan(),
            "classes": outcome.classes,
            "judged": list(zip(outcome.recordings, outcome.truth, outcome.windows, outcome.scores, strict=True)),
            "history": [(step.loss, step.learning_rate) for step in outcome.history],
            "facts": facts,
        }
        lines.append(json.dumps(line, separators=(",", ":")) + "\n")
    write_whole(folder / JOBS, "".join(lines).encode())
    rows = [f"{dataset}\t{name}\t{digest}\n" for (dataset, name), digest in sorted(signals.items())]
    write_whole(folder / SIGNALS, "".join(rows).encode())
    write_sums(folder, (JOBS, SIGNALS))
    return len(lines)


def load_export(folder: Path, path: Path) -> Ledger:
    """The exported ledger as a new file at `path`."""
    problems = check_sums(folder)
    if problems:
        raise LedgerError(f"{problems[0]}; export the ledger again")
    if path.exists():
        raise LedgerError(f"{path}: exists already; give another name, or merge with `dualres bench import`")
    signals = _read_signals(folder / SIGNALS)
    ledger = Ledger(path)
    for line in _lines(folder / JOBS):
        job = read_job(line["plan"])
        if job.key != line["key"]:
            raise LedgerError(f"{folder / JOBS}: job {line['key'][:16]} has a plan with another hash")
        outcome = _outcome(line)
        used = (*(name for name, _ in line["facts"]["support"]), *outcome.recordings)
        inputs = {name: signals[job.dataset, name] for name in used}
        ledger.record(job, replace(outcome, facts={**outcome.facts, "inputs": inputs}))
    return ledger


def _outcome(line: dict[str, Any]) -> Outcome:
    judged = line["judged"]
    return Outcome(
        classes=tuple(line["classes"]),
        recordings=tuple(name for name, *_ in judged),
        truth=tuple(truth for _, truth, *_ in judged),
        windows=tuple(windows for *_, windows, _ in judged),
        scores=tuple(tuple(scores) for *_, scores in judged),
        history=tuple(Step(i, loss, rate) for i, (loss, rate) in enumerate(line["history"], start=1)),
        facts=line["facts"],
    )


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        yield from map(json.loads, file)


def _read_signals(path: Path) -> Signals:
    rows = (line.split("\t") for line in path.read_text().splitlines())
    return {(dataset, name): digest for dataset, name, digest in rows}
