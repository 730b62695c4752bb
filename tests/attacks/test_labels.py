"""Lists of labels made to do harm when they are read."""

from tests.attacks.stress_scripts import script

_tally, labels = script("_tally"), script("labels")


def test_hostile_lists_are_read_or_refused():
    result = _tally.here(labels.ATTACK, range(10**6, 10**6 + 60))
    assert result["failures"] == {}
    assert min(result["outcomes"]["read"], result["outcomes"]["refused"]) > 3
