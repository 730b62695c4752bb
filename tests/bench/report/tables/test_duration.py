import math
import statistics

import pytest

from dualres.bench.campaign.ledger import Ledger
from dualres.bench.campaign.studies import jobs, study
from dualres.bench.report.results import Results
from dualres.bench.report.tables.duration import choose, chosen_updates, duration
from dualres.bench.report.tables.fill import metric
from dualres.errors import ConfigError
from tests.bench.campaign.synthetic import synthetic_ledger, synthetic_outcome


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


def test_the_means_are_over_methods_and_folds(tmp_path):
    with synthetic_ledger(tmp_path / "l", ["duration"], datasets=["simulated"]) as ledger:
        results = Results(ledger, study("duration"))
        table = duration(results, "simulated")
    at_100 = [j for j in jobs(study("duration"), ["simulated"]) if j.recipe.updates == 100]
    outcomes = [synthetic_outcome(job) for job in at_100]
    losses = [
        statistics.fmean(-math.log(row[truth]) for row, truth in zip(o.scores, o.truth, strict=True)) for o in outcomes
    ]
    row = table.rows[1]
    assert len(outcomes) == 4
    assert row[table.header.index("Mean macro-F1")].mean == pytest.approx(
        100 * statistics.fmean(o.macro_f1 for o in outcomes)
    )
    assert row[table.header.index("Mean log loss")].mean == pytest.approx(statistics.fmean(losses))
    chosen = [row[0].text for row in table.rows if row[-1].text == "yes"]
    assert chosen == [str(chosen_updates(results, "simulated"))]
    assert "no evaluation recording was opened" in table.caption


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
