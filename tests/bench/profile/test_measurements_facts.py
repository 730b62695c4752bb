import copy
import json
import math
from dataclasses import asdict, replace

import pytest

from dualres.bench.profile.measurements import check_facts
from dualres.bench.profile.plan import EAGER, Plan
from dualres.bench.report.tables.costs import cost_tables
from tests.bench.profile.synthetic import made_up

PLAN = Plan("simulated", "dualres", "cuda", quick=True)
EAGER_FACTS = made_up(replace(PLAN, way=EAGER)).facts
NAMES = tuple(each.name for each in PLAN.workloads)
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
    check_facts(FACTS, NAMES)
    check_facts(made_up(Plan("simulated", "minirocket"), verdict=False).facts, NAMES)
    check_facts(EAGER_FACTS, NAMES)


@pytest.mark.parametrize("shipped", [None, {}, {"difference": "0", "same_label": True}, {"difference": 0.0}], ids=str)
def test_what_is_said_of_the_shipped_way_is_whole(shipped):
    facts = EAGER_FACTS | {"agreement": EAGER_FACTS["agreement"] | {"shipped": shipped}}
    with pytest.raises(ValueError, match=r"agreement\.shipped"):
        check_facts(facts, NAMES)


@pytest.mark.parametrize(
    "value", [del_, [], "words", {}, -1.5, None, math.nan], ids=lambda v: "deleted" if v is del_ else str(v)
)
def test_what_passes_can_be_shown(tmp_path, value):
    """Whatever is changed: it is refused, or all tables can be made of it."""
    refused = 0
    for at in paths(FACTS):
        facts = changed(at, value)
        try:
            check_facts(facts, NAMES)
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
        check_facts(changed(("workloads", "window", "seconds"), seconds), NAMES)
