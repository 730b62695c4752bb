"""Every table of the paper that a ledger can fill, as data, and as files."""

from __future__ import annotations

from collections.abc import Callable

from dualres.campaign.ledger import Ledger
from dualres.report.results import Results
from dualres.report.tables import scores
from dualres.report.tables.costs import cost_tables
from dualres.report.tables.differences import difference_tables
from dualres.report.tables.duration import duration
from dualres.report.tables.model import Table, Value
from dualres.report.tables.published import published
from dualres.report.tables.recipes import recipes
from dualres.report.tables.reference import reference_tables
from dualres.report.tables.settings import Settings
from dualres.report.tables.write import write_tables

__all__ = [
    "Settings",
    "Table",
    "Value",
    "all_tables",
    "cost_tables",
    "reference_tables",
    "study_tables",
    "write_tables",
]

_TABLES: dict[str, Callable[[Results], list[Table]]] = {
    "bearing": scores.bearing,
    "gearbox": scores.per_dataset(
        scores.gearbox("macro_f1"), scores.gearbox("accuracy"), scores.gearbox_by_fold, scores.fit_costs
    ),
    "replication": scores.per_dataset(scores.replication),
    "allocation": scores.per_dataset(scores.allocation),
    "pilot": scores.per_dataset(scores.pilot, scores.pilot_recall),
    "ablation": scores.ablation,
    "duration": scores.per_dataset(duration),
    "optimisation": scores.per_dataset(scores.optimisation),
    "recipes": scores.per_dataset(recipes),
    "published": published,
}


def study_tables(results: Results) -> list[Table]:
    """All tables of a study; none where nothing of it was run."""
    if not results.entries:
        return []
    name, own = results.study.name, results.own()
    tables = _TABLES[name](own)
    if name == "recipes":  # what follows sets methods side by side, and takes each to have one recipe
        return tables
    tables = [*tables, *scores.every_seed(results)]
    return tables if name in ("duration", "optimisation") else tables + difference_tables(own)


def all_tables(ledger: Ledger, settings: Settings) -> list[Table]:
    """All tables of a report, with those of the measurements beside the ledger."""
    found = [table for name in settings.studies for table in study_tables(settings.results(ledger, name))]
    return [*found, *cost_tables(ledger.path.parent), *reference_tables()]
