"""Models made of a network and little more."""

from dualres.config import POLYPHASE, Recipe
from dualres.judge.model import Model
from dualres.model.network import DualRes
from dualres.model.torch_network import TorchNetwork
from dualres.model_file.card import Card


def model_of(network: TorchNetwork, classes=None) -> Model:
    trained = isinstance(network, DualRes)
    count = network.head.out_features if trained else network.classes
    names, recipe = tuple(classes or (f"class {i}" for i in range(count))), Recipe() if trained else None
    card = Card(names, network.config, recipe, 0, POLYPHASE, {}, method=network.kind)
    return Model((network,), card)
