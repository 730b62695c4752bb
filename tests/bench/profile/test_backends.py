import os

import pytest

from dualres.bench.methods import recurrence
from dualres.bench.profile.backends import by_way
from dualres.bench.profile.plan import EAGER, SHIPPED
from dualres.config import ModelConfig
from dualres.kernel import compiled
from dualres.kernel.gpu import triton_setting
from dualres.kernel.gpu.available import available


@pytest.fixture(autouse=True)
def fast(monkeypatch):
    """A machine with everything that makes methods fast; its user has chosen a build of the kernel."""
    monkeypatch.setattr(triton_setting, "_installed", lambda: True)
    monkeypatch.setattr(compiled, "able", lambda: ("avx2", "baseline"))
    monkeypatch.setattr(recurrence, "import_module", lambda name: name)
    monkeypatch.setenv("DUALRES_KERNEL", "baseline")
    monkeypatch.delenv("DUALRES_TRITON", raising=False)


def paths():
    """The build of the kernel, whether DualRes has fused kernels on a GPU, and whether Mamba's scan has."""
    return compiled.variant(), available(ModelConfig(), "cuda"), recurrence._kernels() is not None


def test_the_eager_way_is_without_code_of_ours_and_ends_when_it_is_left():
    with by_way(EAGER):
        assert paths() == (None, False, False)
    assert paths() == ("baseline", True, True)
    assert "DUALRES_TRITON" not in os.environ


def test_the_eager_way_ends_with_an_error():
    with pytest.raises(ZeroDivisionError), by_way(EAGER):
        _ = 1 / 0
    assert paths() == ("baseline", True, True)


def test_the_shipped_way_is_the_one_that_would_be_taken_anyway():
    with by_way(SHIPPED):
        assert paths() == ("baseline", True, True)
