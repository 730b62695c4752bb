"""Every verdict reaches a webhook that often fails, although the agent is killed."""

from functools import partial

import pytest

from dualres.kernel.compiled import variant
from tests.attacks.stress_scripts import script
from tests.stream.watch.sinks.records import record

_tally, webhook, _undisturbed = script("_tally"), script("webhook"), script("_undisturbed")


@pytest.mark.exhaustive
@pytest.mark.skipif(not variant(), reason="to the last bit only with the compiled library")
def test_a_small_storm():
    plan = webhook.Plan(kills=3, seconds=6.0)
    result = _tally.here(_tally.Attack("small", "", partial(webhook.storms, plan), longest_s=300.0), [3])
    assert result["failures"] == {}
    assert list(result["outcomes"]) == ["survived 3 kills"]


def test_what_is_lost_altered_added_or_out_of_order_is_a_failure():
    some = [record(number).data for number in range(4)]
    expected = [_undisturbed.essence(one) for one in some]
    assert webhook.check(some, expected) == 0
    assert webhook.check([*some[:3], *some[1:]], expected) == 2, "after a kill, from what was committed on"
    altered = {**some[1], "probabilities": {"good": 0.5}}
    for wrong, reason in [
        (some[:3], "1 verdicts are missing"),
        ([some[0], some[2], some[1], some[3]], "came before another one"),
        ([some[0], altered, *some[2:]], "is altered"),
        ([*some, record(4).data], "is of no sample"),
        ([*some[:3], some[0], some[2], some[3]], "came before one that was made before it"),
    ]:
        with pytest.raises(AssertionError, match=reason):
            webhook.check(wrong, expected)
