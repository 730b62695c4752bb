import pytest

from dualres.bench.methods import NAMES
from dualres.bench.profile.measurements import COSTS, all_costs, keep
from dualres.bench.profile.plan import Plan, plan
from tests.bench.profile.synthetic import WINDOWS, keep_all, made_up


def test_nothing_is_made_of_nothing(tmp_path):
    assert all_costs(tmp_path / "none") == []


def test_minirocket_joins_the_gpu_on_the_datasets_that_were_measured_there(tmp_path):
    keep_all(tmp_path, ["cwru"], device="cuda")
    keep_all(tmp_path, ["hust"], methods=["minirocket"])
    (costs,) = all_costs(tmp_path)
    assert (costs.name, costs.datasets, costs.methods) == ("cuda_4", ["cwru"], list(NAMES))
    assert costs.found["cwru", "minirocket"].plan.device == "cpu"


def test_minirocket_alone_is_shown_where_there_is_nothing_else(tmp_path):
    keep_all(tmp_path, ["hust"], methods=["minirocket"])
    (costs,) = all_costs(tmp_path)
    assert list(costs.found) == [("hust", "minirocket")]


def test_devices_threads_and_long_records_stand_apart(tmp_path):
    for device, threads, long in (("cpu", 1, False), ("cpu", 4, False), ("cuda", 4, False), ("cpu", 4, True)):
        keep(made_up(Plan("cwru", "dualres", device, threads, long)), tmp_path)
    assert [costs.name for costs in all_costs(tmp_path)] == ["cpu_1", "cpu_4", "cpu_4_long", "cuda_4"]


def test_ways_stand_apart_and_minirocket_is_in_both(tmp_path):
    keep_all(tmp_path, ["cwru"], ["dualres", "minirocket"], way="eager")
    keep_all(tmp_path, ["cwru"], ["dualres"])
    eager, shipped = all_costs(tmp_path)
    assert [(costs.name, costs.way) for costs in (eager, shipped)] == [("cuda_4_eager", "eager"), ("cuda_4", "shipped")]
    assert eager.found["cwru", "minirocket"] == shipped.found["cwru", "minirocket"]
    assert eager.value("window_ms", "cwru", "dualres") != shipped.value("window_ms", "cwru", "dualres")
    assert list(eager.only(["cwru"], ["minirocket"]).found) == [("cwru", "minirocket")]


def test_minirocket_alone_is_not_shown_again_beside_eager_ones(tmp_path):
    keep_all(tmp_path, ["cwru"], ["dualres", "minirocket"], "cpu", way="eager")
    assert [costs.name for costs in all_costs(tmp_path)] == ["cpu_4_eager"]


def test_quick_ones_count_only_where_there_are_no_others(tmp_path):
    keep_all(tmp_path, ["cwru", "hust"], ["dualres"], "cpu", quick=True)
    assert [(costs.name, costs.datasets) for costs in all_costs(tmp_path)] == [("cpu_4_quick", ["cwru", "hust"])]
    keep_all(tmp_path, ["cwru"], ["dualres"], "cpu")
    assert [(costs.name, costs.datasets) for costs in all_costs(tmp_path)] == [("cpu_4", ["cwru"])]


def test_quantities_are_those_of_the_measurement(tmp_path):
    measurement = made_up(plan("cwru", "dualres", "cuda", 4))
    keep(measurement, tmp_path)
    (costs,) = all_costs(tmp_path)
    assert costs.value("native_p95_ms", "cwru", "dualres") == measurement.p95_ms("native")
    assert costs.value("windows", "cwru", "dualres") == WINDOWS
    assert costs.value("rss_rise_mib", "cwru", "dualres") == pytest.approx(4096 / 2**20)
    assert costs.value("window_ms", "cwru", "mambasl") is None
    assert all(cost.of(measurement) is not None for cost in COSTS.values())
