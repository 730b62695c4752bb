"""Whole folders without a report; tests/cli/bench/test_report.py verifies some with one."""

import json
import sqlite3
from contextlib import closing

import pytest

from dualres.bench.campaign.exchange.export import export
from dualres.bench.campaign.ledger import Ledger, digest_of
from dualres.bench.verify.folder import verify_folder
from dualres.bench.verify.manifest import write_manifest
from dualres.utils.checksums import listed, write_sums
from tests.bench.campaign.synthetic import synthetic_ledger


@pytest.fixture
def bench(tmp_path):
    synthetic_ledger(tmp_path / "bench" / "ledger.sqlite", ["pilot"], datasets=["simulated"]).close()
    return tmp_path / "bench"


def test_a_folder_with_nothing_to_check_is_wrong(tmp_path):
    Ledger(tmp_path / "ledger.sqlite").close()
    found = verify_folder(tmp_path)
    assert found.counts.jobs == 0
    assert found.problems == [
        f"{tmp_path / 'ledger.sqlite'}: holds no finished job and no measurement, so there is nothing to check"
    ]


def test_an_export_with_nothing_to_check_is_wrong(tmp_path):
    with Ledger(tmp_path / "bench" / "ledger.sqlite") as empty:
        export(empty, tmp_path / "results")
    write_manifest(tmp_path / "results")
    (problem,) = verify_folder(tmp_path / "results").problems
    assert "nothing to check" in problem


def test_a_ledger_changed_together_with_its_hash_has_another_root(bench):
    before = verify_folder(bench, models=False)
    assert before.problems == []
    (root,) = before.roots.values()
    assert verify_folder(bench, models=False, roots=[root.upper()]).problems == []
    with closing(sqlite3.connect(bench / "ledger.sqlite", isolation_level=None)) as database:
        (key,) = database.execute("SELECT min(key) FROM jobs").fetchone()
        database.execute("UPDATE steps SET loss = loss + 0.01 WHERE key = ? AND number = 7", (key,))
        database.execute("UPDATE digests SET sha256 = ? WHERE key = ?", (digest_of(database, key), key))
    assert verify_folder(bench, models=False).problems == []
    (problem,) = verify_folder(bench, models=False, roots=[root]).problems
    assert f"nothing here has the root hash {root}" in problem


def test_the_root_of_a_ledger_does_not_depend_on_the_order_of_its_jobs(bench, tmp_path):
    with Ledger(bench / "ledger.sqlite") as ledger, Ledger(tmp_path / "other" / "ledger.sqlite") as other:
        for key, job in reversed(ledger.jobs().items()):
            other.record(job, ledger.outcome(key))
    roots = [list(verify_folder(each, models=False).roots.values()) for each in (bench, tmp_path / "other")]
    assert roots[0] == roots[1]


def flip(line):
    """Another verdict on the first recording."""
    scores = line["scores"][0]
    scores[0], scores[1] = scores[1], scores[0]


EDITS = {
    "verdict": flip,
    "time": lambda line: line["facts"].update(wall_s=0.5),
    "model": lambda line: line["facts"].update(model_sha256="0" * 64),
}


@pytest.mark.parametrize("name", EDITS)
def test_an_export_changed_together_with_its_hashes_is_found_by_the_manifest_or_else_by_the_root(bench, tmp_path, name):
    results = tmp_path / "results"
    with Ledger(bench / "ledger.sqlite") as ledger:
        export(ledger, results)
    root = write_manifest(results)
    found = verify_folder(results, roots=[root])
    assert (found.problems, found.roots) == ([], {results: root})
    assert found.files == len(listed(results)) + 1  # and the list itself
    first, *others = map(json.loads, (results / "jobs.jsonl").read_text().splitlines())
    EDITS[name](first)
    (results / "jobs.jsonl").write_text("".join(json.dumps(line) + "\n" for line in (first, *others)))
    write_sums(results, listed(results))
    wrong = verify_folder(results).problems
    assert f"{results / 'jobs.jsonl'}: was changed since its hash was written to MANIFEST" in wrong
    write_manifest(results)
    assert verify_folder(results).problems == []
    (problem,) = verify_folder(results, roots=[root]).problems
    assert f"nothing here has the root hash {root}" in problem
