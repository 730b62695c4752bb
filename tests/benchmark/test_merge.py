import pytest

from dualres.benchmark.export import export
from dualres.benchmark.ledger import Ledger, LedgerError
from dualres.benchmark.merge import take_in
from tests.benchmark.synthetic import synthetic_ledger


@pytest.fixture
def there(tmp_path):
    """Another machine's folder: a ledger, its export, and two of four models."""
    folder = tmp_path / "there"
    with synthetic_ledger(folder / "ledger.sqlite", ["pilot"], datasets=["simulated"]) as ledger:
        export(ledger, folder / "text")
        keys = sorted(ledger.keys())
    (folder / "models").mkdir()
    for key in keys[:2]:
        (folder / "models" / f"{key}.safetensors").write_bytes(key.encode())
    return folder


@pytest.mark.parametrize("form", ["ledger.sqlite", "text"])
def test_jobs_and_the_models_that_are_there_are_taken(there, tmp_path, form):
    taken = take_in(there / form, tmp_path / "here" / "ledger.sqlite")
    assert (taken.merge.taken, taken.merge.known, taken.models, taken.clashes) == (4, 0, 2, ())
    copied = sorted((tmp_path / "here" / "models").iterdir())
    assert [path.read_bytes().decode() for path in copied] == [path.stem for path in copied]
    with Ledger(tmp_path / "here" / "ledger.sqlite") as ours, Ledger(there / "ledger.sqlite") as theirs:
        assert ours.keys() == theirs.keys()


def test_a_model_that_is_here_already_stays(there, tmp_path):
    own = tmp_path / "here" / "models" / next((there / "models").iterdir()).name
    own.parent.mkdir(parents=True)
    own.write_bytes(b"ours")
    assert take_in(there / "ledger.sqlite", tmp_path / "here" / "ledger.sqlite").models == 1
    assert own.read_bytes() == b"ours"


def test_a_changed_export_is_refused(there, tmp_path):
    jobs = there / "text" / "jobs.jsonl"
    jobs.write_text(jobs.read_text().replace('"seed":41', '"seed":42', 1))
    with pytest.raises(LedgerError, match=r"jobs\.jsonl"):
        take_in(there / "text", tmp_path / "here" / "ledger.sqlite")
