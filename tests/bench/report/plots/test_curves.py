import math

import pytest

from dualres.bench.campaign.studies import RIG
from dualres.bench.paper.protocol import ALLOCATIONS, FINALISTS, GEARBOX_BUDGETS, PAIR
from dualres.bench.report.plots.data_efficiency import data_efficiency
from dualres.bench.report.results import percent_f1
from tests.bench.report.plots.reading import line_named, upright_bars

NAMES = {"dualres": "DualRes", "mambasl": "MambaSL", "minirocket": "MiniRocket"}


def cells(results, method):
    return [results.cell(percent_f1, dataset=RIG, method=method, budget=budget) for budget in GEARBOX_BUDGETS]


def panels(ledger, without=""):
    of = {name: None if name == without else ledger[name] for name in ("replication", "allocation")}
    return data_efficiency(of["replication"], of["allocation"], RIG).figure.axes


def test_a_curve_holds_the_mean_at_every_budget_in_a_band_of_one_sample_sd(full):
    results = full["replication"]
    wide, long, _ = panels(full)
    for method in FINALISTS:
        means = [cell.mean for cell in cells(results, method)]
        assert list(line_named(wide, NAMES[method]).get_ydata()) == pytest.approx(means[:5])
        assert list(line_named(long, NAMES[method]).get_ydata()) == pytest.approx(means[4:])
        assert list(line_named(wide, NAMES[method]).get_xdata()) == pytest.approx([2.048, 4.096, 6.144, 8.192, 12.288])
        assert list(line_named(long, NAMES[method]).get_xdata()) == pytest.approx([12.288, 24.576, 36.864])
    band = wide.collections[0].get_paths()[0].vertices
    first = cells(results, "dualres")[0]
    at_first = [y for x, y in band if x == pytest.approx(2.048)]
    assert (min(at_first), max(at_first)) == pytest.approx((first.mean - first.sd, first.mean + first.sd))


def test_a_budget_that_was_not_run_leaves_a_gap_and_one_seed_a_hollow_mark(sparse):
    results = sparse["replication"]
    picture = data_efficiency(results, sparse["allocation"], RIG)
    wide, _, _ = picture.figure.axes
    hollow = [line for line in wide.get_lines() if line.get_markerfacecolor() == "white"]
    for line in (line for line in wide.get_lines() if line.get_label() in NAMES.values()):
        method = next(m for m, name in NAMES.items() if name == line.get_label())
        here = cells(results, method)[:5]
        drawn = [y for y in line.get_ydata() if not math.isnan(y)]
        assert drawn == pytest.approx([cell.mean for cell in here if cell.mean is not None])
        single = [cell.mean for cell in here if cell.mean is not None and cell.sd is None]
        marked = [list(each.get_ydata()) for each in hollow if each.get_color() == line.get_color()]
        assert marked == ([pytest.approx(single)] if single else [])
    assert hollow
    assert "A hollow mark is of one seed" in picture.caption
    assert "values were not run" in picture.caption


def test_allocations_are_compared_over_the_seeds_that_all_have(full):
    """The primary budget was also run with the seeds of another study; they would not be like with like."""
    results = full["allocation"]
    expected = [results.cell(percent_f1, [41], dataset=RIG, method=m, budget=b).mean for b in ALLOCATIONS for m in PAIR]
    assert [height for _, height in upright_bars(panels(full)[-1])] == pytest.approx(expected)


@pytest.mark.parametrize(("without", "empty_panels"), [("replication", 2), ("allocation", 1)])
def test_a_panel_of_which_nothing_was_run_says_so(full, without, empty_panels):
    words = [text.get_text() for axes in panels(full, without) for text in axes.texts]
    assert words.count("not run") == empty_panels


def test_nothing_is_drawn_of_nothing(empty):
    assert data_efficiency(empty["replication"], empty["allocation"], RIG) is None
    assert data_efficiency(None, None, RIG) is None
