"""Groups of classes, each with a limit by its own units."""

import numpy as np
import pytest

from dualres.judge.trust.class_limits import class_limits
from dualres.judge.trust.conformal import rank


def scores(rng, counts, shift=0.0):
    """Of each class as many units, every class harder than the one before it."""
    return {
        str(i): {f"{i}-{n}": [float(rng.normal() + shift * i)] for n in range(count)} for i, count in enumerate(counts)
    }


def test_a_common_class_has_a_limit_of_its_own_and_rare_ones_share_theirs():
    found = class_limits("0123", scores(np.random.default_rng(0), (99, 99, 6, 6), 2.0), 0.1, None)
    assert found[0] < found[1] < found[2] == found[3], "the rare ones do not lean on the common ones"


def test_rare_classes_that_are_too_few_share_with_the_smallest_common_one():
    known = scores(np.random.default_rng(0), (99, 59, 2, 0), 2.0)
    found = class_limits("0123", known, 0.1, None)
    assert found[0] < found[1] == found[2] == found[3]
    joined = sorted(one for label in "12" for (one,) in known[label].values())
    assert found[1] == joined[rank(61, 0.1) - 1]


@pytest.mark.parametrize(("counts", "enough"), [((4, 4), False), ((5, 4), True), ((0, 9), True), ((0, 8), False)])
def test_too_few_units_have_no_limits(counts, enough):
    assert (class_limits("01", scores(np.random.default_rng(0), counts), 0.1, None) is not None) == enough


def test_a_unit_of_several_classes_counts_once():
    shared = {label: {str(n): [float(n)] for n in range(8)} for label in "012"}
    assert class_limits("012", shared, 0.1, None) is None


def test_units_that_would_round_the_rate_up_by_much_are_shared():
    """Of 28 units 27 would lie within the limit: 93 %."""
    rng = np.random.default_rng(0)
    assert len(set(class_limits("01", scores(rng, (28, 28), 2.0), 0.1, None))) == 1
    assert len(set(class_limits("01", scores(rng, (29, 29), 2.0), 0.1, None))) == 2


@pytest.mark.parametrize("sure", [None, 0.9])
@pytest.mark.parametrize("counts", [(60, 30, 12, 6, 3), (25, 25, 25, 25, 25)])
def test_the_rate_holds_whatever_the_sizes_of_classes(counts, sure):
    rng, covered, n = np.random.default_rng(1), [], sum(counts)
    for _ in range(300):
        limits = class_limits("01234", scores(rng, counts, 0.7), 0.1, sure)
        label = rng.choice(5, size=400, p=np.array(counts) / n)
        covered.append(np.mean(rng.normal(size=400) + 0.7 * label <= np.array(limits)[label]))
    if sure is None:
        assert 0.89 < np.mean(covered) < 0.92 + 1 / (n + 1)
    else:
        assert np.mean(np.array(covered) >= 0.9 - 0.015) > 0.88, "within what 400 draws tell"
