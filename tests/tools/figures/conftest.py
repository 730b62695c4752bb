"""Results of a study, from a made-up ledger."""

from __future__ import annotations

import pytest

from dualres.bench.campaign.ledger import Ledger
from dualres.bench.campaign.studies import RIG, study
from dualres.bench.report.results import Results
from tests.bench.campaign.synthetic import synthetic_ledger


def gearbox(ledger: Ledger) -> Results:
    return Results(ledger, study("gearbox"), device="cpu").planned_only()


@pytest.fixture(scope="module")
def full(tmp_path_factory):
    return gearbox(synthetic_ledger(tmp_path_factory.mktemp("full") / "ledger", ["gearbox"], datasets=(RIG,)))
