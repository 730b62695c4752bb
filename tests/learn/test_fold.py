import pytest

from dualres.learn.fold import Budget


def test_a_budget_is_read_back_from_what_it_is_written_as():
    assert Budget.parse("3x4") == Budget(3, 4)
    assert str(Budget.parse("6x12")) == "6x12"


@pytest.mark.parametrize("text", ["", "3", "3x", "all", "1x2x3"])
def test_what_is_no_budget_is_refused(text):
    with pytest.raises((ValueError, TypeError)):
        Budget.parse(text)
