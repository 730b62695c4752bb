import pytest

from dualres.bench.campaign.studies import RIG
from dualres.bench.paper.protocol import ALLOCATIONS, FINALISTS, PAIR
from dualres.bench.report.plots.bars import allocation_bars, bearing_bars
from dualres.bench.report.results import percent_f1
from tests.bench.report.plots.reading import upright_bars


def test_a_bearing_bar_is_as_high_as_its_cell(full):
    results = full["bearing"]
    (axes,) = bearing_bars(results).figure.axes
    expected = [
        results.cell(percent_f1, dataset=d, method=m).mean for d in ("cwru", RIG) for m in FINALISTS
    ]  # group by group
    assert [height for _, height in upright_bars(axes)] == pytest.approx(expected)


def test_allocations_are_compared_over_the_seeds_that_all_have(full):
    """The primary budget was also run with the seeds of another study; they would not be like with like."""
    results = full["allocation"]
    picture = allocation_bars(results, RIG)
    expected = [results.cell(percent_f1, [41], dataset=RIG, method=m, budget=b).mean for b in ALLOCATIONS for m in PAIR]
    assert [height for _, height in upright_bars(picture.figure.axes[0])] == pytest.approx(expected)
    assert "seed 41;" in picture.caption


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
