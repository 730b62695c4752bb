"""A ledger that somebody else wrote: what later code counts on is checked when a job is read."""

import sqlite3
from contextlib import closing

import pytest

from dualres.bench.campaign.ledger import Ledger, LedgerError
from tests.bench.campaign.synthetic import synthetic_ledger

HUGE = "9" * 400


@pytest.fixture
def path(tmp_path):
    synthetic_ledger(tmp_path / "l", ["pilot"], datasets=["simulated"]).close()
    return tmp_path / "l"


def refusal(path, statement, *values):
    """Why the first job cannot be read after a change."""
    with Ledger(path) as ledger, closing(sqlite3.connect(path)) as database:
        key = min(ledger.keys())
        with database:
            assert database.execute(f"UPDATE {statement}", (*values, key)).rowcount >= 1
        with pytest.raises(LedgerError) as found:
            ledger.outcome(key)
        others = ledger.keys() - {key}
        assert len([ledger.outcome(other) for other in others]) == 3
    return str(found.value)


@pytest.mark.parametrize(
    ("fact", "value"),
    [
        ("classes", "[]"),
        ("classes", '["a", "a"]'),
        ("classes", "[1, 2]"),
        ("classes", "7"),
        ("held_out", "{}"),
        ("labelled_s", "{}"),
        ("labelled_s", '{"a": "b"}'),
        ("support", "[[]]"),
        ("support", '[["a", "b"]]'),
        ("support", '[["a", 1, 2]]'),
        ("inputs", '{"a": 1}'),
        ("inputs", '{"\\ud800": "a"}'),
        ("cost", '{"fit_s": []}'),
        ("cost", f'{{"fit_s": {HUGE}}}'),
        ("versions", "[]"),
        ("machine", '{"a": {"b": [1e400]}}'),
        ("wall_s", "null"),
        ("wall_s", "1e400"),
        ("variant", "3"),
    ],
)
def test_a_fact_of_another_kind_is_refused(path, fact, value):
    told = refusal(path, "jobs SET facts = json_set(facts, ?, json(?)) WHERE key = ?", f"$.{fact}", value)
    assert f"{path}: damaged (its {fact} is not" in told.replace("are not", "is not")


@pytest.mark.parametrize("fact", ["classes", "inputs", "labelled_s", "machine", "support", "wall_s"])
def test_a_fact_that_is_missing_is_refused(path, fact):
    told = refusal(path, "jobs SET facts = json_remove(facts, ?) WHERE key = ?", f"$.{fact}")
    assert f"there is no '{fact}'" in told


@pytest.mark.parametrize("facts", ["[]", "7", "null", '"text"', "{", "[" * 100_000])
def test_facts_that_are_none_are_refused(path, facts):
    assert f"{path}: damaged (" in refusal(path, "jobs SET facts = ? WHERE key = ?", facts)


@pytest.mark.parametrize("truth", [-1, 99, 2**40])
def test_a_class_beyond_all_is_refused(path, truth):
    told = refusal(path, "scores SET truth = ? WHERE position = 0 AND key = ?", truth)
    assert "a recording is of a class beyond its" in told


@pytest.mark.parametrize(
    "scores", ["[]", "[1]", "null", "{}", "[[1], [2]]", '["a"]', "nonsense", f"[{HUGE}]", "[NaN]", "[1e400]"]
)
def test_scores_that_are_none_are_refused(path, scores):
    if scores.startswith("[") and scores not in ("[]", "[1]"):  # as many as there are classes
        scores = scores[:-1] + ", 0" * 7 + "]"
    assert "damaged (" in refusal(path, "scores SET scores = ? WHERE position = 0 AND key = ?", scores)
