import json
import shutil
import sqlite3
from contextlib import closing
from dataclasses import replace

import pytest

from dualres.bench.campaign.exchange.export import export
from dualres.bench.campaign.ledger import Ledger, LedgerError
from dualres.bench.campaign.studies import jobs, study
from dualres.utils.checksums import check_sums, listed
from tests.bench.campaign.synthetic import synthetic_ledger, synthetic_outcome
from tests.bench.profile.synthetic import keep_all

JOB = jobs(study("pilot"), ["simulated"], methods=["dualres"])[0]

SIGNAL = synthetic_outcome(JOB).facts["inputs"][JOB.used_fold().evaluation[0]]  # its hash


@pytest.fixture
def ledger(tmp_path):
    keep_all(tmp_path / "bench" / "profile", methods=["dualres", "mambasl"])
    path = tmp_path / "bench" / "ledger.sqlite"
    with synthetic_ledger(path, ["pilot"], datasets=["simulated", "phm2009"]) as ledger:
        yield ledger


@pytest.fixture
def exported(ledger, tmp_path):
    written = export(ledger, tmp_path / "results")
    assert (written.jobs, written.measurements, written.left_out) == (8, 2, ())
    return tmp_path / "results"


def lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_it_has_a_line_per_job_and_what_jobs_share_once(exported):
    found = lines(exported / "jobs.jsonl")
    places = [tuple(line["plan"][name] for name in ("dataset", "method", "fold", "seed")) for line in found]
    assert places == sorted(places)
    assert not {"inputs", "support", "labelled_s", "versions", "machine"} & {n for line in found for n in line["facts"]}
    for field, name, count in (("judged", "judged", 4), ("support", "supports", 4), ("machine", "machines", 1)):
        named = [line["name"] for line in lines(exported / f"{name}.jsonl")]
        assert len(named) == count
        assert set(named) == {line[field] for line in found}
    signals = [line.split("\t") for line in (exported / "signals.tsv").read_text().splitlines()]
    assert len(signals) == len({tuple(row[:2]) for row in signals})
    assert {row[0] for row in signals} == {"simulated", "phm2009"}


def test_the_files_do_not_depend_on_the_order_in_which_jobs_came(ledger, exported, tmp_path):
    with Ledger(tmp_path / "other" / "ledger.sqlite") as other:
        for key, job in sorted(ledger.jobs().items(), reverse=True):
            other.record(job, ledger.outcome(key))
        shutil.copytree(ledger.path.parent / "profile", tmp_path / "other" / "profile")
        export(other, tmp_path / "twice")
    assert (tmp_path / "twice" / "SHA256SUMS").read_bytes() == (exported / "SHA256SUMS").read_bytes()
    assert check_sums(tmp_path / "twice") == []


def test_a_further_job_adds_lines_and_changes_none(ledger, exported, tmp_path):
    job = replace(JOB, seed=7)
    ledger.record(job, synthetic_outcome(job))
    export(ledger, tmp_path / "more")
    for path in exported.glob("*.jsonl"):
        before, after = (
            folder.joinpath(path.name).read_text().splitlines() for folder in (exported, tmp_path / "more")
        )
        assert [line for line in after if line in before] == before


def test_exporting_again_replaces_the_export_and_nothing_else(ledger, exported):
    mine = [exported / "README.md", exported / "profile" / "notes.txt", exported / "tables" / "SHA256SUMS"]
    for path in mine:
        path.parent.mkdir(exist_ok=True)
        path.write_text("mine")
    sums = exported / "SHA256SUMS"
    sums.write_text(f"{sums.read_text()}{0:064x}  README.md\n{0:064x}  profile/../README.md\n")
    gone = next((ledger.path.parent / "profile").glob("*-mambasl-*"))
    gone.unlink()
    assert export(ledger, exported).measurements == 1
    assert not (exported / "profile" / gone.name).exists()
    assert {path.read_text() for path in mine} == {"mine"}
    assert check_sums(exported) == []
    assert "README.md" not in listed(exported)


def test_a_damaged_measurement_is_left_out_and_said(ledger, tmp_path):
    (ledger.path.parent / "profile" / "simulated-medformer-cuda-4.json").write_text("{}")
    written = export(ledger, tmp_path / "results")
    assert written.measurements == 2
    assert "simulated-medformer-cuda-4.json: not a measurement" in written.left_out[0]
    assert len(list((tmp_path / "results" / "profile").iterdir())) == 2


def test_a_ledger_s_own_folder_is_not_written_to(ledger):
    with pytest.raises(LedgerError, match="holds a ledger"):
        export(ledger, ledger.path.parent)


@pytest.mark.parametrize(
    ("statement", "sentence"),
    [
        ("UPDATE steps SET rate = 0.5 WHERE key = ? AND number = 7", "its history is not that of its recipe"),
        ("DELETE FROM steps WHERE key = ? AND number = 7", "its history is not that of its recipe"),
        ("UPDATE scores SET recording = 'other' WHERE key = ? AND position = 0", "the hashed recordings are not those"),
        (f"UPDATE jobs SET facts = replace(facts, '{SIGNAL}', 'f') WHERE key = ?", "another job saw a different"),
    ],
)
def test_what_could_not_be_read_back_as_it_was_is_refused(ledger, tmp_path, statement, sentence):
    with sqlite3.connect(ledger.path) as database:
        assert database.execute(statement, (JOB.key,)).rowcount == 1
    database.close()
    with pytest.raises(LedgerError, match=f"cannot be exported .{sentence}"):
        export(ledger, tmp_path / "results")
    assert not (tmp_path / "results").exists()


def test_a_job_that_lacks_a_fact_is_refused(ledger, tmp_path):
    with closing(sqlite3.connect(ledger.path)) as database, database:
        database.execute("UPDATE jobs SET facts = json_remove(facts, '$.machine') WHERE key = ?", (JOB.key,))
    with pytest.raises(LedgerError, match=r"damaged .there is no 'machine'"):
        export(ledger, tmp_path / "results")
    assert not (tmp_path / "results").exists()
