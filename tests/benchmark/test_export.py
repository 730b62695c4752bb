import json

import pytest

from dualres.benchmark.export import export, load_export
from dualres.benchmark.ledger import LedgerError
from dualres.benchmark.results import Results
from dualres.benchmark.studies import study
from dualres.benchmark.tables import study_tables
from dualres.benchmark.tables.write import as_csv
from dualres.benchmark.verify import verify
from tests.benchmark.synthetic import synthetic_ledger


@pytest.fixture(scope="module")
def ledger(tmp_path_factory):
    path = tmp_path_factory.mktemp("ledger") / "ledger.sqlite"
    with synthetic_ledger(path, ["pilot"], datasets=["simulated", "phm2009"]) as ledger:
        yield ledger


@pytest.fixture
def exported(ledger, tmp_path):
    assert export(ledger, tmp_path / "results") == len(ledger.keys()) == 8
    return tmp_path / "results"


def test_the_ledger_read_back_is_the_one_written(ledger, exported, tmp_path):
    with load_export(exported, tmp_path / "again.sqlite") as again:
        assert again.jobs() == ledger.jobs()
        for key in ledger.keys():  # noqa: SIM118 - not a mapping
            assert again.outcome(key) == ledger.outcome(key)
        tables = [as_csv(study_tables(Results(each, study("pilot")))) for each in (ledger, again)]
        assert tables[0] == tables[1]
        assert verify(again) == verify(ledger) == []
        export(again, tmp_path / "twice")
    for name in ("jobs.jsonl", "signals.tsv", "SHA256SUMS"):
        assert (tmp_path / "twice" / name).read_bytes() == (exported / name).read_bytes()


def test_it_is_text_with_a_line_per_job_and_a_hash_per_signal(ledger, exported):
    lines = [json.loads(line) for line in (exported / "jobs.jsonl").read_text().splitlines()]
    assert [line["key"] for line in lines] == sorted(ledger.keys())
    assert all("inputs" not in line["facts"] for line in lines)
    signals = [line.split("\t") for line in (exported / "signals.tsv").read_text().splitlines()]
    assert len(signals) == len({tuple(row[:2]) for row in signals})
    assert {row[0] for row in signals} == {"simulated", "phm2009"}


def test_a_changed_export_is_refused(exported, tmp_path):
    path = exported / "jobs.jsonl"
    path.write_text(path.read_text().replace('"seed":41', '"seed":42', 1))
    with pytest.raises(LedgerError, match=r"jobs\.jsonl: was changed"):
        load_export(exported, tmp_path / "again.sqlite")


def test_an_existing_ledger_is_not_written_to(exported, ledger):
    with pytest.raises(LedgerError, match="exists already"):
        load_export(exported, ledger.path)
