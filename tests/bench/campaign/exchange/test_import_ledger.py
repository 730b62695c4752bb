import json
import sqlite3
from contextlib import closing
from dataclasses import replace

import pytest

from dualres.bench.campaign.exchange.export import export
from dualres.bench.campaign.exchange.import_ledger import import_ledger
from dualres.bench.campaign.ledger import Ledger, LedgerError, digest_of
from tests.bench.campaign.synthetic import synthetic_ledger
from tests.bench.profile.synthetic import keep_all


@pytest.fixture
def there(tmp_path):
    """Another machine's folder: a ledger, its export, two measurements, and two of four models."""
    folder = tmp_path / "there"
    keep_all(folder / "profile", methods=["dualres", "mambasl"])
    with synthetic_ledger(folder / "ledger.sqlite", ["pilot"], datasets=["simulated"]) as ledger:
        export(ledger, folder / "text")
        keys = sorted(ledger.keys())
    (folder / "models").mkdir()
    for key in keys[:2]:
        (folder / "models" / f"{key}.safetensors").write_bytes(key.encode())
    return folder


@pytest.mark.parametrize("form", ["ledger.sqlite", "text"])
def test_jobs_and_the_models_that_are_there_are_taken(there, tmp_path, form):
    taken = import_ledger(there / form, tmp_path / "here" / "ledger.sqlite")
    assert (taken.merge.taken, taken.merge.known, taken.models, taken.clashes) == (4, 0, 2, ())
    copied = sorted((tmp_path / "here" / "models").iterdir())
    assert [path.read_bytes().decode() for path in copied] == [path.stem for path in copied]
    with Ledger(tmp_path / "here" / "ledger.sqlite") as ours, Ledger(there / "ledger.sqlite") as theirs:
        assert ours.keys() == theirs.keys()


def test_a_model_that_is_here_already_stays(there, tmp_path):
    own = tmp_path / "here" / "models" / next((there / "models").iterdir()).name
    own.parent.mkdir(parents=True)
    own.write_bytes(b"ours")
    assert import_ledger(there / "ledger.sqlite", tmp_path / "here" / "ledger.sqlite").models == 1
    assert own.read_bytes() == b"ours"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda o: replace(o, scores=(*o.scores[:-1], tuple(s + 0.25 for s in o.scores[-1]))), "up to 0.25, 0 of"),
        (lambda o: replace(o, scores=(o.scores[0][::-1], *o.scores[1:])), ", 1 of"),
        (lambda o: replace(o, recordings=("other", *o.recordings[1:])), "they judged different recordings"),
        (lambda o: replace(o, facts=o.facts | {"inputs": {}}), "they read different signals"),
    ],
)
def test_a_clash_says_how_far_apart_the_two_are(there, tmp_path, change, words):
    with Ledger(there / "ledger.sqlite") as theirs, Ledger(tmp_path / "here" / "ledger.sqlite") as ours:
        key, job = next(iter(theirs.jobs().items()))
        ours.record(job, change(theirs.outcome(key)))
    (clash,) = import_ledger(there / "ledger.sqlite", tmp_path / "here" / "ledger.sqlite").clashes
    assert clash.job == job
    assert words in clash.difference


def test_a_changed_export_is_refused(there, tmp_path):
    jobs = there / "text" / "jobs.jsonl"
    jobs.write_text(jobs.read_text().replace('"seed":41', '"seed":42', 1))
    with pytest.raises(LedgerError, match=r"jobs\.jsonl"):
        import_ledger(there / "text", tmp_path / "here" / "ledger.sqlite")


@pytest.mark.parametrize("form", ["ledger.sqlite", "text"])
def test_measurements_are_taken_and_where_both_measured_ours_is_kept(there, tmp_path, form):
    here = tmp_path / "here" / "ledger.sqlite"
    first = import_ledger(there / form, here).measured
    assert (first.taken, first.known, first.differing, first.left_out) == (2, 0, (), ())
    own, other = (here.parent / "profile" / f"simulated-{name}-cuda-4.json" for name in ("dualres", "mambasl"))
    content = json.loads(own.read_text())
    content["workloads"]["window"]["seconds"][0] = 1.0
    own.write_text(json.dumps(content))
    other.write_text("damaged")
    again = import_ledger(there / form, here).measured
    assert (again.taken, again.known, again.differing) == (1, 0, ("simulated dualres cuda",))
    assert json.loads(own.read_text()) == content
    assert other.read_text() == (there / "profile" / other.name).read_text()


def test_a_damaged_measurement_of_theirs_is_said(there, tmp_path):
    (there / "profile" / "simulated-dualres-cuda-4.json").write_text("{}")
    measured = import_ledger(there / "ledger.sqlite", tmp_path / "here" / "ledger.sqlite").measured
    assert measured.taken == 1
    assert "simulated-dualres-cuda-4.json: not a measurement" in measured.left_out[0]


@pytest.mark.parametrize("key", ["../../outside", "/tmp/outside", "", "0" * 64, "a" * 63 + "/", "x\0"])
def test_a_key_that_is_not_the_hash_of_its_plan_is_refused_before_a_byte_is_written(there, tmp_path, key):
    with closing(sqlite3.connect(there / "ledger.sqlite")) as database, database:
        (old,) = database.execute("SELECT key FROM jobs ORDER BY key LIMIT 1").fetchone()
        for table in ("jobs", "scores", "steps"):
            database.execute(f"UPDATE {table} SET key = ? WHERE key = ?", (key, old))
    (there / "outside.safetensors").write_bytes(b"theirs")
    with pytest.raises(LedgerError, match="is not the hash of its plan; nothing was taken"):
        import_ledger(there / "ledger.sqlite", tmp_path / "here" / "ledger.sqlite")
    assert not (tmp_path / "here").exists()


def test_another_signal_under_the_same_name_is_refused(there, tmp_path):
    here = tmp_path / "here" / "ledger.sqlite"
    with Ledger(there / "ledger.sqlite") as theirs, Ledger(here) as ours:
        (key, job), *_ = theirs.jobs().items()
        outcome = theirs.outcome(key)
        name = next(iter(outcome.facts["inputs"]))
        other = replace(job, seed=job.seed + 1000)
        ours.record(other, replace(outcome, facts=outcome.facts | {"inputs": {name: "another"}}))
    with pytest.raises(LedgerError, match=rf"another signal of simulated {name} .* nothing was taken; prepare"):
        import_ledger(there / "ledger.sqlite", here)
    with Ledger(here) as ours:
        assert ours.keys() == {other.key}


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE scores SET truth = 1 - truth WHERE position = 0",
        "UPDATE steps SET loss = 2 * loss WHERE number = 2",
        "UPDATE jobs SET facts = json_set(facts, '$.wall_s', 1.0)",
    ],
)
def test_a_ledger_that_was_changed_since_it_was_recorded_is_refused(there, tmp_path, statement):
    with closing(sqlite3.connect(there / "ledger.sqlite")) as database, database:
        assert database.execute(statement).rowcount == 4
    with pytest.raises(LedgerError, match=r"4 jobs were changed since they were recorded, .* nothing was taken"):
        import_ledger(there / "ledger.sqlite", tmp_path / "here" / "ledger.sqlite")
    assert not (tmp_path / "here").exists()


def test_a_ledger_from_before_jobs_were_hashed_is_taken(there, tmp_path):
    with closing(sqlite3.connect(there / "ledger.sqlite")) as database, database:
        database.execute("DROP TABLE digests")
    assert import_ledger(there / "ledger.sqlite", tmp_path / "here" / "ledger.sqlite").merge.taken == 4


def test_a_job_whose_scores_are_words_is_refused_though_its_hash_fits(there, tmp_path):
    with closing(sqlite3.connect(there / "ledger.sqlite")) as database, database:
        (key,) = database.execute("SELECT max(key) FROM jobs").fetchone()
        database.execute('UPDATE scores SET scores = \'["high", "low"]\' WHERE key = ?', (key,))
        database.execute("UPDATE digests SET sha256 = ? WHERE key = ?", (digest_of(database, key), key))
    with pytest.raises(LedgerError, match=r"damaged \(a recording does not have 8 scores that are finite numbers\)"):
        import_ledger(there / "ledger.sqlite", tmp_path / "here" / "ledger.sqlite")
    assert not (tmp_path / "here").exists()
