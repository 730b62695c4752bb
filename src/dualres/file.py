"""One model file: the weights of one network or several, and in the metadata a card that says what they are."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from numbers import Integral
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from dualres.config import ModelConfig, Recipe
from dualres.errors import ConfigError, ModelFileError
from dualres.machinery.files import write_whole
from dualres.model.check import check_window
from dualres.model.network import DualRes
from dualres.seal import compare_checks, seal, tensors, unseal, versions

FORMAT = "dualres-model/1"
CHECK_WINDOWS = 2
MOST_MEMBERS = 64  # a file of the paper's sizes then takes ten megabytes


@dataclass(frozen=True)
class Card:
    """What a model is, what it was shown, and what is known of how well it does."""

    classes: tuple[str, ...]
    config: ModelConfig
    recipe: Recipe
    seed: int  # of the first member; the next ones have the next seeds
    resampler: str
    exposure_s: Mapping[str, float]  # unique labelled seconds per class
    held_out: str | None = None  # the unit that the score's recordings do not share with the support
    score: Mapping[str, float] | None = None
    remarks: tuple[str, ...] = ()  # what weakens the score
    versions: Mapping[str, str] = field(default_factory=versions)
    members: int = 1  # networks whose probabilities are averaged

    @property
    def seeds(self) -> tuple[int, ...]:
        """Of the members, in their order."""
        return tuple(range(self.seed, self.seed + self.members))

    def as_data(self) -> dict[str, Any]:
        """As it stands in a model file; a single network is not counted."""
        data = {**asdict(self), "config": self.config.as_data(), "recipe": self.recipe.as_data()}
        if self.members == 1:
            del data["members"]
        return data


@dataclass(frozen=True)
class Model:
    """A trained network, or several whose probabilities are averaged, and its card."""

    networks: tuple[DualRes, ...]
    card: Card

    def __post_init__(self) -> None:
        if len(self.networks) != self.card.members:
            raise ConfigError(f"{len(self.networks)} networks came with a card of {self.card.members} members")

    @property
    def network(self) -> DualRes:
        """The only one; an error where there are several, for one of them is not the model."""
        if len(self.networks) > 1:
            raise ConfigError(
                f"this needs a single network, and the model averages {len(self.networks)}; fit with one member"
            )
        return self.networks[0]

    @property
    def classes(self) -> tuple[str, ...]:
        return self.card.classes


def check_members(count: int) -> None:
    """An error for a number of members that no model has."""
    if not isinstance(count, Integral) or not 1 <= count <= MOST_MEMBERS:
        raise ConfigError(f"members={count!r} was given; a whole number from 1 to {MOST_MEMBERS} is needed")


def save(model: Model, path: Path | str) -> None:
    """Write the model as one file; what stood there before stays until the new file is complete."""
    weights = {
        prefix + name: tensor.detach().cpu().contiguous()
        for prefix, network in zip(_prefixes(model.card.members), model.networks, strict=True)
        for name, tensor in network.state_dict().items()
    }
    checks = _check_logits(model.networks, CHECK_WINDOWS)
    write_whole(Path(path), seal(FORMAT, model.card.as_data(), checks, weights))


def load(path: Path | str) -> Model:
    """Read a model file; anything but an intact one is refused with the reason."""
    path = Path(path)
    fields, checks, blob = unseal(path, FORMAT)
    card = _card(fields, path)
    networks = tuple(_network(weights, card, path) for weights in _weights_of_members(blob, card.members, path))
    compare_checks(checks, _check_logits(networks, 1)[0], CHECK_WINDOWS, path)
    return Model(networks, card)


def _prefixes(members: int) -> list[str]:
    """What the tensors' names begin with, for each member; a single network's have nothing before them."""
    return [""] if members == 1 else [f"{member}." for member in range(members)]


def _check_logits(networks: Sequence[DualRes], windows: int) -> npt.NDArray[np.float64]:
    """(windows, classes) of one network, (windows, members, classes) of several."""
    logits = [_logits(network, windows) for network in networks]
    return logits[0] if len(logits) == 1 else np.stack(logits, axis=1)


@torch.inference_mode()
def _logits(network: DualRes, windows: int) -> npt.NDArray[np.float64]:
    was_training = network.training
    network.eval()
    batch = np.stack([check_window(i, network.config.window) for i in range(windows)])
    logits = network(torch.from_numpy(batch).to(network.head.weight.device))
    network.train(was_training)
    return np.asarray(logits.cpu(), dtype=np.float64)


def _card(fields: dict[str, Any], path: Path) -> Card:
    try:
        classes = fields["classes"]
        if not all(isinstance(c, str) for c in classes) or len(set(classes)) != len(classes):
            raise ValueError("its classes are not distinct names")
        if not isinstance(fields["seed"], int):
            raise ValueError("its seed is no whole number")
        check_members(fields.get("members", 1))
        config = dict(fields.pop("config"))
        for name in ("half_life_s", "frequency_hz"):
            config[name] = tuple(config[name])
        return Card(
            classes=tuple(fields.pop("classes")),
            remarks=tuple(fields.pop("remarks")),
            config=ModelConfig(**config),
            recipe=Recipe(**fields.pop("recipe")),
            **fields,
        )
    except (KeyError, TypeError, ValueError) as error:
        raise ModelFileError(f"{path}: its card cannot be understood ({error})") from error


def _weights_of_members(blob: bytes, members: int, path: Path) -> list[dict[str, Tensor]]:
    weights = tensors(blob, path)
    if members == 1:
        return [weights]
    found: dict[str, dict[str, Tensor]] = defaultdict(dict)
    for full_name, tensor in weights.items():
        member, dot, name = full_name.partition(".")
        found[member + dot][name] = tensor
    prefixes = _prefixes(members)
    if set(found) != set(prefixes):
        raise ModelFileError(
            f"{path}: its card tells of {members} members, and its weights are of others; copy it again"
        )
    return [found[prefix] for prefix in prefixes]


def _network(weights: Mapping[str, Tensor], card: Card, path: Path) -> DualRes:
    if any(t.dtype != torch.float32 for t in weights.values()):
        raise ModelFileError(f"{path}: its weights are not float32")
    try:
        # On the meta device the network costs nothing until its shapes have been compared.
        with torch.device("meta"):
            network = DualRes(len(card.classes), card.config)
        network.load_state_dict(weights, assign=True)
    except (RuntimeError, ConfigError) as error:
        raise ModelFileError(f"{path}: its weights do not fit its card ({error})") from error
    return network.eval()
