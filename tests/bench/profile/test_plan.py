from dataclasses import asdict, replace
from itertools import product

import pytest

from dualres.bench.profile.plan import EAGER, NATIVE, PREPARED, SHIPPED, WAYS, WINDOW, Plan, plan, plan_all, read_plan
from dualres.errors import ConfigError

ONE = Plan("cwru", "dualres/short", "cuda", 4)


def test_the_protocol_is_the_papers():
    done = {each.name: (each.warmups, each.repeats) for each in ONE.workloads}
    assert done == {WINDOW: (20, 120), PREPARED: (2, 10), NATIVE: (2, 10)}
    assert ONE.threads == Plan("cwru", "dualres").threads == 4


def test_different_plans_have_different_names_fit_for_files():
    changes = ({}, {"way": EAGER}, {"dataset": "hust"}, {"method": "dualres/long"}, {"device": "cpu"}, {"threads": 1})
    plans = [replace(ONE, long=a, quick=b, **change) for a, b, change in product((0, 1), (0, 1), changes)]
    names = {each.name for each in plans}
    assert len(names) == len(plans)
    assert all("/" not in name for name in names)


def test_a_plan_is_read_back_and_others_are_refused():
    assert read_plan(asdict(ONE)) == ONE
    for other in ([], None, *(asdict(ONE) | change for change in ({"threads": "4"}, {"threads": True}, {"more": 1}))):
        with pytest.raises(ConfigError, match="cannot be understood"):
            read_plan(other)
    for change in ({"threads": 0}, {"dataset": "rig"}, {"method": "dualrez"}, {"device": "abacus"}, {"way": "scenic"}):
        with pytest.raises(ConfigError, match="does not exist"):
            read_plan(asdict(ONE) | change)


def test_a_plan_without_a_way_is_of_the_shipped_one_and_is_written_so():
    eager = replace(ONE, way=EAGER)
    assert ONE.way == SHIPPED
    assert "way" not in ONE.as_data()
    assert [read_plan(each.as_data()) for each in (ONE, eager)] == [ONE, eager]


def test_both_ways_of_a_method_follow_each_other_and_minirocket_has_one():
    plans = plan_all(["cwru"], ["minirocket", "dualres"], "cuda", 4, ways=WAYS)
    assert [(each.method, each.way) for each in plans] == [
        ("minirocket", SHIPPED), ("dualres", EAGER), ("dualres", SHIPPED)
    ]  # fmt: skip


def test_minirocket_is_measured_on_the_cpu():
    assert plan("cwru", "minirocket", "cuda", 4) == plan("cwru", "minirocket", "cpu", 4)
    assert plan("cwru", "dualres", "cuda", 4).device == "cuda"
