import pytest

from dualres.bench.verify.differences import moments_of_pairs, paired
from dualres.bench.verify.ledger import StoredJob

SCORES = {"a": 50.0, "b": 60.0, "c": 70.0, "x": 45.0, "y": 75.0, "z": 72.0}
PAIRS = {41: [("a", "x"), ("b", "y")], 42: [("c", "z")]}  # differences of 5 and -15, and of -2


def score(metric, key):
    assert metric == "macro_f1"
    return SCORES[key]


@pytest.mark.parametrize(
    ("metric", "mean", "sd"),
    [
        ("macro_f1", -4.0, 3 / 2**0.5),  # over seeds of -5 and -2
        ("macro_f1:mean_gap", 22 / 3, None),
        ("macro_f1:largest_gap", 15.0, None),
        ("macro_f1:seeds_below", 2, None),
    ],
)
def test_summaries_by_hand(metric, mean, sd):
    found = moments_of_pairs(metric, PAIRS, score)
    assert found == (pytest.approx(mean), sd if sd is None else pytest.approx(sd), 3)


def test_one_seed_has_no_spread_and_no_pair_no_number():
    assert moments_of_pairs("macro_f1", {41: PAIRS[41]}, score) == (-5.0, None, 2)
    assert moments_of_pairs("macro_f1:mean_gap", {}, score) == (None, None, 0)


def test_pairs_have_the_same_budget_fold_and_seed():
    def stored(key, windows, fold):
        plan = {"budget": {"recordings": 3, "windows": windows}, "fold": fold}
        return StoredJob(key, plan=plan, facts={}, judged=[], steps=[])

    jobs = {
        "one": stored("one", 4, "P1"),
        "two": stored("two", 1, "P1"),
        "three": stored("three", 4, "P2"),
        "other": stored("other", 4, "P1"),
        "another": stored("another", 1, "P1"),
    }
    groups = {41: ["one", "two", "three", "unknown"], 42: ["one"]}
    assert paired(jobs, groups, {41: ["another", "other"], 43: ["other"]}) == {
        41: [("one", "other"), ("two", "another")]
    }
