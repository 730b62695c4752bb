from pathlib import Path

import pytest

from dualres.bench.campaign.studies import RIG, STUDIES
from dualres.bench.report.plots.write import pictures, write_figures
from dualres.bench.report.registry import FIGURES, made
from dualres.utils.checksums import check_sums, write_sums
from tests.bench.report.plots.reading import check_legible
from tests.variants import also


@pytest.fixture(scope="module", params=["full", "quick", *also(("sparse",))])
def drawn(request):
    """Name of the ledger, and all its pictures."""
    return request.param, list(pictures(request.getfixturevalue(request.param)))


def test_texts_are_legible_within_the_figure_and_apart(drawn):
    for picture in drawn[1]:
        check_legible(picture)


@pytest.mark.parametrize("name", STUDIES)
def test_nothing_is_drawn_of_nothing(empty, name):
    study, results = STUDIES[name], empty[name]
    assert list(made(FIGURES, study.figures, results)) == []
    assert list(made(FIGURES, study.dataset_figures, results, RIG)) == []


def test_captions_of_results_say_what_they_stand_on(drawn):
    name, shown = drawn
    facts = ["fold", "seed", "labelled seconds per class", "eld-out unit", "recordings judged", "n ="]
    for picture in (picture for picture in shown if picture.study):
        for fact in [*facts, "Quick run"] if name == "quick" else facts:
            assert fact in picture.caption, (picture.name, fact)


def test_all_kinds_of_figures_come_of_a_full_ledger(drawn):
    kinds = {picture.name.removesuffix("_simulated") for picture in drawn[1]}
    expected = {
        "bearing_bars", "ablation", "gearbox", "snapshot", "data_efficiency", "class_recall",
        "training_loss", "duration", "confusion_gearbox", "confusion_pilot",
        "confusion_bearing", "published_phm2009", "published_cwru", "published_controls", "published_rig_curve",
        "recipes",
    }  # fmt: skip
    assert kinds >= (expected if drawn[0] == "full" else set())


def test_nothing_of_an_earlier_report_stays_but_what_others_put_there(empty, tmp_path):
    for name in ("gearbox_simulated.pdf", "gearbox_simulated.png", "mine.png"):
        (tmp_path / name).write_text("a figure")
    write_sums(tmp_path, ["gearbox_simulated.pdf", "gearbox_simulated.png"])
    assert write_figures(empty, tmp_path) == []
    assert {p.name for p in tmp_path.iterdir()} == {"SHA256SUMS", "drawn.jsonl", "mine.png"}
    assert check_sums(tmp_path) == []


def test_figures_are_written_for_print_and_for_the_screen(full, tmp_path):
    written = write_figures({"ablation": full["ablation"]}, tmp_path)
    assert [each.name for each in written] == ["ablation"]
    assert all(each.pdf.stat().st_size and each.png.stat().st_size for each in written)
    assert {p.name for p in tmp_path.iterdir()} == {"ablation.pdf", "ablation.png", "drawn.jsonl", "SHA256SUMS"}


def test_how_cost_grows_is_drawn_where_it_was_measured(empty):
    measured = Path(__file__).parents[4] / "results"
    (shown,) = pictures(empty, folder=measured)
    assert shown.name == "scaling"
    check_legible(shown)
