"""A whole folder verified: the ledger or its export, the models, and the report that was made of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from dualres.bench.campaign.exchange.ledger_folder import LEDGER, exported, opened
from dualres.bench.campaign.exchange.read_export import check_export
from dualres.bench.campaign.ledger import Ledger
from dualres.bench.profile.measurements import FOLDER, all_costs, kept
from dualres.bench.report.build import FIGURES, TABLES
from dualres.bench.report.plots.write import pictures
from dualres.bench.report.results import Results
from dualres.bench.report.tables.write import CSV_NAME, read_settings
from dualres.bench.verify.figures import verify_figures
from dualres.bench.verify.ledger import DAMAGE, CheckCounts, stored_jobs, verify
from dualres.bench.verify.manifest import check_manifest, covered, manifest_root
from dualres.bench.verify.tables import read_cells, verify_tables
from dualres.errors import ConfigError, reason_of
from dualres.utils.checksums import check_sums
from dualres.utils.progress import Progress, quiet


@dataclass
class VerificationResult:
    """What was looked at, and what does not agree."""

    export: bool  # whether the folder holds an export, which has no models
    report: Path | None  # the one whose tables and figures were checked
    problems: list[str] = field(default_factory=list)  # a sentence each
    counts: CheckCounts = field(default_factory=CheckCounts)
    measurements: int = 0
    tables: int = 0
    cells: int = 0  # of the tables
    figures: int = 0  # drawn again
    files: int = 0  # held against a manifest
    roots: dict[Path, str] = field(default_factory=dict)  # by folder: the hash that stands for all checked in it


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
    found = VerificationResult(exported(folder), report)
    found.problems += check_export(folder) if found.export else []
    if found.problems:  # so that nothing can be computed from it
        found.problems += check_sums(report / TABLES) if report is not None else []
    else:
        with opened(folder, progress=progress) as ledger:
            checked_models = folder if models and not found.export else None
            found.problems += verify(ledger, checked_models, progress, found.counts)
            found.measurements = len(kept(ledger.path.parent / FOLDER))
            if not found.counts.jobs and not found.measurements:
                nothing = "holds no finished job and no measurement, so there is nothing to check"
                found.problems.append(f"{ledger.path}: {nothing}")
            if report is not None:
                _check_report(found, ledger, report, folder)
            if not found.export:  # which has its manifest
                found.roots[folder / LEDGER] = ledger_root(ledger)
    found.problems += check_sums(report / FIGURES) if report is not None else []
    listed = [place for place in dict.fromkeys((folder if found.export else None, report)) if place is not None]
    known = {sentence.split(": ")[0] for sentence in found.problems}  # files that something was said of
    of_manifests = [sentence for place in listed for sentence in check_manifest(place)]
    found.problems += [sentence for sentence in of_manifests if sentence.split(": ")[0] not in known]
    found.roots |= {place: root for place in listed if (root := manifest_root(place)) is not None}
    found.problems += [
        f"{folder}: nothing here has the root hash {root}; there is {', '.join(found.roots.values()) or 'none'}"
        for root in roots
        if root.strip().lower() not in found.roots.values()
    ]
    found.files = sum(len(covered(place)) for place in listed)
    return found


def ledger_root(ledger: Ledger) -> str:
    """The hash that stands for a ledger's jobs, with all that is stored of them, and the measurements beside it."""
    lines = [f"{job.digest}  {job.key}\n" for job in stored_jobs(ledger.path)]
    measured = sorted((ledger.path.parent / FOLDER).glob("*.json"))
    lines += [f"{sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in measured]
    return sha256("".join(lines).encode()).hexdigest()


def _check_report(found: VerificationResult, ledger: Ledger, report: Path, folder: Path) -> None:
    """Tables and figures; `folder` holds what scripts measured, which a figure shows."""
    try:
        studies = read_settings(report / TABLES).all_results(ledger)
    except DAMAGE:
        studies = None  # what hinders it is told of the tables
    _check_tables(found, ledger, report / TABLES, studies)
    if studies is None or not (report / FIGURES).is_dir():
        return
    try:
        filled = {name: results for name, results in studies.items() if results.entries}
        drawn = list(pictures(filled, all_costs(ledger.path.parent / FOLDER), folder))
        found.problems += verify_figures(report / FIGURES, drawn)
    except DAMAGE as error:
        found.problems.append(f"{report / FIGURES}: cannot be drawn again to be compared ({reason_of(error)})")
    else:
        found.figures = len(drawn)


def _check_tables(
    found: VerificationResult, ledger: Ledger, tables: Path, studies: Mapping[str, Results] | None
) -> None:
    try:
        found.problems += verify_tables(ledger, tables, studies)
        cells = read_cells(tables / CSV_NAME)
    except ConfigError as error:  # tables that cannot be read at all are a problem like any other
        found.problems += [*check_sums(tables), str(error)]
    except DAMAGE as error:
        what = f"{tables}: cannot be computed again from what the ledger holds ({reason_of(error)})"
        found.problems += [*check_sums(tables), what]
    else:
        found.tables, found.cells = len({cell["table"] for cell in cells}), len(cells)
