"""Results from made-up ledgers: a complete one, one with little in it, a quick one and an empty one.

They last for the session: files of other folders come in between, and a package's would be made again behind each.
"""

import pytest

from dualres.bench.campaign.ledger import Ledger
from dualres.bench.campaign.studies import RIG, STUDIES, Quick, jobs, study
from dualres.bench.report.results import Results
from tests.bench.campaign.synthetic import filled, synthetic_ledger

PRESENT = ("cwru", "phm2009", RIG)


@pytest.fixture(scope="session")
def full(tmp_path_factory):
    """Every study on two datasets and the rig."""
    path = tmp_path_factory.mktemp("full") / "ledger"
    return by_study(synthetic_ledger(path, list(STUDIES), datasets=PRESENT))


@pytest.fixture(scope="session")
def quick(tmp_path_factory):
    path = tmp_path_factory.mktemp("quick") / "ledger"
    return by_study(synthetic_ledger(path, list(STUDIES), quick=Quick(), datasets=PRESENT), Quick())


@pytest.fixture(scope="session")
def sparse(tmp_path_factory):
    """The first of every third finished pair of folds, and some jobs with one fold only."""
    planned = (enumerate(jobs(study(name), (RIG,), seeds=[41])) for name in STUDIES)
    some = (job for one in planned for position, job in one if position % 6 in (0, 1, 2))
    return by_study(filled(Ledger(tmp_path_factory.mktemp("sparse") / "ledger"), some))


@pytest.fixture(scope="session")
def empty(tmp_path_factory):
    return by_study(Ledger(tmp_path_factory.mktemp("empty") / "ledger"))


def by_study(ledger, quick=None):
    """As a report draws them: every study's own jobs."""
    return {name: Results(ledger, study(name), quick=quick, device="cpu").planned_only() for name in STUDIES}
