import pytest

from dualres.config import ModelConfig
from dualres.kernel.gpu import triton_setting
from dualres.kernel.gpu.available import available


def test_the_kernels_can_be_switched_off(monkeypatch):
    monkeypatch.setattr(triton_setting, "_installed", lambda: True)
    assert available(ModelConfig(), "cuda")
    monkeypatch.setenv("DUALRES_TRITON", "off")
    assert not available(ModelConfig(), "cuda")


@pytest.mark.parametrize("device", ["cpu", "meta"])
def test_the_kernels_are_for_gpus(device):
    assert not available(ModelConfig(), device)
