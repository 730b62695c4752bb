import numpy as np
import pytest
import torch

from dualres.config import VIEW_SIZES, ModelConfig
from dualres.errors import ConfigError
from dualres.model.views.network import ViewsNetwork
from dualres.model.views.weights import views_shapes


@pytest.mark.parametrize("classes", [2, 8, 14])
def test_the_parameters_are_few_and_counted(classes):
    network = ViewsNetwork(classes)
    features = sum(VIEW_SIZES.features(ModelConfig()).values())
    count = sum(p.numel() for p in network.parameters())
    assert count == features * (2 + VIEW_SIZES.rank + classes) + 4 * (classes + 1)
    assert count <= 100_000
    assert {name: tuple(t.shape) for name, t in network.state_dict().items()} == views_shapes(ModelConfig(), classes)


def test_verdicts_are_log_probabilities_that_the_heads_add_up_to():
    torch.manual_seed(0)
    network = ViewsNetwork(3)
    for name, parameter in network.named_parameters():
        size = 5.0 if name.endswith("offsets") else 1.0 if name.endswith("sharpness") else 0.01
        parameter.data = size + 0.01 * torch.rand_like(parameter)
    windows = torch.randn(2, 32_768)
    found = network(windows)
    torch.testing.assert_close(found.exp().sum(1), torch.ones(2))
    said = sum(head(view) for head, view in zip(network.heads.values(), network.views(windows), strict=True))
    torch.testing.assert_close(found, said.log_softmax(1))


def test_other_windows_and_a_single_class_are_refused():
    with pytest.raises(ConfigError, match=r"\(2, 100\) were given; this network takes \(batch, 32768\)"):
        ViewsNetwork(2)(torch.from_numpy(np.zeros((2, 100), np.float32)))
    with pytest.raises(ConfigError, match="at least two classes"):
        ViewsNetwork(1)
