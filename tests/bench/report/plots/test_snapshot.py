import math

import pytest

from dualres.bench.campaign.studies import RIG
from dualres.bench.methods import NAMES
from dualres.bench.paper.protocol import GEARBOX_BUDGETS
from dualres.bench.report.names import method_name
from dualres.bench.report.plots.snapshot import snapshot
from dualres.bench.report.results import percent_f1
from tests.bench.report.plots.reading import line_named


def means(results, method):
    cells = [results.cell(percent_f1, dataset=RIG, method=method, budget=budget) for budget in GEARBOX_BUDGETS]
    return [math.nan if cell.mean is None else cell.mean for cell in cells]


def halves(picture):
    left, right = picture.figure.subfigs
    return left.axes[0], right.axes[0]


def test_all_nine_methods_have_their_means_at_seven_budgets(full):
    results = full["gearbox"]
    _, axes = halves(snapshot(results, RIG))
    for method in NAMES:
        line = line_named(axes, method_name(method))
        assert list(line.get_ydata()) == pytest.approx(means(results, method))
        assert list(line.get_xdata()) == pytest.approx([2.048, 4.096, 6.144, 8.192, 12.288, 24.576, 36.864])


def test_the_left_half_names_every_method_and_family(full):
    axes, _ = halves(snapshot(full["gearbox"], RIG))
    words = " ".join(text.get_text() for text in axes.texts)
    for name in (*map(method_name, NAMES), "attention", "selective state space", "convolution", "kernels"):
        assert name in words


def test_what_was_not_run_is_left_open_and_named(sparse):
    results = sparse["gearbox"]
    picture = snapshot(results, RIG)
    _, axes = halves(picture)
    seen = [line for line in axes.get_lines() if line.get_label() in map(method_name, NAMES)]
    gaps = 0
    for line in seen:
        method = next(m for m in NAMES if method_name(m) == line.get_label())
        done = [mean for mean in means(results, method) if not math.isnan(mean)]
        drawn = [y for y in line.get_ydata() if not math.isnan(y)]
        assert drawn == pytest.approx(done)
        gaps += len(GEARBOX_BUDGETS) - len(done)
    assert gaps
    assert f"not run: {gaps} of {7 * len(seen)} values" in picture.caption
    assert " at 6\N{MULTIPLICATION SIGN}12" in picture.caption


def test_the_rig_is_said_to_be_shaped_like_mcc5(full):
    picture = snapshot(full["gearbox"], RIG)
    assert picture.name == "snapshot_simulated"
    assert "Rig, shaped like MCC5" in picture.caption
    assert "Rig, shaped like MCC5" in [text.get_text() for text in halves(picture)[1].texts]


def test_nothing_is_drawn_of_nothing(empty):
    assert snapshot(empty["gearbox"], RIG) is None
