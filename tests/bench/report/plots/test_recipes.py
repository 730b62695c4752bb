import pytest

from dualres.bench.campaign.ledger import Ledger
from dualres.bench.campaign.studies import RECIPE_CONTROLS, RIG, jobs, study
from dualres.bench.report.plots.recipes import MEANS, SEEDS, recipe_pairs
from dualres.bench.report.results import Results, percent_f1
from tests.bench.campaign.handmade import answered, right
from tests.bench.campaign.synthetic import synthetic_outcome
from tests.bench.report.plots.reading import check_legible, drawn_texts

PANELS = ("cwru", "phm2009", RIG)


def dots(axes, shift):
    """Values of the dots so far from the middle of their row, by row."""
    lines = [line for line in axes.get_lines() if line.get_marker() == "o"]
    found = {}
    for line in lines:
        row = round(line.get_ydata()[0] - shift)
        if line.get_ydata()[0] == pytest.approx(row + shift):
            found[row] = list(line.get_xdata())
    return found


def test_a_panel_per_dataset_has_a_row_per_method_from_the_paper_s_recipe_to_the_robust_one(full):
    results = full["recipes"]
    picture = recipe_pairs(results)
    assert [axes.get_title(loc="left") for axes in picture.figure.axes] == ["CWRU", "PHM2009", "Rig"]
    for axes, dataset in zip(picture.figure.axes, PANELS, strict=True):
        for way, name in ((-1, "paper"), (1, "robust")):
            recipe = results.recipes(dataset)[name]
            for row, method in enumerate(RECIPE_CONTROLS):
                cell = results.cell(percent_f1, dataset=dataset, method=method, recipe=recipe)
                assert cell.seeds == (41, 42, 43, 44, 45)
                assert dots(axes, way * MEANS)[row] == [pytest.approx(cell.mean)]
                assert dots(axes, way * SEEDS)[row] == pytest.approx(cell.values)
        assert axes.get_xlim() == (0, 100)


def test_the_numbers_and_the_names_of_the_recipes_stand_beside_the_dots(full):
    texts = [words for words, *_ in drawn_texts(recipe_pairs(full["recipes"]).figure)[0]]
    assert sum("\N{RIGHTWARDS ARROW}" in words for words in texts) == len(PANELS) * len(RECIPE_CONTROLS)
    assert texts.count("paper") == texts.count("robust") == len(PANELS)


def test_what_was_not_run_says_so_and_has_no_dot(tmp_path):
    with Ledger(tmp_path / "l") as ledger:
        for job in jobs(study("recipes"), [RIG], methods=["dualres", "dualres/short"], seeds=[41]):
            if job.recipe.plain or job.method == "dualres/short":
                ledger.record(job, right(job, 1.0))
        picture = recipe_pairs(Results(ledger, study("recipes")))
    (axes,) = picture.figure.axes
    assert dots(axes, -MEANS).keys() == {0, 1}
    assert dots(axes, MEANS).keys() == {1}
    assert dots(axes, SEEDS) == {}, "one seed is its own mean"
    texts = [words for words, *_ in drawn_texts(picture.figure)[0]]
    assert any(words.endswith("\N{RIGHTWARDS ARROW} not run") for words in texts)
    assert "Not run: No rotation, No memory (ours) and Long only." in picture.caption


@pytest.mark.parametrize("wrong", [0, 1])
def test_scores_at_the_ends_of_the_axis_leave_the_texts_apart(tmp_path, wrong):
    with Ledger(tmp_path / "l") as ledger:
        for job in jobs(study("recipes"), PANELS, methods=RECIPE_CONTROLS, seeds=[41]):
            outcome = synthetic_outcome(job)
            said = [(label + wrong) % len(outcome.classes) for label in outcome.truth]
            ledger.record(job, answered(job, outcome.truth, said))
        check_legible(recipe_pairs(Results(ledger, study("recipes"))))
