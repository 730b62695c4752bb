"""One model file: the weights of one network or several, and in the metadata a card that says what they are.

Reading a file and judging by it do not need PyTorch; a model's `networks` are PyTorch's, made when they are asked for.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from dualres.card_fields import check_fields
from dualres.config import ModelConfig, Recipe
from dualres.errors import MISFIT, ConfigError, ModelFileError, reason_of
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
APART, SHARED = "apart", "shared"  # what a model of several axes has: a network for each, or one that judges all


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
    channels: tuple[str, ...] = ()  # names of the axes, in the order of the networks; empty where one is not recorded
    axes: str = ""  # "apart", a network for each, or "shared", one that judges every axis; "" for a single axis
    learned_from: Mapping[str, Any] = field(default_factory=dict)  # what the labelled recordings looked like
    estimates: tuple[Mapping[str, Any], ...] = ()  # of each unit that was held out; the first is `score`'s
    calibration: Mapping[str, Any] = field(default_factory=dict)  # scores of all that was held out (`dualres.trust`)

    def __post_init__(self) -> None:
        if self.axes not in ("", APART, SHARED) or bool(self.axes) != (len(self.channels) > 1):
            raise ConfigError(
                f"a card of the channels {list(self.channels)} has axes={self.axes!r}; use {APART} or {SHARED}"
            )

    @property
    def seeds(self) -> tuple[int, ...]:
        """Of the members, in their order."""
        return tuple(range(self.seed, self.seed + self.members))

    @property
    def apart(self) -> int:
        """Axes that have a network of their own: 1 where all are judged by one, or where there is a single axis."""
        return len(self.channels) if self.axes == APART else 1

    @property
    def networks(self) -> int:
        """As many as the file holds: members, times axes that have their own."""
        return self.members * self.apart

    @property
    def passes(self) -> int:
        """How often a window's time is looked at for a verdict: once by every member, for every axis."""
        return self.members * max(len(self.channels), 1)

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
        absent = {"members": 1, "method": DUALRES, "constants": {}, "cost": None, "unlabelled_s": 0.0}
        absent |= {"channels": (), "axes": "", "learned_from": {}, "estimates": (), "calibration": {}}
        return {name: value for name, value in data.items() if name not in absent or value != absent[name]}


@dataclass(frozen=True)
class Model:
    """A trained network, or several whose probabilities are averaged, and its card.

    Where axes have networks of their own, all members of the first axis come first, then those of the second.
    """

    members: tuple[Member, ...]
    card: Card

    def __post_init__(self) -> None:
        if len(self.members) != self.card.networks:
            raise ConfigError(f"{len(self.members)} networks came with a card of {self.card.networks}")

    @property
    def classes(self) -> tuple[str, ...]:
        return self.card.classes

    def scores(self, windows: Windows, axis: int | None = None) -> Scores:
        """The mean of the members' scores of raw windows (n, window) at `card.config.rate`: (n, classes).

        `axis` numbers the one that the windows are of, from 0; it is needed where axes have networks of their own.
        """
        return np.asarray(np.mean([scores(member, windows) for member in self.members_of(axis)], axis=0))

    def members_of(self, axis: int | None = None) -> tuple[Member, ...]:
        """The networks that judge windows of an axis; of a model that has the same for all, all of them."""
        if self.card.apart == 1:
            return self.members
        if axis is None:
            raise ConfigError(
                f"the model has a network for each of {', '.join(self.card.channels)}; say whose windows these are"
            )
        count = self.card.members
        return self.members[axis * count : (axis + 1) * count]

    def along(self, axis: int) -> Model:
        """What judges one of several axes, numbered from 0, as a model of that axis alone."""
        return Model(self.members_of(axis), replace(self.card, channels=(), axes=""))

    @cached_property
    def networks(self) -> tuple[DualRes | ViewsNetwork, ...]:
        """The members as PyTorch networks; an error for a comparator, which has none."""
        if self.card.method not in OURS:
            raise ConfigError(f"this needs a DualRes network, and the model is of the method {self.card.method}")
        return tuple(in_torch(one) if isinstance(one, Weights | ViewsWeights) else one for one in self.members)

    @property
    def network(self) -> DualRes | ViewsNetwork:
        """The only one; an error where there are several, for one of them is not the model."""
        if self.card.networks > 1:
            fewer = "one axis" if self.card.apart > 1 else "one member"
            raise ConfigError(
                f"this needs a single network, and the model averages {self.card.networks}; fit with {fewer}"
            )
        return self.networks[0]

    def without_torch(self) -> Model:
        """The same model, its networks as a file gives them; a comparator's stays what it is."""
        if self.card.method not in OURS:
            return self
        return Model(tuple(map(weights_of, self.members)), self.card)

    @property
    def weights(self) -> Weights | ViewsWeights:
        """Those of the only network."""
        one = self.members[0]
        plain = isinstance(one, Weights | ViewsWeights) and self.card.networks == 1
        return weights_of(one if plain else self.network)


def check_members(count: int, axes: int = 1) -> None:
    """An error for a number of members, or of networks for that many axes, that no model has."""
    if not isinstance(count, Integral) or isinstance(count, bool) or not 1 <= count <= MOST_MEMBERS:
        raise ConfigError(f"members={count!r} was given; a whole number from 1 to {MOST_MEMBERS} is needed")
    if count * axes > MOST_MEMBERS:
        raise ConfigError(
            f"{count} networks for each of {axes} axes are {count * axes}; a model has at most {MOST_MEMBERS}: "
            "choose fewer members or fewer axes"
        )


def save(model: Model, path: Path | str) -> None:
    """Write the model as one file; what stood there before stays until the new file is complete."""
    write_whole(Path(path), content(model))


def content(model: Model, checks: npt.ArrayLike | None = None) -> bytes:
    """What `save` writes; with `checks`, those instead of what the model says of its check windows."""
    card = model.card.as_data()
    comparator = model.card.method not in OURS
    arrays = {
        prefix + name: array
        for prefix, member in zip(_prefixes(model.card.networks), model.members, strict=True)
        for name, array in (member.state() if comparator else weights_of(member).arrays).items()
    }
    if checks is None:
        checks = check_scores(model) if comparator else _check_logits(model, CHECK_WINDOWS)
    return seal(FORMAT, card, checks, arrays)


def check_scores(model: Model) -> Scores:
    """What a comparator says of its check window, (1, classes), or (1, networks, classes) of one for each axis."""
    window = check_windows(1, model.card.config.window)
    return _stacked([scores(member, window) for member in model.members])


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
    except MISFIT as error:
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


def _prefixes(networks: int) -> list[str]:
    """What the arrays' names begin with, for each network; a single one's have nothing before them."""
    return [""] if networks == 1 else [f"{number}." for number in range(networks)]


def _check_logits(model: Model, windows: int) -> npt.NDArray[np.float64]:
    """(windows, classes) of one network, (windows, networks, classes) of several.

    Of a network of PyTorch's by PyTorch, so that a file can tell when a fast one goes wrong.
    """
    batch = check_windows(windows, model.card.config.window)
    plain = Weights | ViewsWeights
    by_member = [scorer(m)(batch) if isinstance(m, plain) else by_torch(m, batch) for m in model.members]
    return _stacked([each.astype(np.float64) for each in by_member])


def _stacked(by_network: Sequence[npt.NDArray[np.float64]]) -> npt.NDArray[np.float64]:
    return by_network[0] if len(by_network) == 1 else np.stack(by_network, axis=1)


def _card(fields: dict[str, Any], path: Path) -> Card:
    try:
        check_fields(fields)
        channels = tuple(fields.pop("channels", ()))
        check_members(fields.get("members", 1), len(channels))
        config, recipe = dict(fields.pop("config")), fields.pop("recipe")
        for name in {"half_life_s", "frequency_hz"} & config.keys():
            config[name] = tuple(config[name])
        return Card(
            classes=tuple(fields.pop("classes")),
            remarks=tuple(fields.pop("remarks")),
            channels=channels,
            estimates=tuple(fields.pop("estimates", ())),
            config=ModelConfig(**config),
            recipe=None if recipe is None else Recipe(**recipe),
            **fields,
        )
    except MISFIT as error:
        raise ModelFileError(f"{path}: its card cannot be understood ({reason_of(error)})") from error


def _weights_of_members(blob: bytes, card: Card, path: Path) -> list[Weights | ViewsWeights]:
    arrays = arrays_in(blob, path)
    if any(array.dtype != np.float32 for array in arrays.values()):
        raise ModelFileError(f"{path}: its weights are not float32")
    return [_weights(card, of_network, path) for of_network in by_network(arrays, card, path)]


def by_network(arrays: Arrays, card: Card, path: Path) -> list[Arrays]:
    """A file's arrays, those of each network under their own names."""
    if card.networks == 1:
        return [arrays]
    found: dict[str, dict[str, npt.NDArray[Any]]] = defaultdict(dict)
    for full_name, array in arrays.items():
        number, dot, name = full_name.partition(".")
        found[number + dot][name] = array
    prefixes = _prefixes(card.networks)
    if set(found) != set(prefixes):
        each = f" for each of {card.apart} axes" if card.apart > 1 else ""
        raise ModelFileError(
            f"{path}: its card tells of {card.members} members{each}, and its weights are of others; copy it again"
        )
    return [found[prefix] for prefix in prefixes]


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
