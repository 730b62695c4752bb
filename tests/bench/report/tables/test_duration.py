import pytest

from dualres.bench.campaign.ledger import Ledger
from dualres.bench.campaign.studies import jobs, study
from dualres.bench.report.results import Results
from dualres.bench.report.tables.duration import choose, duration
from dualres.bench.report.tables.fill import metric
from dualres.errors import ConfigError
from tests.bench.campaign.synthetic import synthetic_outcome


@pytest.mark.parametrize(
    ("found", "chosen"),
    [
        ({50: (60.0, 1.0), 100: (70.0, 2.0), 200: (65.0, 0.5)}, 100),  # the highest macro-F1
        ({50: (70.0, 1.0), 100: (70.0, 0.9), 200: (65.0, 0.5)}, 100),  # then the lower log loss
        ({50: (60.0, 1.0), 100: (70.0, 0.9), 200: (70.0, 0.9)}, 100),  # then fewer updates
        ({200: (70.0, 0.9), 100: (70.0 - 1e-13, 0.9)}, 100),  # the last digits of a sum decide nothing
    ],
)
def test_the_rule_and_its_tie_breaks(found, chosen):
    assert choose(found) == chosen


def test_nothing_is_chosen_before_all_is_run(tmp_path):
    planned = jobs(study("duration"), ["simulated"])
    with Ledger(tmp_path / "l") as ledger:
        for job in planned[:-1]:
            ledger.record(job, synthetic_outcome(job))
        table = duration(Results(ledger, study("duration")), "simulated")
    assert {row[-1].text for row in table.rows} == {"undecided"}
    assert "3 of 4 jobs" in {value.text for row in table.rows for value in row}


def test_a_metric_that_does_not_exist_is_refused():
    with pytest.raises(ConfigError, match="no metric 'speed'"):
        metric("speed")
