"""Bold print and differences of pairs, by hand."""

import csv
from dataclasses import replace

import pytest

from dualres.bench.report.tables.fill import Table, Value, mark_best
from dualres.bench.report.tables.write import as_csv, cells
from dualres.bench.verify.ledger import StoredJob
from dualres.bench.verify.numbers import moments_of_pairs, paired, wrong_bold


def number(mean, **fields):
    return Value(f"{mean:.1f}", metric="macro_f1", mean=mean, n=1, jobs={41: ("a" * 64,)}, **fields)


def wrong(values):
    """What is said of a table with one row."""
    table = Table("toy", "Toy", "", "", 0, tuple("abcdef"[: len(values)]), (tuple(values),))
    records = csv.DictReader(as_csv([table]).splitlines())
    return list(wrong_bold(records, {("toy", row, column): value for row, column, value in cells(table)}))


def inverted(values, *places):
    return [replace(value, bold=value.bold ^ (i in places)) for i, value in enumerate(values)]


@pytest.mark.parametrize("lowest", [False, True])
def test_the_best_of_its_rivals_is_bold_and_no_other(lowest):
    values = mark_best([number(2.0), number(1.0), number(3.0), number(3.0)], "row", 1, lowest=lowest)
    assert {value.rivals for value in values} == {"row"}
    assert [i for i, value in enumerate(values) if value.bold] == ([1] if lowest else [2, 3])
    assert wrong(values) == []
    (said,) = wrong(inverted(values, 0, 2))
    assert "2 cells (the first: toy, , a) are in bold print and should not be" in said


def test_rivals_are_told_apart_by_the_name_they_share():
    values = [*mark_best([number(1.0), number(2.0)], "one", 1), *mark_best([number(8.0), number(9.0)], "other", 1)]
    assert [value.bold for value in values] == [False, True, False, True]
    assert wrong(values) == []
    assert wrong([replace(value, rivals="one") for value in values]) != []


def test_a_number_without_rivals_a_lonely_one_and_an_incomplete_one_are_never_bold():
    lonely = mark_best([number(1.0)], "alone", 1)
    incomplete = mark_best([number(1.0), replace(number(2.0), n=0)], "row", 1)
    for values in ([number(1.0), number(2.0)], lonely, incomplete):
        assert not any(value.bold for value in values)
        assert wrong(values) == []
        assert wrong(inverted(values, len(values) - 1)) != []


def test_an_interval_without_zero_and_a_yes_are_bold():
    decided = number(2.0, low=1.0, high=3.0, bold=True, emphasis="interval")
    open_ = number(2.0, low=-1.0, high=3.0, emphasis="interval")
    yes, no = Value("yes", bold=True, emphasis="yes"), Value("no", emphasis="yes")
    values = [decided, open_, yes, no, Value("yes")]
    assert wrong(values) == []
    for place in range(len(values)):
        assert len(wrong(inverted(values, place))) == 1


def test_a_cell_that_no_table_declares_is_not_bold():
    records = [{"table": "toy", "row": "", "column": "a", "best": best} for best in "01"]
    assert list(wrong_bold(records[:1], {})) == []
    assert len(list(wrong_bold(records[1:], {}))) == 1


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

    places = {"one": (4, "P1"), "two": (1, "P1"), "three": (4, "P2"), "other": (4, "P1"), "another": (1, "P1")}
    jobs = {key: stored(key, *place) for key, place in places.items()}
    groups = {41: ["one", "two", "three", "unknown"], 42: ["one"]}
    pairs = paired(jobs, groups, {41: ["another", "other"], 43: ["other"]})
    assert pairs == {41: [("one", "other"), ("two", "another")]}
