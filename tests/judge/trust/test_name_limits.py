"""Beyond which margin a class is named."""

from math import inf

import numpy as np
import pytest

from dualres.judge.trust.name_limits import HeldOutName, name_limits

CLASSES = ("ball", "inner")


def names(count, wrong=(), name="ball", start=0, unit=None):
    """Held-out names, a nat apart, the most certain first; those at the places `wrong` are."""
    return [
        HeldOutName(unit or f"{name}{i}", name, i not in wrong, float(100 - start - i))
        for i in range(start, start + count)
    ]


def named(limits, held):
    return sum(one.margin > limits[CLASSES.index(one.name)] for one in held)


@pytest.mark.parametrize(
    ("count", "error", "enough"), [(8, 0.1, False), (9, 0.1, True), (3, 0.2, False), (4, 0.2, True)]
)
def test_so_many_units_are_needed_even_where_none_is_wrong(count, error, enough):
    """One more that is wrong must not lift the share above the rate."""
    found = name_limits(CLASSES, names(count), error)
    assert (found is not None) == enough
    if enough:
        assert found == [0.0, inf], "nothing that is ahead is too near, and nothing was ever named inner"


def test_one_wrong_name_needs_as_many_right_ones_again():
    for count, most in ((18, 5), (19, 19)):
        held = names(count, wrong=(5,))
        limits = name_limits(CLASSES, held, 0.1)
        assert (limits is None) == (most < 9)
        assert limits is None or named(limits, held) == most


def test_what_lies_behind_the_first_that_breaks_the_rate_is_not_named():
    held = names(12, wrong=(10, 11))
    limits = name_limits(CLASSES, held, 0.1)
    assert limits[0] == held[10].margin
    assert named(limits, held) == 10


def test_names_of_a_hard_class_have_a_rate_of_their_own():
    """Every third name of it is wrong, and all in all it is one in fifteen."""
    easy, hard = names(80), names(20, wrong=range(0, 20, 3), name="inner")
    limits = name_limits(CLASSES, [*easy, *hard], 0.1)
    assert limits == [0.0, inf]
    assert named(limits, [*easy, *hard]) == 80


def test_recordings_of_a_unit_weigh_as_much_as_one():
    once, often = names(9), [*names(8), *names(40, start=8, unit="ball8")]
    assert name_limits(CLASSES, once, 0.1) is not None
    assert name_limits(CLASSES, often, 0.1) is not None
    assert name_limits(CLASSES, names(40, unit="one"), 0.1) is None, "it is a single unit"


def test_equal_margins_are_named_together_or_not_at_all():
    alike = [HeldOutName(str(i), "ball", i > 1, 1.0) for i in range(14)]
    assert name_limits(CLASSES, [*names(9), *alike], 0.1)[0] == 1.0


def test_a_wrong_name_that_nobody_kept_counts_against_all():
    lost = [HeldOutName(f"lost{i}", None, False, 200.0) for i in range(2)]
    assert name_limits(CLASSES, [*names(26), *lost], 0.1) is None
    assert name_limits(CLASSES, [*names(27), *lost], 0.1) is not None


def test_nothing_held_out_names_nothing():
    assert name_limits(CLASSES, [], 0.1) is None


def world(rng, count):
    """The further ahead a name is, the rarer it is wrong; every unit has three."""
    margins = rng.exponential(size=(count, 3)) + rng.exponential(size=(count, 1))
    wrong = rng.random((count, 3)) < 0.8 * np.exp(-margins)
    whose = np.where(rng.random((count, 3)) < 0.5, *CLASSES)
    return [
        HeldOutName(str(i), str(whose[i, j]), not wrong[i, j], float(margins[i, j]))
        for i in range(count)
        for j in range(3)
    ]


def shares_wrong(sure, error=0.1, count=60, worlds=150):
    rng = np.random.default_rng(3)
    judged = world(rng, 4000)
    margins, right = np.array([one.margin for one in judged]), np.array([one.right for one in judged])
    whose = np.array([CLASSES.index(one.name) for one in judged])
    found = []
    for _ in range(worlds):
        limits = name_limits(CLASSES, world(rng, count), error, sure)
        some = margins > np.array(limits)[whose] if limits else np.zeros(len(judged), bool)
        found.append((some.mean(), (some & ~right).mean()))
    return np.array(found).T


def test_on_average_as_many_names_are_wrong_as_was_stated():
    some, wrong = shares_wrong(None)
    assert some.mean() > 0.4
    assert 0.05 < wrong.sum() / some.sum() < 0.1, "uncorrected it would be 11 to 12 %"


def test_sure_keeps_the_rate_for_nearly_all_that_might_have_been_labelled():
    some, wrong = shares_wrong(0.9, count=400, worlds=60)
    assert some.mean() > 0.2
    assert (wrong <= 0.1 * some).mean() >= 0.9
