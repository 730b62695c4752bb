"""Taking in what another machine has done: its ledger, or an export of it, and the measurements and models beside."""

from collections.abc import Container, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from dualres.bench.campaign.coordinator import sole_writer
from dualres.bench.campaign.exchange.read_export import load_export
from dualres.bench.campaign.job import Job
from dualres.bench.campaign.ledger import Ledger, LedgerError, Merge, Outcome
from dualres.bench.profile.measurements import FOLDER, damaged, keep, kept
from dualres.utils.files import write_whole
from dualres.utils.progress import Progress, quiet
from dualres.utils.special_files import unusual


@dataclass(frozen=True)
class MeasurementImport:
    """What came of another folder's measurements."""

    taken: int
    known: int
    differing: tuple[str, ...]  # titles of those that both measured; ours were kept
    left_out: tuple[str, ...]  # damaged ones of theirs, a sentence each


@dataclass(frozen=True)
class Clash:
    """A job that both have done with different scores; ours were kept."""

    job: Job
    ours: Outcome
    theirs: Outcome

    @property
    def difference(self) -> str:
        if (self.ours.recordings, self.ours.classes) != (self.theirs.recordings, self.theirs.classes):
            return "they judged different recordings"
        if self.ours.facts["inputs"] != self.theirs.facts["inputs"]:
            return "they read different signals"
        one, two = np.asarray(self.ours.scores), np.asarray(self.theirs.scores)
        otherwise = int((one.argmax(1) != two.argmax(1)).sum())
        return (
            f"scores differ by up to {abs(one - two).max():.2g}, {otherwise} of {len(one)} verdicts differ; macro-F1 "
            f"{100 * self.ours.macro_f1:.1f} here and {100 * self.theirs.macro_f1:.1f} there"
        )


@dataclass(frozen=True)
class ImportSummary:
    merge: Merge
    models: int  # files copied
    clashes: tuple[Clash, ...]
    measured: MeasurementImport


def import_ledger(other: Path, ledger: Path, progress: Progress = quiet) -> ImportSummary:
    """Merge the ledger at `other`, or the export in that folder, into `ledger`; models lie in models/ beside either.

    `progress` is told how far an export was read.
    """
    with ExitStack() as stack:
        if other.is_dir():
            scratch = Path(stack.enter_context(TemporaryDirectory()))
            theirs = stack.enter_context(load_export(other, scratch / ledger.name, progress))
        else:
            theirs = stack.enter_context(Ledger(other, create=False))
        _check(theirs)
        ours = stack.enter_context(Ledger(ledger))
        stack.enter_context(sole_writer(ledger))
        _check_signals(theirs, ours)
        merge = ours.merge(theirs)
        jobs = ours.jobs()
        clashes = tuple(Clash(jobs[key], ours.outcome(key), theirs.outcome(key)) for key in merge.clashes)
        models = _copy_models(other.parent, ledger.parent, theirs.keys() - set(merge.clashes))
        measured = _take_measurements(theirs.path.parent / FOLDER, ledger.parent / FOLDER)
    return ImportSummary(merge, models, clashes, measured)


def _check(theirs: Ledger) -> None:
    """Refuse a ledger, before anything is taken, with a job that is not what it should be.

    A key has to be the hash of its plan, for files are named by keys. An altered job would get a hash that fits here.
    """
    for key, job in theirs.jobs().items():
        if key != job.key:
            raise LedgerError(f"{theirs.path}: the key {key[:64]!r} is not the hash of its plan; nothing was taken")
        theirs.outcome(key)  # what is damaged is told before anything is written
    if altered := theirs.altered():
        what = f"{len(altered)} jobs were changed since they were recorded, the first is {altered[0][:16]}"
        raise LedgerError(f"{theirs.path}: {what}; nothing was taken")


def _check_signals(theirs: Ledger, ours: Ledger) -> None:
    """Refuse jobs that read other signals than ours did under the same names: their scores cannot be compared.

    A job that both have done is not looked at here: it is a clash, where ours is kept.
    """
    known = {signal: digest for _, signal, digest in _signals(ours, ours.keys())}
    for key, (dataset, name), digest in _signals(theirs, theirs.keys() - ours.keys()):
        if known.setdefault((dataset, name), digest) != digest:
            what = f"job {key[:16]} read another signal of {dataset} {name} than another job did"
            remedy = "prepare the dataset from the same release in both places"
            raise LedgerError(f"{theirs.path}: {what}; nothing was taken; {remedy}")


def _signals(ledger: Ledger, keys: Container[str]) -> Iterator[tuple[str, tuple[str, str], str]]:
    """Of each recording that the jobs read: the job's key, dataset and name, and the hash of its samples."""
    for key, job in ledger.jobs().items():
        if key in keys:
            for name, digest in ledger.outcome(key).facts["inputs"].items():
                yield key, (job.dataset, name), digest


def _take_measurements(there: Path, here: Path) -> MeasurementImport:
    """Those of plans that were not measured here, or of which ours is damaged."""
    theirs, ours = kept(there), kept(here)
    new = [each for plan, each in theirs.items() if plan not in ours]
    differing = tuple(plan.title for plan in theirs if plan in ours and theirs[plan] != ours[plan])
    for measurement in new:
        keep(measurement, here)
    return MeasurementImport(
        len(new), len(theirs) - len(new) - len(differing), differing, tuple(map(str, damaged(there)))
    )


def _copy_models(there: Path, here: Path, keys: Iterable[str]) -> int:
    """Those that are there and not yet here."""
    names = [f"models/{key}.safetensors" for key in keys]
    usable = (name for name in names if (there / name).is_file() and not unusual(there / name))
    missing = [name for name in usable if not (here / name).exists()]
    for name in missing:
        write_whole(here / name, (there / name).read_bytes())
    return len(missing)
