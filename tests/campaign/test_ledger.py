import dataclasses
import sqlite3

import numpy as np
import pytest

from dualres.campaign.ledger import Ledger, LedgerError
from dualres.campaign.studies import jobs, study
from tests.campaign.synthetic import synthetic_ledger, synthetic_outcome

JOBS = jobs(study("pilot"), ["phm2009"])


@pytest.fixture
def ledger(tmp_path):
    with Ledger(tmp_path / "ledger.sqlite") as opened:
        yield opened


def test_what_is_recorded_comes_back(ledger):
    outcome = synthetic_outcome(JOBS[0])
    ledger.record(JOBS[0], outcome)
    found = ledger.outcome(JOBS[0].key)
    assert found.scores == outcome.scores  # to the last bit
    assert (found.recordings, found.truth, found.windows) == (outcome.recordings, outcome.truth, outcome.windows)
    assert found.history == outcome.history
    assert found.macro_f1 == outcome.macro_f1
    assert found.labelled_s == 6.144
    assert ledger.jobs() == {JOBS[0].key: JOBS[0]}


def test_a_finished_job_survives_the_process(tmp_path):
    Ledger(tmp_path / "l").record(JOBS[0], synthetic_outcome(JOBS[0]))  # never closed
    assert Ledger(tmp_path / "l").keys() == {JOBS[0].key}


def test_a_job_enters_whole_or_not_at_all(ledger):
    broken = dataclasses.replace(synthetic_outcome(JOBS[0]), truth=(0,))
    with pytest.raises(ValueError, match="zip"):
        ledger.record(JOBS[0], broken)
    assert ledger.keys() == set()
    ledger.record(JOBS[0], synthetic_outcome(JOBS[0]))
    with pytest.raises(LedgerError, match="cannot be written to"):
        ledger.record(JOBS[0], synthetic_outcome(JOBS[0]))
    assert len(ledger.outcome(JOBS[0].key).recordings) == 140


def test_a_failure_is_remembered_until_the_job_is_done(ledger):
    ledger.fail(JOBS[0], "no such file")
    ledger.fail(JOBS[0], "no memory")
    assert ledger.failures() == {JOBS[0].key: (JOBS[0], "no memory")}
    assert ledger.keys() == set()
    ledger.record(JOBS[0], synthetic_outcome(JOBS[0]))
    assert ledger.failures() == {}


def test_merging_takes_what_is_new_and_compares_what_is_known(ledger, tmp_path):
    mine, shared, theirs = JOBS[:3]
    other = Ledger(tmp_path / "other")
    for job in (mine, shared):
        ledger.record(job, synthetic_outcome(job))
    elsewhere = synthetic_outcome(shared)
    other.record(shared, dataclasses.replace(elsewhere, facts=elsewhere.facts | {"wall_s": 99.0}))
    other.record(theirs, synthetic_outcome(theirs))
    merged = ledger.merge(other)
    assert (merged.taken, merged.known, merged.clashes) == (1, 1, ())
    assert ledger.keys() == {job.key for job in (mine, shared, theirs)}


def test_a_contradiction_is_named_and_changes_nothing(ledger, tmp_path):
    job = JOBS[0]
    ledger.record(job, synthetic_outcome(job))
    other = Ledger(tmp_path / "other")
    scores = np.array(synthetic_outcome(job).scores)
    scores[3, 1] += 1e-3
    other.record(job, dataclasses.replace(synthetic_outcome(job), scores=tuple(map(tuple, scores.tolist()))))
    assert ledger.merge(other).clashes == (job.key,)
    assert ledger.outcome(job.key).scores == synthetic_outcome(job).scores


def test_what_is_no_ledger_is_refused(tmp_path):
    (tmp_path / "x").write_bytes(b"hello" * 1000)
    with pytest.raises(LedgerError, match="not a ledger"):
        Ledger(tmp_path / "x")
    with pytest.raises(LedgerError, match="there is no ledger"):
        Ledger(tmp_path / "nowhere", create=False)
    with pytest.raises(LedgerError, match="holds no job"):
        Ledger(tmp_path / "new").outcome("0" * 64)


def test_another_program_s_database_is_refused_and_left_alone(tmp_path):
    with sqlite3.connect(tmp_path / "notes") as database:
        database.execute("CREATE TABLE notes (text)")
    before = (tmp_path / "notes").read_bytes()
    with pytest.raises(LedgerError, match="not a ledger"):
        Ledger(tmp_path / "notes")
    assert (tmp_path / "notes").read_bytes() == before


@pytest.mark.parametrize("damage", ["UPDATE jobs SET facts = '{'", "UPDATE jobs SET plan = '[]'", "DROP TABLE scores"])
def test_damage_is_told_and_not_thrown(ledger, damage):
    ledger.record(JOBS[0], synthetic_outcome(JOBS[0]))
    with sqlite3.connect(ledger.path) as database:
        database.execute(damage)
    with pytest.raises(LedgerError, match="damaged"):
        (ledger.jobs(), ledger.outcome(JOBS[0].key))


def test_agreement_means_the_same_signals_too(ledger, tmp_path):
    job, outcome = JOBS[0], synthetic_outcome(JOBS[0])
    ledger.record(job, outcome)
    other = Ledger(tmp_path / "other")
    inputs = dict.fromkeys(outcome.facts["inputs"], "f" * 64)
    other.record(job, dataclasses.replace(outcome, facts=outcome.facts | {"inputs": inputs}))
    assert ledger.merge(other).clashes == (job.key,)


def test_a_reader_sees_what_a_writer_has_finished(tmp_path):
    writer = Ledger(tmp_path / "l")
    reader = Ledger(tmp_path / "l")
    writer.record(JOBS[0], synthetic_outcome(JOBS[0]))
    assert reader.keys() == {JOBS[0].key}


def test_a_synthetic_ledger_is_the_same_every_time(tmp_path):
    one, two = (synthetic_ledger(tmp_path / name, ["pilot"]) for name in "ab")
    assert one.merge(two).clashes == ()
