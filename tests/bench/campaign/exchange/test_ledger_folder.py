import shutil

import pytest
from typer.testing import CliRunner

from dualres.bench.campaign.exchange.export import export
from dualres.bench.campaign.exchange.ledger_folder import exported, opened, own_ledger
from dualres.bench.campaign.ledger import LedgerError
from dualres.cli import app
from dualres.errors import ConfigError
from tests.bench.campaign.synthetic import synthetic_ledger
from tests.bench.profile.synthetic import keep_all


@pytest.fixture
def folders(tmp_path):
    """A ledger's folder with a measurement, and its export."""
    keep_all(tmp_path / "bench" / "profile", methods=["dualres"])
    with synthetic_ledger(tmp_path / "bench" / "ledger.sqlite", ["pilot"], datasets=["simulated"]) as ledger:
        export(ledger, tmp_path / "results")
    return tmp_path / "bench", tmp_path / "results"


def test_a_folder_with_the_ledger_itself_is_no_export(folders):
    bench, results = folders
    assert exported(results)
    assert not exported(bench)
    shutil.copy(bench / "ledger.sqlite", results)
    assert not exported(results)


def test_a_ledger_is_opened_where_it_is(folders):
    bench, _ = folders
    assert not exported(bench)
    assert own_ledger(bench) == bench / "ledger.sqlite"
    with opened(bench) as ledger:
        assert ledger.path == bench / "ledger.sqlite"


def test_an_export_is_a_ledger_with_measurements_for_a_while_and_stays_as_it_is(folders):
    bench, results = folders
    before = sorted(results.rglob("*"))
    with opened(bench) as ledger, opened(results) as same:
        assert same.jobs() == ledger.jobs()
        beside = same.path.parent / "profile"
        assert [path.name for path in beside.iterdir()] == ["simulated-dualres-cuda-4.json"]
    assert not same.path.parent.exists()
    assert sorted(results.rglob("*")) == before


def test_a_changed_export_is_not_opened(folders):
    (folders[1] / "signals.tsv").write_text("")
    with pytest.raises(LedgerError, match=r"signals\.tsv: was changed"), opened(folders[1]):
        pass


def test_a_folder_with_neither_has_no_ledger_unless_one_may_be_made(tmp_path):
    with pytest.raises(LedgerError, match="there is no ledger"), opened(tmp_path):
        pass
    with opened(tmp_path, create=True) as ledger:
        assert ledger.keys() == set()


def test_measuring_into_an_export_is_refused(folders):
    result = CliRunner().invoke(app, ["profile", "--dir", str(folders[1])])
    assert isinstance(result.exception, ConfigError)
    assert "is an export, which is only read" in str(result.exception)
