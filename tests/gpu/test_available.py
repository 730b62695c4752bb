import pytest

from dualres.config import ModelConfig
from dualres.gpu.available import available
from dualres.machinery import triton_setting


def test_the_kernels_can_be_switched_off(monkeypatch):
    monkeypatch.setattr(triton_setting, "_installed", lambda: True)
    assert available(ModelConfig(), "cuda")
    monkeypatch.setenv("DUALRES_TRITON", "off")
    assert not available(ModelConfig(), "cuda")


@pytest.mark.parametrize("device", ["cpu", "meta"])
def test_the_kernels_are_for_gpus(device):
    assert not available(ModelConfig(), device)
