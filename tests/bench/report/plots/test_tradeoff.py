import pytest

from dualres.bench.campaign.studies import NEURAL, RIG
from dualres.bench.paper.protocol import PRIMARY_BUDGET
from dualres.bench.report.plots.tradeoff import nondominated, score_and_cost
from dualres.bench.report.results import percent_f1


def test_the_front_holds_what_no_other_beats_in_both():
    points = {"cheap": (1.0, 20.0), "dear and worse": (5.0, 19.0), "good": (3.0, 40.0), "equal": (4.0, 40.0)}
    assert nondominated(points) == ["cheap", "good"]
    assert nondominated({"worse": (1.0, 10.0), "better": (1.0, 11.0)}) == ["better"]


def test_marks_stand_at_cost_and_score(full):
    results = full["gearbox"]
    parameters, seconds = score_and_cost(results, RIG).figure.axes
    assert len({text.get_text() for text in parameters.texts}) == len(NEURAL), "every mark has its name"
    _, *marks = seconds.get_lines()
    for mark, method in zip(marks, NEURAL, strict=True):
        cell = results.cell(percent_f1, [41], dataset=RIG, method=method, budget=PRIMARY_BUDGET)
        mean_s = sum(e.outcome.facts["cost"]["fit_s"] for e in cell.entries) / len(cell.entries)
        assert (mark.get_xdata()[0], mark.get_ydata()[0]) == pytest.approx((mean_s, cell.mean))
