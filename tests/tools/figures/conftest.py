"""Results of the study that the overview shows, from made-up ledgers."""

from __future__ import annotations

import pytest

from dualres.bench.campaign.ledger import Ledger
from dualres.bench.campaign.studies import RIG, jobs, study
from dualres.bench.report.results import Results
from tests.bench.campaign.synthetic import synthetic_ledger, synthetic_outcome


def gearbox(ledger: Ledger) -> Results:
    return Results(ledger, study("gearbox"), device="cpu").planned_only()


@pytest.fixture(scope="module")
def full(tmp_path_factory):
    return gearbox(synthetic_ledger(tmp_path_factory.mktemp("full") / "ledger", ["gearbox"], datasets=(RIG,)))


@pytest.fixture(scope="module")
def sparse(tmp_path_factory):
    """The first of every third finished pair of folds, and some jobs with one fold only."""
    ledger = Ledger(tmp_path_factory.mktemp("sparse") / "ledger")
    for position, job in enumerate(jobs(study("gearbox"), (RIG,), seeds=[41])):
        if position % 6 in (0, 1, 2):
            ledger.record(job, synthetic_outcome(job))
    return gearbox(ledger)


@pytest.fixture(scope="module")
def empty(tmp_path_factory):
    return gearbox(Ledger(tmp_path_factory.mktemp("empty") / "ledger"))
