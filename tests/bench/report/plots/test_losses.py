import pytest

from dualres.bench.campaign.studies import NEURAL, RIG
from dualres.bench.paper.protocol import CHECKPOINTS
from dualres.bench.report.plots.losses import duration_selection, training_loss
from dualres.bench.report.results import percent_f1
from dualres.bench.report.tables.duration import chosen_updates
from dualres.config import Recipe
from tests.bench.report.plots.reading import line_named


def test_losses_are_those_of_the_ledger_for_each_fold(full):
    results = full["optimisation"]
    for axes, fold in zip(training_loss(results, RIG).figure.axes, ("S1", "S2"), strict=True):
        (entry,) = results.where(dataset=RIG, method="patchtst", fold=fold)
        assert list(line_named(axes, "PatchTST").get_ydata()) == [step.loss for step in entry.outcome.history]
        assert len([line for line in axes.get_lines() if not line.get_label().startswith("_")]) == len(NEURAL)


def test_validation_scores_are_two_fold_means_after_each_number_of_updates(full):
    results = full["duration"]
    *_, validation = duration_selection(results, RIG).figure.axes
    expected = [
        results.cell(percent_f1, dataset=RIG, method="dualres", recipe=Recipe(updates=n)).mean for n in CHECKPOINTS
    ]
    assert list(validation.get_lines()[0].get_ydata()) == pytest.approx(expected)


def test_the_chosen_number_of_updates_is_marked(full):
    results = full["duration"]
    picture = duration_selection(results, RIG)
    chosen = chosen_updates(results, RIG)
    assert list(picture.figure.axes[-1].get_lines()[-1].get_xdata()) == [chosen, chosen]
    assert f"folds: {chosen}." in picture.caption
    assert "no evaluation recording was opened" in picture.caption
    assert "8 recordings judged per fold" in picture.caption
