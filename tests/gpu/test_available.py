import pytest

from dualres.config import ModelConfig
from dualres.gpu.available import available


@pytest.mark.parametrize("device", ["cpu", "meta"])
def test_the_kernels_are_for_gpus(device):
    assert not available(ModelConfig(), device)
