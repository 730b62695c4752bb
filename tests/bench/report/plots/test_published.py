import pytest

from dualres.bench.campaign.ledger import Ledger
from dualres.bench.campaign.studies import RIG, jobs, study
from dualres.bench.methods import CONTROL_NAMES, NAMES
from dualres.bench.paper.protocol import GEARBOX_BUDGETS
from dualres.bench.report.plots.published import control_dots, method_dots, rig_curve
from dualres.bench.report.results import Results, percent_f1
from dualres.learn.fold import Budget
from tests.bench.campaign.synthetic import synthetic_outcome
from tests.bench.report.plots.reading import line_named

MAIN = {"phm2009": Budget(3, 4), "cwru": Budget(1, 3)}


def marks(axes, marker):
    """Values by row of the dots drawn with that marker."""
    found = {}
    for line in axes.get_lines():
        if line.get_marker() == marker:
            found.setdefault(round(line.get_ydata()[0]), []).extend(line.get_xdata())
    return found


@pytest.mark.parametrize("dataset", list(MAIN))
def test_a_dot_is_one_seed_of_one_fold_and_rows_are_sorted_by_their_mean(full, dataset):
    results = full["published"]
    axes = method_dots(results, dataset).figure.axes[0]
    methods = (*NAMES, *CONTROL_NAMES) if dataset == "phm2009" else NAMES
    cells = [results.cell(percent_f1, dataset=dataset, method=m, budget=MAIN[dataset]) for m in methods]
    cells.sort(key=lambda cell: -cell.mean)
    folds = sorted({entry.job.fold for cell in cells for entry in cell.entries})
    for marker, fold in zip("os", folds, strict=True):
        for row, values in marks(axes, marker).items():
            expected = [percent_f1(e.outcome) for e in cells[row].entries if e.job.fold == fold]
            assert sorted(values) == pytest.approx(sorted(expected))
    means = marks(axes, "|")
    assert [means[row] for row in range(len(cells))] == [[pytest.approx(cell.mean)] for cell in cells]


def test_the_papers_values_are_diamonds_but_never_in_a_quick_run(full, quick):
    papers = sorted(
        value for row in marks(method_dots(full["published"], "phm2009").figure.axes[0], "D").values() for value in row
    )
    assert papers == [36.23, 61.14]
    shown = method_dots(quick["published"], "phm2009")
    assert marks(shown.figure.axes[0], "D") == {}
    assert "paper" not in shown.caption


def test_excerpts_are_told_from_the_released_recordings(tmp_path):
    with Ledger(tmp_path / "l") as ledger:
        for job in jobs(study("published"), ["cwru"], methods=["dualres"]):
            outcome = synthetic_outcome(job)
            outcome.facts["variant"] = "excerpts"
            ledger.record(job, outcome)
        caption = method_dots(Results(ledger, study("published")), "cwru").caption
    assert "Excerpts of the recordings: not comparable with the paper." in caption


def test_a_difference_is_that_of_one_seed_on_one_fold(full):
    results = full["published"]
    axes = control_dots(results).figure.axes[0]
    fields = {"dataset": "phm2009", "budget": Budget(3, 4), "fold": "P2"}
    for row, control in enumerate(CONTROL_NAMES):
        full_model, less = (
            {e.job.seed: percent_f1(e.outcome) for e in results.where(method=m, **fields)} for m in ("dualres", control)
        )
        assert sorted(marks(axes, "s")[row]) == pytest.approx(sorted(full_model[s] - less[s] for s in full_model))
    low, high = axes.get_xlim()
    assert low < 0 < high


def test_the_curve_has_a_thin_line_per_seed_and_a_thick_mean(full):
    results = full["published"]
    axes = rig_curve(results).figure.axes[0]
    cells = [results.cell(percent_f1, dataset=RIG, method="dualres", budget=budget) for budget in GEARBOX_BUDGETS]
    mean = line_named(axes, "DualRes")
    assert list(mean.get_ydata()) == pytest.approx([cell.mean for cell in cells])
    assert list(mean.get_xdata()) == pytest.approx([cell.labelled_s for cell in cells])
    thin = [line for line in axes.get_lines() if line.get_color() == mean.get_color() and line is not mean]
    assert [list(line.get_ydata()) for line in thin] == [
        pytest.approx([cell.values[seed] for cell in cells]) for seed in range(3)
    ]
