"""A whole folder verified: the ledger or its export, the models, and the report that was made of it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from dualres.bench.campaign.exchange.ledger_folder import LEDGER, exported, opened
from dualres.bench.campaign.exchange.read_export import check_export
from dualres.bench.campaign.ledger import Ledger
from dualres.bench.profile.measurements import FOLDER, kept
from dualres.bench.report.build import FIGURES, TABLES
from dualres.bench.report.tables.write import CSV_NAME
from dualres.bench.verify.ledger import DAMAGE, CheckCounts, stored_jobs, verify
from dualres.bench.verify.manifest import check_manifest, covered, manifest_root
from dualres.bench.verify.tables import read_cells, verify_tables
from dualres.errors import ConfigError, reason_of
from dualres.utils.checksums import check_sums
from dualres.utils.progress import Progress, quiet


@dataclass(frozen=True)
class VerificationResult:
    """What was looked at, and what does not agree."""

    counts: CheckCounts
    measurements: int
    tables: int
    cells: int  # of the tables
    files: int  # held against a manifest
    roots: dict[Path, str]  # by folder: the hash that stands for all that was checked in it
    export: bool  # whether the folder holds an export, which has no models
    report: Path | None  # the one whose tables and figures were checked
    problems: tuple[str, ...]  # a sentence each

    @property
    def jobs(self) -> int:
        return self.counts.jobs


@dataclass
class _Findings:
    """What has been found out so far."""

    problems: list[str] = field(default_factory=list)
    counts: CheckCounts = field(default_factory=CheckCounts)
    measurements: int = 0
    tables: set[str] = field(default_factory=set)
    cells: int = 0
    root: str | None = None


def verify_folder(
    folder: Path,
    report: Path | None = None,
    *,
    models: bool = True,
    roots: Sequence[str] = (),
    progress: Progress = quiet,
) -> VerificationResult:
    """Compute hashes and, of a report, every table cell again from the stored scores.

    The report is the folder's own where none is named and the folder has one. Each of `roots` must be the hash that
    stands for all that lies in the folder, or in the report's.
    """
    if report is None and any((folder / name).is_dir() for name in (TABLES, FIGURES)):
        report = folder
    export, found = exported(folder), _Findings()
    found.problems += check_export(folder) if export else []
    if found.problems:  # so that nothing can be computed from it
        found.problems += check_sums(report / TABLES) if report is not None else []
    else:
        with opened(folder, progress=progress) as ledger:
            _check_ledger(found, ledger, folder if models and not export else None, progress)
            if report is not None:
                _check_tables(found, ledger, report / TABLES)
            found.root = None if export else ledger_root(ledger)  # an export has its manifest
    found.problems += check_sums(report / FIGURES) if report is not None else []
    listed = [place for place in dict.fromkeys((folder if export else None, report)) if place is not None]
    found.problems += _beyond(found.problems, [sentence for place in listed for sentence in check_manifest(place)])
    its_roots = {place: root for place in listed if (root := manifest_root(place)) is not None}
    if found.root is not None:
        its_roots = {folder / LEDGER: found.root, **its_roots}
    found.problems += [
        f"{folder}: nothing here has the root hash {root}; there is {', '.join(its_roots.values()) or 'none'}"
        for root in roots
        if root.strip().lower() not in its_roots.values()
    ]
    return VerificationResult(
        counts=found.counts,
        measurements=found.measurements,
        tables=len(found.tables),
        cells=found.cells,
        files=sum(len(covered(place)) for place in listed),
        roots=its_roots,
        export=export,
        report=report,
        problems=tuple(found.problems),
    )


def _check_ledger(found: _Findings, ledger: Ledger, models: Path | None, progress: Progress) -> None:
    found.problems += verify(ledger, models, progress, found.counts)
    found.measurements = len(kept(ledger.path.parent / FOLDER))
    if not found.counts.jobs and not found.measurements:
        found.problems.append(f"{ledger.path}: holds no finished job and no measurement, so there is nothing to check")


def ledger_root(ledger: Ledger) -> str:
    """The hash that stands for a ledger's jobs, with all that is stored of them, and the measurements beside it."""
    lines = [f"{job.digest}  {job.key}\n" for job in stored_jobs(ledger.path)]
    measured = sorted((ledger.path.parent / FOLDER).glob("*.json"))
    lines += [f"{sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in measured]
    return sha256("".join(lines).encode()).hexdigest()


def _check_tables(found: _Findings, ledger: Ledger, tables: Path) -> None:
    try:
        found.problems += verify_tables(ledger, tables)
        cells = read_cells(tables / CSV_NAME)
    except ConfigError as error:  # tables that cannot be read at all are a problem like any other
        found.problems += [*check_sums(tables), str(error)]
    except DAMAGE as error:
        what = f"{tables}: cannot be computed again from what the ledger holds ({reason_of(error)})"
        found.problems += [*check_sums(tables), what]
    else:
        found.tables, found.cells = {cell["table"] for cell in cells}, len(cells)


def _beyond(known: Sequence[str], more: Sequence[str]) -> list[str]:
    """Those of `more` about files that no sentence begins with yet."""
    return [sentence for sentence in more if not any(one.startswith(f"{sentence.split(': ')[0]}:") for one in known)]
