"""Models made of a network and little more."""

from dualres.config import POLYPHASE, Recipe
from dualres.judge.model import Model
from dualres.model.kinds import PAPER, VIEWS
from dualres.model.network import DualRes
from dualres.model.views.network import ViewsNetwork
from dualres.model_file.card import Card


def model_of(network: DualRes | ViewsNetwork, classes=None) -> Model:
    trained = isinstance(network, DualRes)
    count = network.head.out_features if trained else network.classes
    names, recipe = tuple(classes or (f"class {i}" for i in range(count))), Recipe() if trained else None
    card = Card(names, network.config, recipe, 0, POLYPHASE, {}, method=PAPER.method if trained else VIEWS.method)
    return Model((network,), card)
