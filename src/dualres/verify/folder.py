"""A whole folder verified: the ledger or its export, the models, and the report that was made of it."""

from dataclasses import dataclass
from pathlib import Path

from dualres.errors import ConfigError
from dualres.exchange.ledger_folder import exported, opened
from dualres.exchange.read_export import check_export
from dualres.machinery.checksums import check_sums
from dualres.machinery.progress import Progress, quiet
from dualres.report.build import FIGURES, TABLES
from dualres.verify.ledger import verify
from dualres.verify.tables import verify_tables


@dataclass(frozen=True)
class Verified:
    """What was looked at, and what does not agree."""

    jobs: int
    export: bool  # whether the folder holds an export, which has no models
    report: Path | None  # the one whose tables and figures were checked
    problems: tuple[str, ...]  # a sentence each


def verify_folder(
    folder: Path, report: Path | None = None, *, models: bool = True, progress: Progress = quiet
) -> Verified:
    """Compute hashes and, of a report, every table cell again from the stored scores.

    The report is the folder's own where none is named and the folder has one.
    """
    if report is None and any((folder / name).is_dir() for name in (TABLES, FIGURES)):
        report = folder
    export, jobs = exported(folder), 0
    problems = check_export(folder) if export else []
    if problems:  # so that nothing can be computed from it
        problems += check_sums(report / TABLES) if report is not None else []
    else:
        with opened(folder, progress=progress) as ledger:
            beside = folder if models and not export else None
            problems += verify(ledger, beside, progress)
            if report is not None:
                try:
                    problems += verify_tables(ledger, report / TABLES)
                except ConfigError as error:  # tables that cannot be read at all are a problem like any other
                    problems += [*check_sums(report / TABLES), str(error)]
            jobs = len(ledger.keys())
    problems += check_sums(report / FIGURES) if report is not None else []
    return Verified(jobs, export, report, tuple(problems))
