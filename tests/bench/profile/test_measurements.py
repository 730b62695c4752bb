import copy
import json
import math
from dataclasses import asdict, replace

import numpy as np
import pytest

from dualres.bench.methods import NAMES
from dualres.bench.profile.measurements import (
    COSTS,
    MeasurementError,
    all_costs,
    check_facts,
    damaged,
    keep,
    kept,
    read,
)
from dualres.bench.profile.plan import EAGER, WINDOW, Plan, plan
from dualres.bench.report.tables.costs import cost_tables
from tests.bench.profile.synthetic import WINDOWS, keep_all, made_up

PLAN = Plan("simulated", "dualres", "cuda", quick=True)
EAGER_PLAN = replace(PLAN, way=EAGER)


def test_a_measurement_is_read_back_with_every_repetition(tmp_path):
    measurement = made_up(PLAN)
    path = keep(measurement, tmp_path)
    assert path.name == "simulated-dualres-cuda-4-quick.json"
    assert read(path) == measurement
    assert kept(tmp_path) == {PLAN: measurement}
    assert len(json.loads(path.read_text())["workloads"]["window"]["seconds"]) == 5


def test_median_and_tail_are_of_the_repetitions():
    measurement = made_up(PLAN)
    measurement.facts["workloads"]["window"]["seconds"] = [0.004, 0.001, 0.002, 0.003, 0.010]
    assert measurement.median_ms(WINDOW) == 3.0
    assert measurement.p95_ms(WINDOW) == pytest.approx(np.interp(0.95, [0.75, 1], [4, 10]))


def test_memory_is_in_mib_and_may_be_unknown():
    assert made_up(PLAN).memory_mib(WINDOW, "cuda_reserved") == 22
    assert made_up(Plan("simulated", "dualres")).memory_mib(WINDOW, "cuda_reserved") is None


@pytest.mark.parametrize(("load", "busy"), [([16.5, 1, 1], 16.5), ([15.9, 40, 40], None), ([], None), (None, None)])
def test_a_machine_with_more_to_do_than_cores_was_busy(load, busy):
    measurement = made_up(PLAN)
    measurement.facts["machine"]["load_before"] = load
    assert measurement.busy == busy


def test_disagreement_is_noticed():
    assert made_up(PLAN).agrees
    assert made_up(PLAN, verdict=False).agrees
    for place in ("same_label", "ledger"):
        measurement = made_up(PLAN)
        agreement = measurement.facts["agreement"]
        agreement[place] = False if place == "same_label" else {"same_label": False}
        assert not measurement.agrees


def test_the_eager_way_agrees_within_a_tolerance_with_the_shipped_one():
    for apart, agrees in (({}, True), ({"difference": 2e-5}, False), ({"same_label": False}, False)):
        measurement = made_up(EAGER_PLAN)
        measurement.facts["agreement"]["shipped"].update(apart)
        assert measurement.agrees == agrees


def test_an_eager_measurement_and_no_other_is_compared_with_the_shipped_way(tmp_path):
    for one, other in ((EAGER_PLAN, PLAN), (PLAN, EAGER_PLAN)):
        measurement = replace(made_up(one), facts=made_up(other).facts)
        with pytest.raises(MeasurementError, match="an eager measurement, and no other, is compared"):
            read(keep(measurement, tmp_path))
    path = keep(made_up(EAGER_PLAN), tmp_path)
    assert path.name == "simulated-dualres-cuda-4-eager-quick.json"
    assert read(path).plan == EAGER_PLAN


DAMAGES = ["", "{", "[]", "[" * 100_000, '{"format": "other"}', "[1e999]", '{"format": "dualres-profile/1"}', "\xff"]


@pytest.mark.parametrize("content", DAMAGES, ids=range(len(DAMAGES)))
def test_a_damaged_file_is_named_with_a_remedy_and_stops_no_other(content, tmp_path):
    other = made_up(Plan("simulated", "mambasl"))
    keep(other, tmp_path)
    path = keep(made_up(PLAN), tmp_path)
    path.write_bytes(content.encode("latin-1"))
    refusal = r"quick\.json: not a measurement .*; `dualres profile` measures it anew"
    with pytest.raises(MeasurementError, match=refusal):
        read(path)
    assert kept(tmp_path) == {other.plan: other}
    assert [path.name in str(error) for error in damaged(tmp_path)] == [True]


def test_a_file_under_another_s_name_is_not_that_other(tmp_path):
    path = keep(made_up(PLAN), tmp_path)
    with pytest.raises(MeasurementError, match="it is the one of simulated-dualres-cuda-4-quick"):
        read(path.rename(tmp_path / "simulated-mambasl-cuda-4-quick.json"))


EAGER_FACTS = made_up(EAGER_PLAN).facts
DONE = tuple(each.name for each in PLAN.workloads)
FACTS = json.loads(json.dumps(made_up(PLAN).facts))


def paths(value, at=()):
    """All places in a tree of dictionaries but its root."""
    for name in value if isinstance(value, dict) else ():
        yield (*at, name)
        yield from paths(value[name], (*at, name))


def changed(at, value):
    """The facts with another value in one place; `del` takes the field away."""
    facts = copy.deepcopy(FACTS)
    inner = facts
    for name in at[:-1]:
        inner = inner[name]
    if value is del_:
        del inner[at[-1]]
    else:
        inner[at[-1]] = value
    return facts


del_ = object()


def test_a_measurement_as_it_is_made_passes():
    check_facts(FACTS, DONE)
    check_facts(made_up(Plan("simulated", "minirocket"), verdict=False).facts, DONE)
    check_facts(EAGER_FACTS, DONE)


@pytest.mark.parametrize("shipped", [None, {}, {"difference": "0", "same_label": True}, {"difference": 0.0}], ids=str)
def test_what_is_said_of_the_shipped_way_is_whole(shipped):
    facts = EAGER_FACTS | {"agreement": EAGER_FACTS["agreement"] | {"shipped": shipped}}
    with pytest.raises(ValueError, match=r"agreement\.shipped"):
        check_facts(facts, DONE)


@pytest.mark.parametrize(
    "value", [del_, [], "words", {}, -1.5, None, math.nan], ids=lambda v: "deleted" if v is del_ else str(v)
)
def test_what_passes_can_be_shown(tmp_path, value):
    """Whatever is changed: it is refused, or all tables can be made of it."""
    refused = 0
    for at in paths(FACTS):
        facts = changed(at, value)
        try:
            check_facts(facts, DONE)
        except ValueError:
            refused += 1
            continue
        folder = tmp_path / "profile"
        folder.mkdir(exist_ok=True)
        content = {"format": "dualres-profile/1", "plan": asdict(PLAN), **facts}
        (folder / f"{PLAN.name}.json").write_text(json.dumps(content))
        assert cost_tables(tmp_path)
    assert refused > 40 if value is del_ else refused > 20


@pytest.mark.parametrize("seconds", [[], [0.0], [-1.0], ["1"], [True], [math.inf], [None]], ids=str)
def test_times_are_positive_numbers(seconds):
    with pytest.raises(ValueError, match=r"workloads\.window\.seconds"):
        check_facts(changed(("workloads", "window", "seconds"), seconds), DONE)


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
