from dualres.bench.campaign.studies import NEURAL, RIG
from dualres.bench.report.plots.tradeoff import draw_fronts, nondominated, parameters, primary_cells


def test_the_front_holds_what_no_other_beats_in_both():
    points = {"cheap": (1.0, 20.0), "dear and worse": (5.0, 19.0), "good": (3.0, 40.0), "equal": (4.0, 40.0)}
    assert nondominated(points) == ["cheap", "good"]
    assert nondominated({"worse": (1.0, 10.0), "better": (1.0, 11.0)}) == ["better"]


def test_every_mark_has_its_name_where_its_cost_is_known(full):
    cells = primary_cells(full["gearbox"], RIG)
    weights = parameters(cells)
    some = dict(list(weights.items())[:3])
    left, right = draw_fronts(cells, {"parameters": weights, "of three": some}).axes
    assert len({text.get_text() for text in left.texts}) == len(NEURAL)
    assert len({text.get_text() for text in right.texts}) == len(some)
    _, *marks = left.get_lines()
    seen = [(mark.get_xdata()[0], mark.get_ydata()[0]) for mark in marks]
    assert seen == [(weights[method], cells[method].mean) for method in cells]
