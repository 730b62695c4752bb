import pytest

from dualres.bench.campaign.studies import RIG
from dualres.bench.methods import NAMES
from dualres.bench.paper.protocol import GEARBOX_BUDGETS, SEEDS
from dualres.bench.report.plots.panels import class_recall, gearbox_panels
from dualres.bench.report.results import percent_accuracy, percent_f1
from tests.bench.report.plots.reading import bars


def test_every_panel_holds_nine_methods_at_its_budget(full):
    results = full["gearbox"]
    *panels, _ = gearbox_panels(results, RIG).figure.axes
    for axes, budget in zip(panels, GEARBOX_BUDGETS, strict=True):
        fields = [{"dataset": RIG, "method": m, "budget": budget} for m in NAMES]
        assert [v for _, v in bars(axes)] == pytest.approx([results.cell(percent_f1, [41], **f).mean for f in fields])
        marks = [line.get_xdata()[0] for line in axes.get_lines()]
        assert marks == pytest.approx([results.cell(percent_accuracy, [41], **f).mean for f in fields])


def test_cells_without_all_folds_are_said_to_be_not_run(sparse):
    results = sparse["gearbox"]
    *panels, _ = gearbox_panels(results, RIG).figure.axes
    shown = {e.job.method for e in results.entries}
    cells = [results.cell(percent_f1, dataset=RIG, method=m, budget=b) for m in shown for b in GEARBOX_BUDGETS]
    words = [text.get_text() for axes in panels for text in axes.texts]
    assert words.count("not run") == sum(cell.mean is None for cell in cells) > 0
    assert sum(len(axes.patches) for axes in panels) == sum(cell.mean is not None for cell in cells)


def test_recall_is_averaged_over_both_folds(full):
    """Of the seeds that both methods have: another study ran DualRes with more."""
    entries = [e for e in full["pilot"].where(dataset="phm2009", method="dualres") if e.job.seed in SEEDS]
    (axes,) = class_recall(full["pilot"], "phm2009").figure.axes
    expected = 100 * sum(e.outcome.recall for e in entries) / len(entries)
    assert [v for _, v in bars(axes)][::2] == pytest.approx(list(expected))


def test_a_line_separates_helical_from_spur_and_is_absent_elsewhere(full):
    (phm,) = class_recall(full["pilot"], "phm2009").figure.axes
    (rig,) = class_recall(full["pilot"], RIG).figure.axes
    assert [list(line.get_ydata()) for line in phm.get_lines()] == [[5.5, 5.5]]
    assert not rig.get_lines()
    families = {text.get_text(): text.xy[1] for text in phm.texts if text.get_text() in ("helical", "spur")}
    assert families == {"helical": 2.5, "spur": 9.5}  # the middles of H1 to H6 and S1 to S8
