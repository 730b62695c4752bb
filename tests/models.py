"""Models made of a network and little more."""

from dualres.config import POLYPHASE, Recipe
from dualres.file import Card, Model
from dualres.model.network import DualRes


def model_of(network: DualRes, classes=None) -> Model:
    names = tuple(classes or (f"class {i}" for i in range(network.head.out_features)))
    return Model((network,), Card(names, network.config, Recipe(), 0, POLYPHASE, {}))
