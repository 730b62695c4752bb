from pathlib import Path

import numpy as np
import pytest

from dualres.bench.campaign.studies import RIG, STUDIES
from dualres.bench.report.plots.write import pictures, write_figures
from dualres.bench.report.registry import FIGURES, made
from dualres.utils.checksums import check_sums, write_sums
from dualres.utils.figures import DOUBLE, POINTS, SINGLE
from tests.bench.report.plots.reading import drawn_texts

DIAGRAMS = {"architecture", "memory", "memory_scan", "alignment", "allocations"}


@pytest.fixture(scope="module", params=["full", "sparse", "quick"])
def drawn(request):
    """Name of the ledger, and all its pictures."""
    return request.param, list(pictures(request.getfixturevalue(request.param)))


def test_texts_are_legible_within_the_figure_and_apart(drawn):
    for picture in drawn[1]:
        assert picture.figure.get_figwidth() in (SINGLE, DOUBLE)
        texts, whole = drawn_texts(picture.figure)
        for words, points, box in texts:
            assert points >= POINTS, (picture.name, words)
            assert whole.x0 - 1 <= box.x0 <= box.x1 <= whole.x1 + 1, (picture.name, words)
            assert whole.y0 - 1 <= box.y0 <= box.y1 <= whole.y1 + 1, (picture.name, words)
        share = overlaps([box for *_, box in texts])
        pair = [texts[i][0] for i in np.unravel_index(share.argmax(), share.shape)]
        assert share.max() < 0.12, (picture.name, pair)


@pytest.mark.parametrize("name", STUDIES)
def test_nothing_is_drawn_of_nothing(empty, name):
    study, results = STUDIES[name], empty[name]
    assert list(made(FIGURES, study.figures, results)) == []
    assert list(made(FIGURES, study.dataset_figures, results, RIG)) == []


def overlaps(boxes):
    """Which share of the smaller of two boxes the other covers, for every pair; zero for a box and itself."""
    low, high = np.array([box.min for box in boxes]), np.array([box.max for box in boxes])
    common = np.minimum(high[:, None], high) - np.maximum(low[:, None], low)
    area = np.prod(high - low, axis=1)
    share = np.prod(common.clip(min=0), axis=2) / np.minimum(area[:, None], area)
    np.fill_diagonal(share, 0)
    return share


def test_captions_of_results_say_what_they_stand_on(drawn):
    name, shown = drawn
    facts = ["fold", "seed", "labelled seconds per class", "eld-out unit", "recordings judged", "n ="]
    for picture in (picture for picture in shown if picture.study):
        for fact in [*facts, "Quick run"] if name == "quick" else facts:
            assert fact in picture.caption, (picture.name, fact)


def test_all_kinds_of_figures_come_of_a_full_ledger(drawn):
    kinds = {picture.name.removesuffix("_simulated") for picture in drawn[1]}
    expected = {
        "bearing_bars", "ablation", "snapshot", "gearbox", "score_and_cost", "learning_curves", "fixed_coverage",
        "allocation", "class_recall", "training_loss", "duration", "confusion_gearbox", "confusion_pilot",
        "confusion_bearing", "published_phm2009", "published_cwru", "published_controls", "published_rig_curve",
        "recipes",
    }  # fmt: skip
    assert kinds >= DIAGRAMS | (expected if drawn[0] == "full" else set())


def test_an_empty_ledger_gives_the_diagrams_on_disk_and_nothing_of_an_earlier_report_stays(empty, tmp_path):
    for name in ("gearbox_simulated.pdf", "gearbox_simulated.png", "mine.png"):
        (tmp_path / name).write_text("a figure")
    write_sums(tmp_path, ["gearbox_simulated.pdf", "gearbox_simulated.png"])
    written = write_figures(empty, tmp_path)
    assert {each.name for each in written} == DIAGRAMS
    assert all(each.pdf.stat().st_size and each.png.stat().st_size and each.study == "" for each in written)
    files = {f"{name}.{kind}" for name in DIAGRAMS for kind in ("pdf", "png")}
    assert {p.name for p in tmp_path.iterdir()} == files | {"SHA256SUMS", "mine.png"}
    assert check_sums(tmp_path) == []


def test_how_cost_grows_is_drawn_where_it_was_measured(empty):
    measured = Path(__file__).parents[4] / "results"
    shown = [picture for picture in pictures(empty, folder=measured) if picture.name not in DIAGRAMS]
    assert [picture.name for picture in shown] == ["scaling"]
    texts, _ = drawn_texts(shown[0].figure)
    assert all(points >= POINTS for _, points, _ in texts)
    assert overlaps([box for *_, box in texts]).max() < 0.12
