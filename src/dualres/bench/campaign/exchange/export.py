"""A ledger as text that can be kept under version control: one line of JSON per job, and hashes.

Numbers are written with all their digits, so that the ledger read back is equal to the one written. What many jobs
share stands once, in lists of its own: what was judged, what was learned from, what it was computed with, and the hash
of every signal. Learning rates follow from the plan. Training losses, which nobody reads line by line, stand in a
compressed file. The measurements beside the ledger are part of it; models are not.
"""

import lzma
import math
from dataclasses import dataclass
from hashlib import sha256
from operator import attrgetter
from pathlib import Path
from typing import Any

from dualres.bench.campaign.job import Job
from dualres.bench.campaign.ledger import Ledger, LedgerError, Outcome
from dualres.bench.profile.measurements import FOLDER, damaged, kept, place
from dualres.errors import reason_of
from dualres.learn.trained.task import Step
from dualres.utils.checksums import replace_sums
from dualres.utils.files import compact_json, write_whole
from dualres.utils.progress import Progress, quiet

FORMAT = "dualres-export/3"
HEAD, JOBS, SIGNALS = "export.json", "jobs.jsonl", "signals.tsv"
LOSSES = "losses.jsonl.xz"  # a list for each job with a recipe, in the order of the jobs
SHARED = JUDGED, SUPPORTS, MACHINES = "judged.jsonl", "supports.jsonl", "machines.jsonl"  # what jobs share
EVALUATED = ("classes", "recordings", "truth", "windows")  # parts of an outcome that stand there
LEARNED_FROM, COMPUTED_WITH = ("support", "labelled_s"), ("versions", "machine")  # and facts
NAME_DIGITS = 16  # of the hash that names a shared value
LZMA_PRESET = 6
POWER = 1e-12  # relative; a power may differ in its last digit between machines

Signals = dict[tuple[str, str], str]  # dataset and recording -> SHA-256 of the prepared signal


@dataclass(frozen=True)
class ExportSummary:
    jobs: int
    measurements: int
    left_out: tuple[str, ...]  # damaged measurements, a sentence each


class _SharedValues(dict[str, dict[str, Any]]):
    """Values that several jobs have in common, each once and named by its hash: other jobs do not change the name."""

    def name(self, value: dict[str, Any]) -> str:
        name = sha256(compact_json(value).encode()).hexdigest()[:NAME_DIGITS]
        self[name] = value
        return name


def export(ledger: Ledger, folder: Path, progress: Progress = quiet) -> ExportSummary:
    """Write all finished jobs and measurements. Two ledgers with the same ones give the same files.

    An earlier export in the folder is replaced; other files there stay.
    """
    if (folder / ledger.path.name).exists():
        raise LedgerError(f"{folder}: holds a ledger; export to a folder without one")
    signals: Signals = {}
    shared = {name: _SharedValues() for name in SHARED}
    # A job stands near those that it is compared with.
    near = attrgetter("dataset", "method", "budget.recordings", "budget.windows", "fold", "seed", "key")
    jobs = sorted(ledger.jobs().values(), key=near)
    lines, losses = [], []
    for done, job in enumerate(jobs, start=1):
        try:
            outcome = ledger.outcome(job.key)
            lines.append(compact_json(_line(job, outcome, shared, signals)))
            losses += [compact_json(_losses(outcome))] if job.recipe else []
        except (KeyError, ValueError) as error:
            what = f"{ledger.path}: job {job.key[:16]} cannot be exported ({reason_of(error)})"
            raise LedgerError(f"{what}; `dualres bench verify` says more") from error
        progress("Export", done, len(jobs), "")
    rows = [f"{dataset}\t{name}\t{digest}" for (dataset, name), digest in sorted(signals.items())]
    files = {HEAD: [compact_json({"format": FORMAT})], JOBS: lines, SIGNALS: rows}
    for name, values in shared.items():
        files[name] = [compact_json({"name": key, **value}) for key, value in sorted(values.items())]
    for name, content in files.items():
        write_whole(folder / name, _text(content))
    write_whole(folder / LOSSES, lzma.compress(_text(losses), preset=LZMA_PRESET))
    beside = ledger.path.parent / FOLDER
    measured = [place(plan, beside).name for plan in kept(beside)]
    for name in measured:
        write_whole(folder / FOLDER / name, (beside / name).read_bytes())
    replace_sums(folder, [*files, LOSSES, *(f"{FOLDER}/{name}" for name in measured)], is_measurement)
    return ExportSummary(len(lines), len(measured), tuple(map(str, damaged(beside))))


def _line(job: Job, outcome: Outcome, shared: dict[str, _SharedValues], signals: Signals) -> dict[str, Any]:
    facts = dict(outcome.facts)
    support, computed = ({name: facts.pop(name) for name in names} for names in (LEARNED_FROM, COMPUTED_WITH))
    inputs = facts.pop("inputs")
    if inputs.keys() != set(used(support, outcome.recordings)):
        raise ValueError("the hashed recordings are not those it learned from and judged")
    for name, digest in inputs.items():
        if signals.setdefault((job.dataset, name), digest) != digest:
            raise ValueError(f"another job saw a different signal of {job.dataset} {name}")
    if not all(map(_same_step, outcome.history, history_of(job, _losses(outcome)))):
        raise ValueError("its history is not that of its recipe")
    return {
        "key": job.key,
        "plan": job.plan(),
        "judged": shared[JUDGED].name({name: getattr(outcome, name) for name in EVALUATED}),
        "support": shared[SUPPORTS].name(support),
        "machine": shared[MACHINES].name(computed),
        "facts": facts,
        "scores": outcome.scores,
    }


def _losses(outcome: Outcome) -> list[float]:
    return [step.loss for step in outcome.history]


def _text(lines: list[str]) -> bytes:
    return "".join(line + "\n" for line in lines).encode()


def _same_step(one: Step, other: Step) -> bool:
    return one.update == other.update and math.isclose(one.learning_rate, other.learning_rate, rel_tol=POWER)


def history_of(job: Job, losses: list[float]) -> tuple[Step, ...]:
    """The history with these losses and the recipe's learning rates."""
    if job.recipe is None:
        if losses:
            raise ValueError("it has updates, but no recipe")
        return ()
    return tuple(Step(number, loss, job.recipe.rate_at(number)) for number, loss in enumerate(losses, start=1))


def used(support: dict[str, Any], recordings: tuple[str, ...]) -> dict[str, None]:
    """The recordings a job opened, in their order."""
    return dict.fromkeys((*(name for name, _ in support["support"]), *recordings))


def is_measurement(name: str) -> bool:
    path = Path(name)
    return path.parent == Path(FOLDER) and path.suffix == ".json"
