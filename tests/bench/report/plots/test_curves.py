import math

import pytest

from dualres.bench.campaign.studies import RIG
from dualres.bench.paper.protocol import FINALISTS, GEARBOX_BUDGETS
from dualres.bench.report.plots.curves import fixed_coverage, learning_curves
from dualres.bench.report.results import percent_f1
from tests.bench.report.plots.reading import line_named

NAMES = {"dualres": "DualRes", "mambasl": "MambaSL", "minirocket": "MiniRocket"}


def cells(results, method):
    return [results.cell(percent_f1, dataset=RIG, method=method, budget=budget) for budget in GEARBOX_BUDGETS]


def test_a_learning_curve_holds_the_mean_at_every_budget_in_a_band_of_one_sample_sd(full):
    results = full["replication"]
    (axes,) = learning_curves(results, RIG).figure.axes
    for method in FINALISTS:
        line = line_named(axes, NAMES[method])
        assert list(line.get_ydata()) == pytest.approx([cell.mean for cell in cells(results, method)])
        assert list(line.get_xdata()) == pytest.approx([2.048, 4.096, 6.144, 8.192, 12.288, 24.576, 36.864])
    band = axes.collections[0].get_paths()[0].vertices
    first = cells(results, "dualres")[0]
    at_first = [y for x, y in band if x == pytest.approx(2.048)]
    assert (min(at_first), max(at_first)) == pytest.approx((first.mean - first.sd, first.mean + first.sd))


def test_a_budget_that_was_not_run_leaves_a_gap(sparse):
    results = sparse["replication"]
    (axes,) = learning_curves(results, RIG).figure.axes
    for line in (line for line in axes.get_lines() if line.get_label() in NAMES.values()):
        method = next(m for m, name in NAMES.items() if name == line.get_label())
        done = [cell.mean for cell in cells(results, method) if cell.mean is not None]
        drawn = [y for y in line.get_ydata() if not math.isnan(y)]
        assert drawn == pytest.approx(done)
        assert 0 not in drawn


def test_fixed_coverage_shows_the_three_budgets_of_six_recordings(full):
    results = full["replication"]
    (axes,) = fixed_coverage(results, RIG).figure.axes
    line = line_named(axes, "DualRes")
    assert list(line.get_xdata()) == pytest.approx([12.288, 24.576, 36.864])
    assert list(line.get_ydata()) == pytest.approx([cell.mean for cell in cells(results, "dualres")[4:]])
