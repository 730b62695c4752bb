"""The nine methods of the paper, and DualRes' controls, by name.

A method's module is imported when the method is asked for: MiniRocket's library alone takes seconds.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from dualres.config import ModelConfig, Recipe
from dualres.errors import ConfigError
from dualres.methods.dualres import CONTROLS, FURTHER_CONTROLS, DualResMethod, DualResNetwork
from dualres.methods.method import Method
from dualres.methods.network import Network
from dualres.methods.neural import NeuralMethod
from dualres.model.network import DualRes

# name: family, module and class of the network
_NETWORKS = {
    "mambasl": ("state space", "mambasl", "MambaSL"),
    "tscmamba": ("state space", "tscmamba", "TSCMamba"),
    "medformer": ("attention", "medformer", "Medformer"),
    "moderntcn": ("convolution", "moderntcn", "ModernTCN"),
    "patchtst": ("attention", "patchtst", "PatchTST"),
    "itransformer": ("attention", "itransformer", "ITransformer"),
    "crossformer": ("attention", "crossformer", "Crossformer"),
}

NAMES = ("dualres", "mambasl", "minirocket", *list(_NETWORKS)[1:])  # in the paper's order
CONTROL_NAMES = tuple(CONTROLS)  # the paper's
ALL_NAMES = (*NAMES, *CONTROL_NAMES, *FURTHER_CONTROLS)


def method(name: str, recipe: Recipe | None = None) -> Method:
    """The method of that name; `recipe` trains a neural one, by default as the paper trains on gearboxes."""
    if name.partition("/")[0] == "dualres" and name in ALL_NAMES:
        config = (CONTROLS | FURTHER_CONTROLS).get(name, ModelConfig())
        return DualResMethod(
            name,
            "state space",
            lambda classes, seed: DualResNetwork(DualRes(classes, config, seed)),
            recipe or Recipe(),
            config,
        )
    if name in _NETWORKS:
        family, module, kind = _NETWORKS[name]
        network: Callable[[int], Network] = getattr(import_module(f"dualres.methods.{module}"), kind)
        return NeuralMethod(name, family, lambda classes, seed: network(classes), recipe or Recipe())
    if name == "minirocket":
        from dualres.methods.minirocket import MiniRocket

        return MiniRocket()
    raise ConfigError(f"method {name!r} is not known; there are {', '.join(ALL_NAMES)}")
