"""Every table of the paper that a ledger can fill, as data, and as files."""

from collections.abc import Mapping

from dualres.bench.campaign.ledger import Ledger
from dualres.bench.report.registry import TABLES, made, register_table
from dualres.bench.report.results import Results
from dualres.bench.report.tables.costs import cost_tables
from dualres.bench.report.tables.differences import difference_tables
from dualres.bench.report.tables.fill import Table, Value, with_folds_notice
from dualres.bench.report.tables.reference import reference_tables
from dualres.bench.report.tables.scores import every_seed
from dualres.bench.report.tables.write import Settings, write_tables

__all__ = [
    "Settings",
    "Table",
    "Value",
    "all_tables",
    "cost_tables",
    "reference_tables",
    "register_table",
    "study_tables",
    "write_tables",
]


def study_tables(results: Results) -> list[Table]:
    """All tables of a study; none where nothing of it was run."""
    if not results.entries:
        return []
    study, own = results.study, results.planned_only()
    tables = list(made(TABLES, study.tables, own))
    for dataset in own.datasets():
        tables += made(TABLES, study.dataset_tables, own, dataset)
    tables += every_seed(results) if study.every_seed else []
    tables += difference_tables(own) if study.differences else []
    return [with_folds_notice(table) for table in tables]


def all_tables(ledger: Ledger, settings: Settings, studies: Mapping[str, Results] | None = None) -> list[Table]:
    """All tables of a report, with those of the measurements beside the ledger; `studies` as `settings` give them."""
    found = [table for results in (studies or settings.all_results(ledger)).values() for table in study_tables(results)]
    return [*found, *cost_tables(ledger.path.parent), *reference_tables()]
