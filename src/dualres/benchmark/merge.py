"""Taking in what another machine has done: its ledger, or an export of it, and the model files beside."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from dualres.benchmark.export import load_export
from dualres.benchmark.job import Job
from dualres.benchmark.ledger import Ledger, Merge
from dualres.benchmark.run import sole_writer
from dualres.files import write_whole


@dataclass(frozen=True)
class Taken:
    """What came of it."""

    merge: Merge
    models: int  # files copied
    clashes: tuple[Job, ...]  # jobs whose scores differ; ours were kept


def take_in(other: Path, ledger: Path) -> Taken:
    """Merge the ledger at `other`, or the export in that folder, into `ledger`; models lie in models/ beside either."""
    with ExitStack() as stack:
        if other.is_dir():
            scratch = Path(stack.enter_context(TemporaryDirectory()))
            theirs = stack.enter_context(load_export(other, scratch / ledger.name))
        else:
            theirs = stack.enter_context(Ledger(other, create=False))
        ours = stack.enter_context(Ledger(ledger))
        stack.enter_context(sole_writer(ledger))
        merge = ours.merge(theirs)
        jobs = ours.jobs()
        models = _copy_models(other.parent, ledger.parent, theirs.keys() - set(merge.clashes))
    return Taken(merge, models, tuple(jobs[key] for key in merge.clashes))


def _copy_models(there: Path, here: Path, keys: Iterable[str]) -> int:
    """Those that are there and not yet here."""
    names = [f"models/{key}.safetensors" for key in keys]
    missing = [name for name in names if (there / name).exists() and not (here / name).exists()]
    for name in missing:
        write_whole(here / name, (there / name).read_bytes())
    return len(missing)
