import pytest

from dualres.bench.campaign.studies import RIG
from dualres.bench.paper.protocol import FINALISTS
from dualres.bench.report.plots.bars import bearing_bars
from dualres.bench.report.results import percent_f1
from tests.bench.report.plots.reading import upright_bars


def test_a_bearing_bar_is_as_high_as_its_cell(full):
    results = full["bearing"]
    (axes,) = bearing_bars(results).figure.axes
    expected = [
        results.cell(percent_f1, dataset=d, method=m).mean for d in ("cwru", RIG) for m in FINALISTS
    ]  # group by group
    assert [height for _, height in upright_bars(axes)] == pytest.approx(expected)


def test_datasets_without_a_bar_are_named(full):
    picture = bearing_bars(full["bearing"])
    assert "Not run: Paderborn, KAIST, UORED, HUST and Ottawa." in picture.caption
    assert "Not run: Paderborn" in picture.figure.get_supxlabel()


def test_a_bar_that_was_not_run_is_a_word_and_not_a_zero(sparse):
    axes = bearing_bars(sparse["bearing"]).figure.axes[0]
    assert all(height > 0 for _, height in upright_bars(axes))
    results = sparse["bearing"]
    ran = {e.job.method for e in results.entries}
    lacking = [m for m in ran if results.cell(percent_f1, dataset=RIG, method=m).mean is None]
    assert [t.get_text() for t in axes.texts].count("not run") == len(lacking) > 0


def test_a_quick_run_says_so_in_caption_and_figure(quick):
    picture = bearing_bars(quick["bearing"])
    assert "Quick run: 30 updates" in picture.caption
    assert "Quick run: 30 updates" in picture.figure.get_supxlabel().replace("\n", " ")
    assert "Not run: MambaSL and MiniRocket" in picture.caption
