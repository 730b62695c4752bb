import pytest

from dualres.kernel.gpu import triton_setting
from dualres.kernel.gpu.triton_setting import triton_usable


@pytest.mark.parametrize("installed", [True, False])
def test_the_kernels_need_triton_and_can_be_switched_off(installed, monkeypatch):
    monkeypatch.setattr(triton_setting, "_installed", lambda: installed)
    monkeypatch.delenv("DUALRES_TRITON", raising=False)
    assert triton_usable() == installed
    monkeypatch.setenv("DUALRES_TRITON", "off")
    assert not triton_usable()
