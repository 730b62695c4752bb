"""A small version of stress/audit.py: each kind of altered copy once, and a few clean splits."""

import numpy as np
import pytest

from tests.attacks.stress_scripts import script
from tests.variants import also

audit = script("audit")
FIRST, *OTHERS = audit.KINDS
KINDS = [FIRST, "backwards", *also(*((kind,) for kind in OTHERS if kind != "backwards"))]


@pytest.fixture(scope="module")
def machine():
    """Four recordings of a simulated machine at one speed."""
    return audit.of_a_machine(4, np.random.default_rng([7, 0]))


def test_there_are_31_kinds():
    assert len(audit.KINDS) == 31
    assert len({attack.name for attack in audit.ATTACKS}) == 32


@pytest.mark.parametrize("kind", KINDS)
def test_a_copy_is_found(machine, kind):
    if kind.startswith("by "):
        pytest.importorskip("soundfile")
    planted = audit.altered(kind, machine[0], machine[-1], np.random.default_rng(3))
    (finding,) = audit.shared([*machine[:-1], planted])
    assert set(finding.recordings) == {machine[0].id, planted.id}
    assert ("backwards" in finding.message) == (kind == "backwards")
    assert ("1.00% faster" in finding.message) == (kind == "stretched by 1 %")
    assert ("1.00% slower" in finding.message) == (kind == "squeezed by 1 %")
    assert ("3.00% faster" in finding.message) == (kind == "stretched by 3 %")
    assert ("3.00% slower" in finding.message) == (kind == "squeezed by 3 %")
    assert ("at a speed that varies" in finding.message) == ("wobbles" in kind)


@pytest.mark.parametrize("seed", [0, *also((1,), (2,))])
def test_a_clean_split_raises_no_alarm(tmp_path, monkeypatch, seed):
    monkeypatch.delenv("DUALRES_DATA", raising=False)
    with audit.clean(tmp_path) as attempt:
        assert attempt(seed) == "clean"


def test_a_copy_that_is_not_found_is_a_failure(tmp_path, monkeypatch):
    monkeypatch.delenv("DUALRES_DATA", raising=False)
    monkeypatch.setattr(audit, "shared", lambda recordings: [])
    with audit.copied(tmp_path, "scaled") as attempt, pytest.raises(AssertionError, match="was not found"):
        attempt(0)
