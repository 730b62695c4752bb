import json
from dataclasses import replace

import numpy as np
import pytest

from dualres.bench.profile.measurements import MeasurementError, damaged, keep, kept, read
from dualres.bench.profile.plan import EAGER, WINDOW, Plan
from tests.bench.profile.synthetic import made_up

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
    for plan, other in ((EAGER_PLAN, PLAN), (PLAN, EAGER_PLAN)):
        measurement = replace(made_up(plan), facts=made_up(other).facts)
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
    with pytest.raises(
        MeasurementError, match=r"quick\.json: not a measurement .*; `dualres profile` measures it anew"
    ):
        read(path)
    assert kept(tmp_path) == {other.plan: other}
    assert [path.name in str(error) for error in damaged(tmp_path)] == [True]


def test_a_file_under_another_s_name_is_not_that_other(tmp_path):
    path = keep(made_up(PLAN), tmp_path)
    with pytest.raises(MeasurementError, match="it is the one of simulated-dualres-cuda-4-quick"):
        read(path.rename(tmp_path / "simulated-mambasl-cuda-4-quick.json"))
