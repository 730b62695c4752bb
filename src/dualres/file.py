"""One model file: the weights of one network or several, and in the metadata a card that says what they are.

Reading a file and judging by it do not need PyTorch; a model's `networks` are PyTorch's, made when they are asked for.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from dualres.config import ModelConfig, Recipe
from dualres.errors import ConfigError, ModelFileError
from dualres.kernel.pack import Weights, shapes
from dualres.kernel.views_weights import ViewsWeights, views_shapes
from dualres.machinery.files import write_whole
from dualres.machinery.versions import versions
from dualres.model.check import check_windows
from dualres.scorers import Member, Scores, Windows, by_torch, in_torch, scorer, scores, weights_of
from dualres.seal import Arrays, arrays_in, compare_checks, seal, unseal

if TYPE_CHECKING:
    from dualres.model.network import DualRes
    from dualres.model.views.network import ViewsNetwork

FORMAT = "dualres-model/1"
BEFORE = "dualres-method/1"  # what the benchmark wrote until it wrote model files, too
DUALRES = "dualres"  # the method of a card that names none
VIEWS = "dualres/views"
OURS = (DUALRES, VIEWS)  # the others are comparators
FRAMES = ("rate", "window", "hop", "short", "long")  # what views share with the paper's network
CHECK_WINDOWS = 2
MOST_MEMBERS = 64  # a file of the paper's sizes then takes ten megabytes


@dataclass(frozen=True)
class Card:
    """What a model is, what it was shown, and what is known of how well it does."""

    classes: tuple[str, ...]
    config: ModelConfig  # of a comparator, rate and window alone mean anything
    recipe: Recipe | None  # None for a method that is not trained by updates
    seed: int  # of the first member; the next ones have the next seeds
    resampler: str
    exposure_s: Mapping[str, float]  # unique labelled seconds per class
    held_out: str | None = None  # the unit that the score's recordings do not share with the support
    score: Mapping[str, float] | None = None
    remarks: tuple[str, ...] = ()  # what weakens the score
    versions: Mapping[str, str] = field(default_factory=versions)
    members: int = 1  # networks whose probabilities are averaged
    method: str = DUALRES  # "dualres/views", or the name of a comparator
    constants: Mapping[str, float] = field(default_factory=dict)  # of a comparator: what it learned beside tensors
    cost: Mapping[str, Any] | None = None  # of a comparator: what it weighs, and what its fit took
    unlabelled_s: float = 0.0  # unique seconds that the model was adapted by, nobody having named a fault in them
    estimates: tuple[Mapping[str, Any], ...] = ()  # of each unit that was held out; the first is `score`'s

    @property
    def seeds(self) -> tuple[int, ...]:
        """Of the members, in their order."""
        return tuple(range(self.seed, self.seed + self.members))

    @property
    def probabilistic(self) -> bool:
        """Whether the model's scores are probabilities; MiniRocket's are decision values."""
        return self.recipe is not None or self.method == VIEWS

    def as_data(self) -> dict[str, Any]:
        """As it stands in a model file; what only ensembles or comparators have is left out of any other's."""
        config, recipe = self.config.as_data(), self.recipe.as_data() if self.recipe else None
        data = {**asdict(self), "config": config, "recipe": recipe}
        if self.method != DUALRES:
            data["config"] = {name: config[name] for name in (FRAMES if self.method == VIEWS else FRAMES[:2])}
        absent = {"members": 1, "method": DUALRES, "constants": {}, "cost": None, "unlabelled_s": 0.0, "estimates": ()}
        return {name: value for name, value in data.items() if name not in absent or value != absent[name]}


@dataclass(frozen=True)
class Model:
    """A trained network, or several whose probabilities are averaged, and its card."""

    members: tuple[Member, ...]
    card: Card

    def __post_init__(self) -> None:
        if len(self.members) != self.card.members:
            raise ConfigError(f"{len(self.members)} networks came with a card of {self.card.members} members")

    @property
    def classes(self) -> tuple[str, ...]:
        return self.card.classes

    def scores(self, windows: Windows) -> Scores:
        """The mean of the members' scores of raw windows (n, window) at `card.config.rate`: (n, classes)."""
        return np.asarray(np.mean([scores(member, windows) for member in self.members], axis=0))

    @cached_property
    def networks(self) -> tuple[DualRes | ViewsNetwork, ...]:
        """The members as PyTorch networks; an error for a comparator, which has none."""
        if self.card.method not in OURS:
            raise ConfigError(f"this needs a DualRes network, and the model is of the method {self.card.method}")
        return tuple(in_torch(one) if isinstance(one, Weights | ViewsWeights) else one for one in self.members)

    @property
    def network(self) -> DualRes | ViewsNetwork:
        """The only one; an error where there are several, for one of them is not the model."""
        if self.card.members > 1:
            raise ConfigError(
                f"this needs a single network, and the model averages {self.card.members}; fit with one member"
            )
        return self.networks[0]

    @property
    def weights(self) -> Weights | ViewsWeights:
        """Those of the only network."""
        one = self.members[0]
        plain = isinstance(one, Weights | ViewsWeights) and self.card.members == 1
        return weights_of(one if plain else self.network)


def check_members(count: int) -> None:
    """An error for a number of members that no model has."""
    if not isinstance(count, Integral) or not 1 <= count <= MOST_MEMBERS:
        raise ConfigError(f"members={count!r} was given; a whole number from 1 to {MOST_MEMBERS} is needed")


def save(model: Model, path: Path | str) -> None:
    """Write the model as one file; what stood there before stays until the new file is complete."""
    write_whole(Path(path), content(model))


def content(model: Model, checks: npt.ArrayLike | None = None) -> bytes:
    """What `save` writes; with `checks`, those instead of what the model says of its check windows."""
    card = model.card.as_data()
    if model.card.method not in OURS:
        (comparator,) = model.members
        said = model.scores(check_windows(1, model.card.config.window)) if checks is None else checks
        return seal(FORMAT, card, said, comparator.state())
    arrays = {
        prefix + name: array
        for prefix, member in zip(_prefixes(model.card.members), model.members, strict=True)
        for name, array in weights_of(member).arrays.items()
    }
    return seal(FORMAT, card, _check_logits(model, CHECK_WINDOWS) if checks is None else checks, arrays)


def load(path: Path | str) -> Model:
    """Read a model file; anything but an intact one of DualRes' is refused with the reason."""
    path = Path(path)
    card, checks, blob = read(path)
    if card.method not in OURS:
        raise ModelFileError(
            f"{path}: holds a fitted {card.method}, one of the methods that DualRes is compared with; "
            "dualres.methods.load reads it"
        )
    model = Model(tuple(_weights_of_members(blob, card, path)), card)
    try:
        found = _check_logits(model, 1)
    except (RuntimeError, ConfigError) as error:
        raise ModelFileError(f"{path}: its weights do not fit its card ({error})") from error
    compare_checks(checks, found[0], CHECK_WINDOWS, path)
    return model


def read(path: Path) -> tuple[Card, npt.NDArray[np.float64], bytes]:
    """The card of an intact model file of any method, the values of its check windows, and the whole content."""
    kind, fields, checks, blob = unseal(path)
    if kind == BEFORE:
        raise ModelFileError(
            f"{path}: holds {kind!r}, written by an earlier benchmark, which did not store the names of its classes; "
            "run its job again, or read it with dualres.methods.load"
        )
    if kind != FORMAT:
        raise ModelFileError(f"{path}: holds {kind!r}; {FORMAT!r} is what can be read here")
    return _card(fields, path), checks, blob


def _prefixes(members: int) -> list[str]:
    """What the arrays' names begin with, for each member; a single network's have nothing before them."""
    return [""] if members == 1 else [f"{member}." for member in range(members)]


def _check_logits(model: Model, windows: int) -> npt.NDArray[np.float64]:
    """(windows, classes) of one network, (windows, members, classes) of several.

    Of a network of PyTorch's by the readable way, so that a file can tell when a fast one goes wrong.
    """
    batch = check_windows(windows, model.card.config.window)
    plain = Weights | ViewsWeights
    by_member = [scorer(m)(batch) if isinstance(m, plain) else by_torch(m, batch) for m in model.members]
    logits = [each.astype(np.float64) for each in by_member]
    return logits[0] if len(logits) == 1 else np.stack(logits, axis=1)


def _card(fields: dict[str, Any], path: Path) -> Card:
    try:
        classes = fields["classes"]
        if not all(isinstance(c, str) for c in classes) or len(set(classes)) != len(classes):
            raise ValueError("its classes are not distinct names")
        if not isinstance(fields["seed"], int):
            raise ValueError("its seed is no whole number")
        check_members(fields.get("members", 1))
        if not all(isinstance(one, dict) for one in fields.get("estimates", ())):
            raise ValueError("its estimates are no objects")
        config, recipe = dict(fields.pop("config")), fields.pop("recipe")
        for name in {"half_life_s", "frequency_hz"} & config.keys():
            config[name] = tuple(config[name])
        return Card(
            classes=tuple(fields.pop("classes")),
            remarks=tuple(fields.pop("remarks")),
            estimates=tuple(fields.pop("estimates", ())),
            config=ModelConfig(**config),
            recipe=None if recipe is None else Recipe(**recipe),
            **fields,
        )
    except (KeyError, TypeError, ValueError) as error:
        raise ModelFileError(f"{path}: its card cannot be understood ({error})") from error


def _weights_of_members(blob: bytes, card: Card, path: Path) -> list[Weights | ViewsWeights]:
    arrays = arrays_in(blob, path)
    if any(array.dtype != np.float32 for array in arrays.values()):
        raise ModelFileError(f"{path}: its weights are not float32")
    if card.members == 1:
        return [_weights(card, arrays, path)]
    found: dict[str, dict[str, npt.NDArray[Any]]] = defaultdict(dict)
    for full_name, array in arrays.items():
        member, dot, name = full_name.partition(".")
        found[member + dot][name] = array
    prefixes = _prefixes(card.members)
    if set(found) != set(prefixes):
        raise ModelFileError(
            f"{path}: its card tells of {card.members} members, and its weights are of others; copy it again"
        )
    return [_weights(card, found[prefix], path) for prefix in prefixes]


def _weights(card: Card, arrays: Arrays, path: Path) -> Weights | ViewsWeights:
    """The arrays of one network, whose names and shapes are those that the card asks for."""
    wanted = (views_shapes if card.method == VIEWS else shapes)(card.config, len(card.classes))
    found = {name: array.shape for name, array in arrays.items()}
    if found != wanted:
        first = min(name for name in found.keys() | wanted.keys() if found.get(name) != wanted.get(name))
        raise ModelFileError(
            f"{path}: its weights do not fit its card ({first}: {found.get(first)} instead of {wanted.get(first)})"
        )
    return (ViewsWeights if card.method == VIEWS else Weights)(card.config, arrays)
