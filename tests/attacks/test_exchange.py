"""Another machine's results, altered: nothing gets in, nothing is written beside, and verifying notices."""

import shutil

import pytest

from tests.attacks.stress_scripts import script

_tally, exchange = script("_tally"), script("exchange")
ATTACKS = {attack.name: attack for attack in exchange.ATTACKS}


@pytest.mark.exhaustive
@pytest.mark.parametrize(("name", "tries"), [("ledgers", 20), ("texts", 15), ("results", 10)])
def test_nothing_gets_in(name, tries):
    result = _tally.here(ATTACKS[name], range(10**6, 10**6 + tries))
    assert result["failures"] == {}
    assert result["outcomes"]["refused"] >= tries // 2


def test_what_an_import_should_not_leave_is_a_failure(tmp_path):
    exchange.whole(tmp_path, {})
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "x.safetensors").touch()
    with pytest.raises(AssertionError, match=r"it left models/x\.safetensors"):
        exchange.whole(tmp_path, {})


def test_an_altered_job_that_was_taken_in_is_a_failure(tmp_path):
    exchange.laid_out(exchange.intact(tmp_path / "origin")["bench"], tmp_path / "bench")
    digests = exchange.digests_in(tmp_path / "bench" / exchange.LEDGER)
    shutil.rmtree(tmp_path / "bench" / "models")
    exchange.whole(tmp_path / "bench", digests)
    with pytest.raises(AssertionError, match="an altered job was taken in"):
        exchange.whole(tmp_path / "bench", dict.fromkeys(digests, "0" * 64))
