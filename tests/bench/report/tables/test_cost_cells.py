from dualres.bench.methods import NAMES
from dualres.bench.profile.costs import all_costs
from dualres.bench.report.tables.cost_cells import cost_value, missing, row_name
from tests.bench.profile.synthetic import keep_all


def test_a_value_carries_what_it_is_of(tmp_path):
    (costs,) = all_costs(keep_all(tmp_path, ["cwru"], ["dualres", "minirocket"], way="eager"))
    value = cost_value(costs, "window_ms", "cwru", "dualres")
    assert (value.metric, value.dataset, value.method, value.paper) == ("window_ms", "cwru", "dualres", "1.61")
    assert value.text == f"{value.mean:.2f}"
    assert value.complete
    assert cost_value(costs, "allocated_mib", "cwru", "minirocket").text == "n/a"
    assert cost_value(costs, "allocated_mib", "cwru", "mambasl").text == "not run"


def test_nothing_is_missing_where_everything_is_there(tmp_path):
    datasets = ("paderborn", "cwru", "kaist", "uored", "hust", "ottawa", "mcc5")
    (costs,) = all_costs(keep_all(tmp_path, datasets))
    assert missing(costs) == ""
    assert [row_name(costs, m).text for m in ("dualres", "minirocket")] == ["DualRes", "MiniRocket (CPU)"]


def test_controls_have_rows_where_they_were_measured(tmp_path):
    (costs,) = all_costs(keep_all(tmp_path, ["cwru"], ["dualres/short"]))
    assert costs.methods == [*NAMES, "dualres/short"]
    assert cost_value(costs, "window_ms", "cwru", "dualres/short").paper is None
