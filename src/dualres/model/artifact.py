"""One model file: the weights and, in the metadata, a card that says what they are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from dualres.config import ModelConfig, Recipe
from dualres.errors import ConfigError, ModelFileError
from dualres.files import write_whole
from dualres.model.check import check_window
from dualres.model.network import DualRes
from dualres.sealed import compare_checks, seal, tensors, unseal, versions

FORMAT = "dualres-model/1"
CHECK_WINDOWS = 2


@dataclass(frozen=True)
class Card:
    """What a model is, what it was shown, and what is known of how well it does."""

    classes: tuple[str, ...]
    config: ModelConfig
    recipe: Recipe
    seed: int
    resampler: str
    exposure_s: Mapping[str, float]  # unique labelled seconds per class
    held_out: str | None = None  # the unit that the score's recordings do not share with the support
    score: Mapping[str, float] | None = None
    remarks: tuple[str, ...] = ()  # what weakens the score
    versions: Mapping[str, str] = field(default_factory=versions)

    def as_data(self) -> dict[str, Any]:
        """As it stands in a model file."""
        return {**asdict(self), "config": self.config.as_data(), "recipe": self.recipe.as_data()}


@dataclass(frozen=True)
class Model:
    """A trained network and its card."""

    network: DualRes
    card: Card

    @property
    def classes(self) -> tuple[str, ...]:
        return self.card.classes


def save(model: Model, path: Path | str) -> None:
    """Write the model as one file; what stood there before stays until the new file is complete."""
    weights = {name: t.detach().cpu().contiguous() for name, t in model.network.state_dict().items()}
    checks = _check_logits(model.network, CHECK_WINDOWS)
    write_whole(Path(path), seal(FORMAT, model.card.as_data(), checks, weights))


def load(path: Path | str) -> Model:
    """Read a model file; anything but an intact one is refused with the reason."""
    path = Path(path)
    fields, checks, blob = unseal(path, FORMAT)
    card = _card(fields, path)
    network = _network(blob, card, path)
    compare_checks(checks, _check_logits(network, 1)[0], CHECK_WINDOWS, path)
    return Model(network, card)


@torch.inference_mode()
def _check_logits(network: DualRes, windows: int) -> npt.NDArray[np.float64]:
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


def _network(blob: bytes, card: Card, path: Path) -> DualRes:
    weights = tensors(blob, path)
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
