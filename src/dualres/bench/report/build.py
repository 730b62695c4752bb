"""A report: tables, figures and a page to browse, from a ledger and the measurements beside it."""

from dataclasses import dataclass
from pathlib import Path

from dualres.bench.campaign.ledger import Ledger
from dualres.bench.profile.measurements import FOLDER, all_costs, damaged
from dualres.bench.report.page import write_page
from dualres.bench.report.plots.write import write_figures
from dualres.bench.report.tables import Settings, cost_tables, reference_tables, study_tables, write_tables
from dualres.errors import ConfigError
from dualres.utils.progress import Progress, quiet

TABLES, FIGURES, PAGE = "tables", "figures", "index.html"


@dataclass(frozen=True)
class ReportSummary:
    tables: int
    figures: int
    jobs: int
    costs: bool  # whether any were measured
    not_run: tuple[str, ...]  # studies
    left_out: tuple[str, ...]  # measurements that cannot be used, and why


def has_costs(folder: Path) -> bool:
    """Whether measurements lie in the folder, which alone can fill a report."""
    return bool(all_costs(folder / FOLDER))


def write_report(
    ledger: Ledger, folder: Path, output: Path, settings: Settings, *, page: bool = True, progress: Progress = quiet
) -> ReportSummary:
    """Write to `output` what `settings` asks for; `folder` holds the measurements."""
    costs = all_costs(folder / FOLDER)
    found, tables = {}, []
    for done, name in enumerate(settings.studies, start=1):
        results = settings.results(ledger, name)
        if results.entries:
            found[name] = results
            tables += study_tables(results)
        progress("Tables", done, len(settings.studies), name)
    if not found and not costs:
        other = "without --quick" if settings.quick else "with --quick"
        raise ConfigError(
            f"{folder}: holds no finished job of {', '.join(settings.studies)} with {settings.threads} threads; "
            f"run `dualres bench run`, or try {other}"
        )
    tables += [*cost_tables(folder), *reference_tables()]
    write_tables(tables, output / TABLES, settings)
    progress("Figures and page", 0, 2, "figures")
    figures = write_figures(found, output / FIGURES, costs, folder)
    progress("Figures and page", 1, 2, "page")
    if page:
        write_page(output / PAGE, found, tables, figures)
    progress("Figures and page", 2, 2, "")
    return ReportSummary(
        tables=len(tables),
        figures=len(figures),
        jobs=len({entry.key for results in found.values() for entry in results.entries}),
        costs=bool(costs),
        not_run=tuple(name for name in settings.studies if name not in found),
        left_out=tuple(map(str, damaged(folder / FOLDER))),
    )
