"""The card of a model: what it is, what it was shown, and what is known of how well it does."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from numbers import Integral
from pathlib import Path
from typing import Any

from dualres.config import ModelConfig, Recipe
from dualres.errors import MISFIT, ConfigError, ModelFileError, reason_of
from dualres.model.kinds import PAPER, NetworkKind, NetworkRecipe, find_kind
from dualres.model_file.card_schema import check_fields
from dualres.utils.versions import versions

OF_COMPARATORS = ("rate", "window")  # what their cards hold of `ModelConfig`
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
    method: str = PAPER.method  # that of a kind of network, or the name of a comparator
    constants: Mapping[str, float] = field(default_factory=dict)  # of a comparator: what it learned beside tensors
    cost: Mapping[str, Any] | None = None  # of a comparator: what it weighs, and what its fit took
    settings: Mapping[str, Any] = field(default_factory=dict)  # of a comparator: the sizes that its code has
    unlabelled_s: float = 0.0  # unique seconds that the model was adapted by, nobody having named a fault in them
    channels: tuple[str, ...] = ()  # names of the axes, in the order of the networks; empty where one is not recorded
    axes: str = ""  # "apart", a network for each, or "shared", one that judges every axis; "" for a single axis
    learned_from: Mapping[str, Any] = field(default_factory=dict)  # what the labelled recordings looked like
    estimates: tuple[Mapping[str, Any], ...] = ()  # of each unit that was held out; the first is `score`'s
    # Scores of all that was held out (`dualres.judge.trust`).
    calibration: Mapping[str, Any] = field(default_factory=dict)
    geometry: Mapping[str, Any] = field(default_factory=dict)  # of the bearings (`dualres.judge.geometry`)

    def __post_init__(self) -> None:
        if self.axes not in ("", APART, SHARED) or bool(self.axes) != (len(self.channels) > 1):
            raise ConfigError(
                f"a card of the channels {list(self.channels)} has axes={self.axes!r}; use {APART} or {SHARED}"
            )

    @property
    def names(self) -> tuple[str, ...]:
        """All that a verdict may be: the classes, and those that nobody labelled, known from geometry."""
        return (*self.classes, *self.unlabelled)

    @property
    def unlabelled(self) -> tuple[str, ...]:
        return tuple(self.geometry.get("unlabelled", ()))

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
        return self.recipe is not None or self.kind is not None

    @property
    def kind(self) -> NetworkKind | None:
        """The kind of its networks; None for a comparator."""
        return find_kind(self.method)

    @property
    def learned_by(self) -> str:
        return str(NetworkRecipe(self.kind, self.recipe)) if self.kind else str(self.recipe)

    def as_data(self) -> dict[str, Any]:
        """As it stands in a model file; what only ensembles or comparators have is left out of any other's."""
        config, recipe = self.config.as_data(), self.recipe.as_data() if self.recipe else None
        data = {**asdict(self), "config": config, "recipe": recipe}
        if held := self.kind.config_fields if self.kind else OF_COMPARATORS:
            data["config"] = {name: config[name] for name in held}
        absent = {"members": 1, "method": PAPER.method, "constants": {}, "cost": None, "unlabelled_s": 0.0}
        absent |= {"channels": (), "axes": "", "learned_from": {}, "estimates": (), "calibration": {}, "geometry": {}}
        absent |= {"settings": {}}
        return {name: value for name, value in data.items() if name not in absent or value != absent[name]}


def check_members(count: int, axes: int = 1) -> None:
    """An error for a number of members, or of networks for that many axes, that no model has."""
    if not isinstance(count, Integral) or isinstance(count, bool) or not 1 <= count <= MOST_MEMBERS:
        raise ConfigError(f"members={count!r} was given; a whole number from 1 to {MOST_MEMBERS} is needed")
    if count * axes > MOST_MEMBERS:
        raise ConfigError(
            f"{count} networks for each of {axes} axes are {count * axes}; a model has at most {MOST_MEMBERS}: "
            "choose fewer members or fewer axes"
        )


def card_of(fields: dict[str, Any], path: Path) -> Card:
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
