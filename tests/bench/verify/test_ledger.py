import json
import sqlite3
from contextlib import closing
from dataclasses import replace
from hashlib import sha256

import pytest

from dualres.bench.campaign.ledger import Ledger
from dualres.bench.campaign.studies import jobs, study
from dualres.bench.verify.ledger import CheckCounts, known_labels, verify
from tests.bench.campaign.synthetic import synthetic_outcome

JOBS = jobs(study("pilot"), ["simulated"], methods=["dualres"])
VALIDATED = jobs(study("duration"), ["simulated"], methods=["dualres"])[:1]
CWRU = jobs(study("bearing"), ["cwru"], methods=["minirocket"], seeds=[41])
CHANGED = "its scores, losses or facts were changed since it was recorded: the hash is another"


@pytest.fixture
def ledger(tmp_path):
    """A few jobs with their model files, nothing wrong with any."""
    with Ledger(tmp_path / "ledger.sqlite") as ledger:
        (tmp_path / "models").mkdir()
        for job in (*JOBS, *VALIDATED, *CWRU):
            content = b"a model: " + job.key.encode()
            (tmp_path / "models" / f"{job.key}.safetensors").write_bytes(content)
            outcome = synthetic_outcome(job)
            cost = {**outcome.facts["cost"], "file_bytes": len(content)}
            facts = {**outcome.facts, "cost": cost, "model_sha256": sha256(content).hexdigest()}
            ledger.record(job, replace(outcome, facts=facts))
        yield ledger


def change(ledger, statement, *values):
    with sqlite3.connect(ledger.path) as database:
        assert database.execute(statement, values).rowcount == 1
    database.close()


def execute(ledger, statement):
    with closing(sqlite3.connect(ledger.path, isolation_level=None)) as database:
        database.execute(statement)


def change_facts(ledger, key, edit):
    with sqlite3.connect(ledger.path) as database:
        (text,) = database.execute("SELECT facts FROM jobs WHERE key = ?", (key,)).fetchone()
        facts = json.loads(text)
        edit(facts)
        database.execute("UPDATE jobs SET facts = ? WHERE key = ?", (json.dumps(facts), key))
    database.close()


def only_problem(ledger, folder=None):
    (problem,) = verify(ledger, folder)
    return problem


def test_nothing_is_wrong_with_what_was_just_written(ledger, tmp_path):
    told = []
    assert verify(ledger, tmp_path, lambda _, done, total, __: told.append((done, total))) == []
    assert told[-1] == (5, 5)


def test_a_changed_plan_is_found(ledger):
    key = JOBS[0].key
    plan = json.dumps({**JOBS[0].plan(), "seed": 99}, separators=(",", ":"))
    change(ledger, "UPDATE jobs SET plan = ? WHERE key = ?", plan, key)
    assert only_problem(ledger) == f"job {key[:16]}: its key is not the hash of its plan"


def test_a_plan_for_another_fold_than_the_frozen_one_is_found(tmp_path):
    stale = replace(JOBS[0], fold_hash="0" * 64)
    with Ledger(tmp_path / "l") as ledger:
        ledger.record(stale, synthetic_outcome(JOBS[0]))
        assert "planned for another" in only_problem(ledger)


def test_a_plan_that_cannot_be_read_is_found(ledger):
    key = JOBS[0].key
    change(ledger, "UPDATE jobs SET plan = ? WHERE key = ?", '{"format":"something else"}', key)
    problems = verify(ledger)
    assert "is not the hash" in problems[0]
    assert "cannot be checked: a plan in format" in problems[1]


@pytest.mark.parametrize(
    ("scores", "sentence"),
    [
        ("[0.9,0.1]", "has 2 scores for 8 classes"),
        ("[NaN,0,0,0,0,0,0,1]", "not a finite number"),
        ("[0.5,0,0,0,0,0,0,0.1]", "not probabilities: they sum to 0.600000"),
    ],
)
def test_scores_that_cannot_be_are_found(ledger, scores, sentence):
    change(ledger, "UPDATE scores SET scores = ? WHERE key = ? AND position = 3", scores, JOBS[0].key)
    assert sentence in only_problem(ledger)


def test_decision_values_need_not_be_probabilities(tmp_path):
    outcome = synthetic_outcome(CWRU[0])
    scores = (*outcome.scores[:3], (-3.0, 1.0, 2.0, 0.5), *outcome.scores[4:])
    with Ledger(tmp_path / "l") as ledger:
        ledger.record(CWRU[0], replace(outcome, scores=scores))
        assert verify(ledger) == []


def test_views_have_probabilities_without_a_recipe(tmp_path):
    (job,) = jobs(study("rigs"), ["simulated"], methods=["dualres/views"], seeds=[41], folds=["S1"])
    with Ledger(tmp_path / "l") as ledger:
        ledger.record(job, synthetic_outcome(job))
        assert (job.recipe, verify(ledger)) == (None, [])
        change(ledger, "UPDATE scores SET scores = '[-3,1,2,0.5,0,0,0,0]' WHERE key = ? AND position = 3", job.key)
        assert "not probabilities: they sum to 0.500000" in only_problem(ledger)


def test_a_changed_truth_is_found_where_the_label_is_known(ledger):
    key, name = JOBS[0].key, JOBS[0].used_fold().evaluation[3]
    change(ledger, "UPDATE scores SET truth = (truth + 1) % 8 WHERE key = ? AND position = 3", key)
    assert f"{name} was judged as" in only_problem(ledger)
    assert f"known to be {known_labels('simulated')[name]!r}" in only_problem(ledger)


def test_two_jobs_must_agree_on_a_recording_of_unknown_label(tmp_path):
    one, other = (
        job for job in jobs(study("bearing"), ["cwru"], seeds=[41, 42], methods=["dualres"]) if job.fold == "C1"
    )
    outcome = synthetic_outcome(other)
    position = outcome.recordings.index("B014_0")
    truth = list(outcome.truth)
    truth[position] = (truth[position] + 1) % 4
    with Ledger(tmp_path / "l") as ledger:
        ledger.record(one, synthetic_outcome(one))
        ledger.record(other, replace(outcome, truth=tuple(truth)))
        assert "B014_0 was judged as" in only_problem(ledger)


def test_other_recordings_or_windows_than_the_fold_s_are_found(ledger):
    change(ledger, "UPDATE scores SET windows = 24 WHERE key = ? AND position = 0", JOBS[0].key)
    assert "judged on 24 windows" in only_problem(ledger)
    change(ledger, "DELETE FROM scores WHERE key = ? AND position = 0", JOBS[0].key)
    problems = verify(ledger)
    assert "not those that fold S1 and the plan ask for" in problems[0]
    assert "hashed recordings are not those" in problems[1]


def test_a_support_window_that_moved_or_lies_in_the_evaluation_is_found(ledger):
    judged = JOBS[0].used_fold().evaluation[0]
    for edit, words in (
        (lambda facts: facts["support"][1].__setitem__(1, 128_001), "states labelled seconds"),
        (lambda facts: facts["support"].__setitem__(0, [judged, 128_000]), f"{judged} was learned from and judged"),
    ):
        change_facts(ledger, JOBS[0].key, edit)
        problems = "\n".join(verify(ledger))
        assert "support windows are not those" in problems
        assert words in problems


def test_wrong_labelled_seconds_and_held_out_unit_are_found(ledger):
    change_facts(ledger, CWRU[0].key, lambda facts: facts["labelled_s"].update(healthy=1.536))
    assert "its support windows cover {'healthy': 1.024" in only_problem(ledger)
    change_facts(ledger, CWRU[0].key, lambda facts: facts["labelled_s"].update(healthy=1.024))
    change_facts(ledger, CWRU[0].key, lambda facts: facts.update(held_out="bearing"))
    assert "states 'bearing' as held out" in only_problem(ledger)


def test_a_signal_that_is_another_in_another_job_is_found(ledger):
    name = JOBS[0].used_fold().evaluation[0]
    change_facts(ledger, JOBS[0].key, lambda facts: facts["inputs"].update({name: "f" * 64}))
    problems = verify(ledger)
    assert sum(f"the signal of {name} has another hash" in problem for problem in problems) == 1
    assert [problem for problem in problems if "another hash" not in problem] == [f"job {JOBS[0].key[:16]}: {CHANGED}"]


@pytest.mark.parametrize(
    ("statement", "sentence"),
    [
        ("DELETE FROM steps WHERE key = ? AND number = 300", "its history has 299 updates, the plan 300"),
        ("UPDATE steps SET loss = 9e999 WHERE key = ? AND number = 7", "the loss of update 7 is not a finite number"),
        ("UPDATE steps SET rate = 0.5 WHERE key = ? AND number = 7", "the learning rate of update 7 is 0.5"),
        ("UPDATE steps SET loss = loss + 0.01 WHERE key = ? AND number = 7", CHANGED),
    ],
)
def test_a_history_that_is_not_the_recipe_s_is_found(ledger, statement, sentence):
    change(ledger, statement, JOBS[0].key)
    assert sentence in only_problem(ledger)


def test_a_changed_and_a_missing_model_file_are_found_unless_they_are_not_asked_for(ledger, tmp_path):
    paths = [tmp_path / "models" / f"{job.key}.safetensors" for job in JOBS]
    paths[0].write_bytes(paths[0].read_bytes().replace(b"model", b"modem"))
    assert "was changed: the hash is another" in only_problem(ledger, tmp_path)
    paths[0].unlink()
    assert "is missing" in only_problem(ledger, tmp_path)
    assert verify(ledger) == []


@pytest.mark.parametrize(
    ("statement", "sentence"),
    [
        ("UPDATE jobs SET facts = '{\"classes\":' WHERE key = ?", "cannot be read (Expecting value"),
        ("UPDATE jobs SET facts = '[1, 2]' WHERE key = ?", "cannot be checked (list indices"),
        ("UPDATE jobs SET plan = 'no plan' WHERE key = ?", "cannot be read (Expecting value"),
        ("UPDATE scores SET scores = '[1,' WHERE key = ? AND position = 3", "cannot be read (Expecting value"),
        ("UPDATE scores SET scores = '7' WHERE key = ? AND position = 3", "cannot be checked (object of type 'int'"),
    ],
)
def test_a_damaged_job_is_said_in_a_sentence_and_the_others_are_checked(ledger, statement, sentence):
    change(ledger, statement, JOBS[0].key)
    change(ledger, "UPDATE steps SET rate = 0.5 WHERE key = ? AND number = 7", JOBS[1].key)
    problems = {problem.split(":")[0]: problem for problem in verify(ledger)}
    assert problems.keys() == {f"job {job.key[:16]}" for job in JOBS[:2]}
    assert sentence in problems[f"job {JOBS[0].key[:16]}"]


@pytest.mark.parametrize("name", ["classes", "held_out", "labelled_s", "support", "inputs", "model_sha256"])
def test_a_fact_that_is_missing_is_said_in_a_sentence(ledger, tmp_path, name):
    change_facts(ledger, JOBS[0].key, lambda facts: facts.pop(name))
    assert f"cannot be checked (there is no {name!r})" in only_problem(ledger, tmp_path)


def swap(scores):
    """Another verdict: the first two scores change places."""
    return [scores[1], scores[0], *scores[2:]]


def nudge(scores):
    """The same verdict with slightly other scores, which still add up to one."""
    top, low = scores.index(max(scores)), scores.index(min(scores))
    return [each + {top: 1e-6, low: -1e-6 if scores[low] else 0.0}.get(at, 0.0) for at, each in enumerate(scores)]


@pytest.mark.parametrize("edit", [swap, nudge])
def test_a_changed_score_is_found_whether_it_flips_the_verdict_or_not(ledger, edit):
    key = JOBS[0].key
    scores = list(ledger.outcome(key).scores[3])
    assert edit(scores) != scores
    change(ledger, "UPDATE scores SET scores = ? WHERE key = ? AND position = 3", json.dumps(edit(scores)), key)
    assert only_problem(ledger) == f"job {key[:16]}: {CHANGED}"


@pytest.mark.parametrize(
    "edit",
    [
        lambda facts: facts["versions"].update(torch="9.9"),
        lambda facts: facts.update(wall_s=0.001),
        lambda facts: facts["machine"].update(device="another"),
        lambda facts: facts["cost"].update(fit_s=0.001),
    ],
)
def test_a_changed_version_machine_or_time_is_found(ledger, edit):
    change_facts(ledger, JOBS[0].key, edit)
    assert only_problem(ledger) == f"job {JOBS[0].key[:16]}: {CHANGED}"


def test_a_model_changed_together_with_its_hash_is_found(ledger, tmp_path):
    path = tmp_path / "models" / f"{JOBS[0].key}.safetensors"
    path.write_bytes(path.read_bytes().replace(b"model", b"modem"))
    digest = sha256(path.read_bytes()).hexdigest()
    change_facts(ledger, JOBS[0].key, lambda facts: facts.update(model_sha256=digest))
    assert only_problem(ledger, tmp_path) == f"job {JOBS[0].key[:16]}: {CHANGED}"


@pytest.mark.parametrize(
    ("statement", "sentence"),
    [
        ("ALTER TABLE scores ADD COLUMN adjusted TEXT", "its table scores has the columns"),
        ("CREATE TABLE notes (text TEXT)", "holds notes (text TEXT), which is no table of a ledger"),
        ("INSERT INTO steps VALUES ('nobody', 1, 0.5, 0.5)", "1 rows of steps belong to no job"),
    ],
)
def test_tables_columns_and_rows_that_no_ledger_has_are_found(ledger, statement, sentence):
    execute(ledger, statement)
    assert sentence in only_problem(ledger)


def test_what_was_checked_is_counted(ledger, tmp_path):
    counts = CheckCounts()
    verify(ledger, tmp_path, counts=counts)
    judged = sum(len(job.used_fold().evaluation) * len(job.used_fold().classes) for job in (*JOBS, *VALIDATED, *CWRU))
    updates = sum(job.recipe.updates if job.recipe else 0 for job in (*JOBS, *VALIDATED, *CWRU))
    assert counts == CheckCounts(jobs=5, scores=judged, losses=updates, models=5)
    execute(ledger, "DROP TABLE digests")  # as an earlier version leaves it
    assert verify(ledger, tmp_path, counts=(earlier := CheckCounts())) == []
    assert earlier.unhashed == 5
