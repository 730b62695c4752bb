"""The rule, on numbers made by hand."""

import pytest

from dualres.bench.report.across_rigs import choose, chosen_without, gains

SCORES = {
    "paper": {"a": 50.0, "b": 60.0, "c": 70.0},
    "steady": {"a": 53.0, "b": 61.0, "c": 71.0},  # +3, +1, +1
    "bold": {"a": 62.0, "b": 66.0, "c": 67.9},  # +12, +6, -2.1
    "level": {"a": 48.0, "b": 60.0, "c": 78.0},  # -2, 0, +8
}


def test_gains_are_over_the_paper_s_recipe():
    assert gains(SCORES, "bold", ["b", "c"]) == {"b": 6.0, "c": pytest.approx(-2.1)}


def test_the_best_mean_gain_wins_among_those_that_lose_little():
    assert choose(SCORES, ["a", "b"]) == "bold"
    assert choose(SCORES, ["a", "b", "c"]) == "level", "a loss of just 2 points is allowed, one of 2.1 is not"
    assert choose({name: SCORES[name] for name in ("paper", "steady", "bold")}, ["a", "b", "c"]) == "steady"


def test_where_all_others_lose_the_paper_s_recipe_stays():
    worse = {name: {"a": score} for name, score in (("paper", 50.0), ("one", 47.0), ("two", 40.0))}
    assert choose(worse, ["a"]) == "paper"
    assert choose(worse | {"three": {"a": 50.0}}, ["a"]) == "paper", "of equals the first"


def test_a_rig_has_no_say_in_what_is_judged_on_it():
    assert chosen_without(SCORES, ["a", "b", "c"]) == {"a": "level", "b": "level", "c": "bold"}
    changed = {name: found | {"c": 0.0} for name, found in SCORES.items()}
    assert chosen_without(changed, ["a", "b", "c"])["c"] == "bold"
