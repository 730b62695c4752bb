"""Does a ledger agree with itself, with the frozen folds, and with the model files beside it?

Every rule is applied here anew to what is stored; nothing is taken from the code that made it but the folds.
"""

import json
import math
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import Any

from dualres.bench.campaign.job import Job, read_job
from dualres.bench.campaign.ledger import Ledger, LedgerError, connect, digest_of, empty_schema, schema
from dualres.bench.campaign.studies import folds_of
from dualres.bench.datasets import catalog
from dualres.bench.datasets.folds import Fold, load_fold
from dualres.config import ModelConfig
from dualres.errors import DualResError, reason_of
from dualres.model.kinds import find_kind
from dualres.utils.json_text import json_value
from dualres.utils.progress import Progress, quiet

# What reading values that are not there, or of another kind than they should be, raises.
DAMAGE = (LookupError, TypeError, ValueError, AttributeError, OverflowError, DualResError)
TOLERANCE = 1e-9  # of numbers that were computed twice; a logarithm may differ in its last digit between machines
PROBABILITIES = 1e-4  # how far their sum may be from one; they are means of 32-bit numbers


@dataclass(frozen=True)
class StoredJob:
    key: str
    plan: dict[str, Any]
    facts: dict[str, Any]
    judged: list[tuple[str, int, int, list[float]]]  # recording, true class, windows, scores
    steps: list[tuple[int, float, float]]  # update, loss, learning rate
    damage: str = ""  # why it cannot be read; the rest is then empty
    digest: str = ""  # of all of it
    recorded: str | None = None  # the digest when it was recorded; None if an earlier version did that


def stored_jobs(path: Path) -> Iterator[StoredJob]:
    """All jobs of a ledger's file, read without the code that wrote them."""
    database = connect(path)
    try:
        has_digests = "digests" in schema(database)
        recorded = dict(database.execute("SELECT key, sha256 FROM digests").fetchall() if has_digests else [])
        for key, plan, facts in database.execute("SELECT key, plan, facts FROM jobs ORDER BY key").fetchall():
            scores = database.execute(
                "SELECT recording, truth, windows, scores FROM scores WHERE key = ? ORDER BY position", (key,)
            )
            steps = database.execute("SELECT number, loss, rate FROM steps WHERE key = ? ORDER BY number", (key,))
            try:
                judged = [(name, truth, windows, json_value(text)) for name, truth, windows, text in scores]
                its = key, json_value(plan), json_value(facts), judged, steps.fetchall()
                job = StoredJob(*its, digest=digest_of(database, key), recorded=recorded.get(key))
            except DAMAGE as error:
                job = StoredJob(key, {}, {}, [], [], damage=reason_of(error))
            yield job
    except sqlite3.Error as error:
        raise LedgerError(f"{path}: cannot be read ({error})") from error
    finally:
        database.close()


def known_labels(dataset: str) -> dict[str, str]:
    """Labels of recordings as far as the package itself knows them: all simulated ones, and every support's."""
    generate = catalog.release(dataset).generate
    known = {r.id: str(r.label) for r in generate()} if generate else {}
    for name in folds_of(dataset):
        known |= {member: label for label, members in load_fold(name).support.items() for member in members}
    return known


@dataclass
class CheckCounts:
    jobs: int = 0
    scores: int = 0
    losses: int = 0
    models: int = 0
    unhashed: int = 0  # jobs recorded by a version that did not hash them


def verify(
    ledger: Ledger, folder: Path | None = None, progress: Progress = quiet, counts: CheckCounts | None = None
) -> list[str]:
    """What does not agree, a sentence each; `counts` grows. Model files are those in models/ of `folder`, if given."""
    problems, agreement, total = _strange(ledger.path), _Agreement(), len(ledger.keys())
    counts = CheckCounts() if counts is None else counts
    for done, job in enumerate(stored_jobs(ledger.path), start=1):
        problems += [f"job {job.key[:16]}: {sentence}" for sentence in _sentences(job, folder, agreement)]
        counts.jobs += 1
        counts.scores += sum(len(scores) for *_, scores in job.judged if isinstance(scores, list))
        counts.losses += len(job.steps)
        counts.models += folder is not None
        counts.unhashed += not job.damage and job.recorded is None
        progress("Verify jobs", done, total, "")
    return problems


def _strange(path: Path) -> list[str]:
    """Tables, columns and rows that no ledger has."""
    with closing(connect(path)) as database:
        found, known = schema(database), empty_schema()
        of_no_job = "SELECT count(*) FROM {} WHERE key NOT IN (SELECT key FROM jobs)"
        parts = [name for name in ("scores", "steps", "digests") if "key TEXT" in found.get(name, ())]
        stray = {name: database.execute(of_no_job.format(name)).fetchone()[0] for name in parts}
    problems = [
        f"{path}: holds {name} ({', '.join(columns)}), which is no table of a ledger"
        if name not in known
        else f"{path}: its table {name} has the columns {', '.join(columns)}, a ledger's {', '.join(known[name])}"
        for name, columns in found.items()
        if known.get(name) != columns
    ]
    return problems + [f"{path}: {count} rows of {name} belong to no job" for name, count in stray.items() if count]


class _Agreement:
    """What one job says of a recording must hold for all: its class and the hash of its signal."""

    def __init__(self) -> None:
        self.hashes: dict[tuple[str, str], str] = {}
        self._labels: dict[str, dict[str, str]] = {}

    def label(self, dataset: str, recording: str, label: str) -> str:
        """The label that is known, which is this one where none was."""
        if dataset not in self._labels:
            self._labels[dataset] = known_labels(dataset)
        return self._labels[dataset].setdefault(recording, label)


def _sentences(stored: StoredJob, folder: Path | None, agreement: _Agreement) -> Iterator[str]:
    """All that is wrong with a job, up to where it cannot be read."""
    if stored.damage:
        yield f"what is stored of it cannot be read ({stored.damage})"
        return
    sound = True
    try:
        for sentence in _check(stored, folder, agreement):
            sound = False
            yield sentence
    except DAMAGE as error:
        sound = False
        yield f"what is stored of it cannot be checked ({reason_of(error)})"
    if sound and stored.recorded not in (None, stored.digest):  # where nothing says more
        yield "its scores, losses or facts were changed since it was recorded: the hash is another"


def _check(stored: StoredJob, folder: Path | None, agreement: _Agreement) -> Iterator[str]:
    canonical = json.dumps(stored.plan, sort_keys=True, separators=(",", ":"))
    if sha256(canonical.encode()).hexdigest() != stored.key:
        yield "its key is not the hash of its plan"
    try:
        job = read_job(stored.plan)
        fold = job.used_fold()
    except DualResError as error:
        yield f"its plan cannot be checked: {error}"
        return
    yield from _check_judged(stored, job, fold, agreement)
    yield from _check_scores(stored, job)
    yield from _check_support(stored, job, fold)
    yield from _check_inputs(stored, job, agreement)
    yield from _check_history(stored, job)
    if folder is not None:
        yield from _check_model(stored, folder / "models" / f"{stored.key}.safetensors")


def _check_judged(stored: StoredJob, job: Job, fold: Fold, agreement: _Agreement) -> Iterator[str]:
    if tuple(stored.facts["classes"]) != fold.classes:
        yield f"its classes are not those of fold {fold.fold}"
        return
    if tuple(name for name, *_ in stored.judged) != fold.evaluation:
        yield f"the judged recordings are not those that fold {fold.fold} and the plan ask for"
    if stored.facts["held_out"] != fold.held_out:
        yield f"it states {stored.facts['held_out']!r} as held out, fold {fold.fold} holds out {fold.held_out!r}"
    for name, truth, windows, _ in stored.judged:
        label = fold.classes[truth] if 0 <= truth < len(fold.classes) else f"class {truth}"
        if (known := agreement.label(job.dataset, name, label)) != label:
            yield f"{name} was judged as {label!r}, but it is known to be {known!r}"
        if windows < 1 or (fold.evaluation_windows is not None and windows > fold.evaluation_windows):
            yield f"{name} was judged on {windows} windows, which fold {fold.fold} does not allow"


def _check_scores(stored: StoredJob, job: Job) -> Iterator[str]:
    classes = len(stored.facts["classes"])
    for name, _, _, scores in stored.judged:
        if len(scores) != classes:
            yield f"{name} has {len(scores)} scores for {classes} classes"
        elif not all(map(math.isfinite, scores)):
            yield f"{name} has a score that is not a finite number"
        elif (job.recipe or find_kind(job.method)) and (min(scores) < 0 or abs(sum(scores) - 1) > PROBABILITIES):
            yield f"{name} has scores that are not probabilities: they sum to {sum(scores):.6f}"


def _check_support(stored: StoredJob, job: Job, fold: Fold) -> Iterator[str]:
    config = ModelConfig()
    first, step = fold.support_start_s * config.rate, int(fold.support_step * config.window)
    expected = [
        [name, first + number * step]
        for members in fold.support.values()
        for name in members[: job.budget.recordings]
        for number in range(job.budget.windows)
    ]
    found = stored.facts["support"]
    if found != expected:
        yield f"its support windows are not those that fold {fold.fold} and the budget give"
    if leaked := {name for name, _ in found} & {name for name, *_ in stored.judged}:
        yield f"{min(leaked)} was learned from and judged"
    label_of = {name: label for label, members in fold.support.items() for name in members}
    covered = dict.fromkeys(fold.classes, 0)
    for recording in {name for name, _ in found}:
        if recording in label_of:
            starts = [start for name, start in found if name == recording]
            covered[label_of[recording]] += _covered(starts, config.window)
    seconds = {label: count / config.rate for label, count in covered.items()}
    stated = stored.facts["labelled_s"]
    if seconds.keys() != stated.keys() or any(abs(seconds[name] - stated[name]) > TOLERANCE for name in seconds):
        yield f"it states labelled seconds of {stated}, its support windows cover {seconds}"


def _covered(starts: list[int], window: int) -> int:
    """Samples in at least one window: each window up to where the next one begins."""
    ordered = sorted(starts)
    return sum(min(window, after - start) for start, after in pairwise(ordered)) + window * bool(ordered)


def _check_inputs(stored: StoredJob, job: Job, agreement: _Agreement) -> Iterator[str]:
    hashes = stored.facts["inputs"]
    used = {name for name, _ in stored.facts["support"]} | {name for name, *_ in stored.judged}
    if used != hashes.keys():
        yield "the hashed recordings are not those it learned from and judged"
    for name, digest in hashes.items():
        if agreement.hashes.setdefault((job.dataset, name), digest) != digest:
            yield f"the signal of {name} has another hash than in an earlier job"


def _check_history(stored: StoredJob, job: Job) -> Iterator[str]:
    updates = job.recipe.updates if job.recipe else 0
    if [number for number, *_ in stored.steps] != list(range(1, updates + 1)):
        yield f"its history has {len(stored.steps)} updates, the plan {updates}"
        return
    for number, loss, rate in stored.steps:
        if not math.isfinite(loss):
            yield f"the loss of update {number} is not a finite number"
        elif job.recipe and not math.isclose(rate, job.recipe.rate_at(number), rel_tol=TOLERANCE):
            yield f"the learning rate of update {number} is {rate}, the recipe's is {job.recipe.rate_at(number)}"


def _check_model(stored: StoredJob, path: Path) -> Iterator[str]:
    if not path.is_file():
        yield f"its model file {path} is missing (--no-models leaves them out)"
        return
    content = path.read_bytes()
    if sha256(content).hexdigest() != stored.facts["model_sha256"]:
        yield f"its model file {path} was changed: the hash is another"
    elif len(content) != stored.facts["cost"]["file_bytes"]:
        yield f"its model file has {len(content)} bytes, the stored cost says {stored.facts['cost']['file_bytes']}"
