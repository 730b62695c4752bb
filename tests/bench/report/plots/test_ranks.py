import pytest

from dualres.bench.report.compare import Ranks
from dualres.bench.report.plots import ranks


def test_ranks_are_drawn_best_first_with_the_number_of_datasets(full, monkeypatch):
    assert ranks.mean_ranks(full["bearing"]) is None, "too few datasets"
    made_up = Ranks(("dualres", "mambasl", "minirocket"), (2.5, 1.2, 2.3), ("cwru", "hust"), 4.0, 0.13, 1.1)
    monkeypatch.setattr(ranks, "critical_difference", lambda results: made_up)
    picture = ranks.mean_ranks(full["bearing"])
    (axes,) = picture.figure.axes
    marks = [line.get_xdata()[0] for line in axes.get_lines()[:3]]
    assert marks == pytest.approx([1.2, 2.3, 2.5])
    assert "n = 2 datasets" in axes.get_xlabel()
