"""A model: one network or several that judge together, and its card; read from a file and written to one.

Reading a file and judging by it do not need PyTorch; a model's `networks` are PyTorch's, made when they are asked for.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from dualres.errors import MISFIT, ConfigError, ModelFileError
from dualres.judge.backends import Member, Scores, Seen, Windows, by_torch, in_torch, scorer, scores, seen, weights_of
from dualres.model.check import check_windows
from dualres.model.kinds import NetworkKind, resolved
from dualres.model.weights import NetworkWeights
from dualres.model_file.card import Card
from dualres.model_file.file import FORMAT, by_network, prefixes, read
from dualres.model_file.integrity import Arrays, arrays_in, compare_checks, seal
from dualres.utils.arrays import Exact
from dualres.utils.files import write_whole

if TYPE_CHECKING:
    from dualres.judge.geometry import Geometry
    from dualres.judge.training_profile import TrainingProfile
    from dualres.judge.trust.calibration import Calibration
    from dualres.judge.trust.standing import Standing
    from dualres.model.torch_network import TorchNetwork

CHECK_WINDOWS = 2
CHECK_HZ = 25.0  # the speed at which a network that knows orders judges them
ComparatorLoader = Callable[[Path], "Model"]


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

    @property
    def names(self) -> tuple[str, ...]:
        """All that a verdict may be: its classes, and those that nobody labelled, known from geometry."""
        return self.card.names

    def seen(self, windows: Windows, axis: int | None = None) -> Seen:
        """What its networks see of windows whatever the speed, for `scores`; the same for all members of an axis."""
        return seen(self.members_of(axis)[0], windows)

    def scores(self, windows: Seen, axis: int | None = None, hz: Exact | None = None) -> Scores:
        """The mean of the members' scores of raw windows (n, window) at `card.config.rate`, or of what was `seen` of
        them: (n, classes).

        `axis` numbers the one that the windows are of, from 0; it is needed where axes have networks of their own.
        `hz` (n,) are the shafts' revolutions per second, for kinds that know orders; NaN where they are not known.
        """
        return np.asarray(np.mean([scores(member, windows, hz) for member in self.members_of(axis)], axis=0))

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

    def _repr_html_(self) -> str:
        from dualres.judge.notebook import model_html

        return model_html(self)

    @cached_property
    def calibration(self) -> "Calibration | None":
        """What was held out, as the card states it; None where nothing was."""
        from dualres.judge.trust.calibration import Calibration

        card = self.card
        return Calibration.parsed(card.calibration, card.classes, card.unlabelled) if card.calibration else None

    @cached_property
    def geometry(self) -> "Geometry | None":
        """Of the bearings that it judges; None of a model that knows labels alone."""
        if not self.card.geometry:  # most models: what hears it is not imported for them
            return None
        from dualres.judge.geometry import Geometry

        return Geometry.parsed(self.card.geometry, self.classes)

    @property
    def standings(self) -> Mapping[str, "Standing"]:
        """How windows are compared with classes, by axis; empty where nothing that was held out says it."""
        return self.calibration.standings if self.calibration else {}

    @cached_property
    def training_profile(self) -> "TrainingProfile | None":
        """How the labelled recordings looked; None where the card does not state it."""
        from dualres.judge.training_profile import TrainingProfile

        return TrainingProfile.parsed(self.card.learned_from) if self.card.learned_from else None

    def along(self, axis: int) -> "Model":
        """What judges one of several axes, numbered from 0, as a model of that axis alone; what was held out was judged
        by all of them, so it promises nothing."""
        return Model(self.members_of(axis), replace(self.card, channels=(), axes="", calibration={}))

    @cached_property
    def networks(self) -> "tuple[TorchNetwork, ...]":
        """The members as PyTorch networks; an error for a comparator, which has none."""
        if self.card.kind is None:
            raise ConfigError(f"this needs a DualRes network, and the model is of the method {self.card.method}")
        return tuple(in_torch(one) if isinstance(one, NetworkWeights) else one for one in self.members)

    @property
    def network(self) -> "TorchNetwork":
        """The only one; an error where there are several, for one of them is not the model."""
        if self.card.networks > 1:
            fewer = "one axis" if self.card.apart > 1 else "one member"
            raise ConfigError(
                f"this needs a single network, and the model averages {self.card.networks}; fit with {fewer}"
            )
        return self.networks[0]

    def without_torch(self) -> "Model":
        """The same model, its networks as a file gives them; a comparator's stays what it is."""
        return Model(tuple(map(weights_of, self.members)), self.card) if self.card.kind else self

    @property
    def weights(self) -> NetworkWeights:
        one = self.members[0]
        plain = isinstance(one, NetworkWeights) and self.card.networks == 1
        return weights_of(one if plain else self.network)

    @cached_property
    def fingerprint(self) -> str:
        """The same for models that judge alike: a digest of the card's facts and of all weights."""
        from hashlib import sha256

        card = self.card
        facts = [card.classes, card.method, card.channels, card.config.rate, card.config.window, card.resampler]
        facts += [card.axes, card.calibration, *([card.geometry] if card.geometry else [])]
        digest = sha256(json.dumps(facts).encode())
        for name, array in sorted(_arrays(self).items()):
            digest.update(f"{name}{array.shape}".encode() + np.ascontiguousarray(array).tobytes())
        return digest.hexdigest()[:16]


def save(model: Model, path: Path | str) -> None:
    """Write the model as one file; what stood there before stays until the new file is complete."""
    write_whole(Path(path), content(model))


def content(model: Model, checks: npt.ArrayLike | None = None) -> bytes:
    """What `save` writes; with `checks`, those instead of what the model says of its check windows."""
    if checks is None:
        checks = _check_logits(model, CHECK_WINDOWS) if model.card.kind else check_scores(model)
    return seal(FORMAT, model.card.as_data(), checks, _arrays(model))


def _arrays(model: Model) -> Arrays:
    comparator = model.card.kind is None
    return {
        prefix + name: array
        for prefix, member in zip(prefixes(model.card.networks), model.members, strict=True)
        for name, array in (member.state() if comparator else weights_of(member).arrays).items()
    }


def check_scores(model: Model) -> Scores:
    """What a comparator says of its check window, (1, classes), or (1, networks, classes) of one for each axis."""
    window = check_windows(1, model.card.config.window)
    return _stacked([scores(member, window) for member in model.members])


def load(path: Path | str) -> Model:
    """Read a model file; anything but an intact one of DualRes' is refused with the reason."""
    return _load(Path(path), None)


def load_any(path: Path | str) -> Model:
    """As `load`, and a fitted comparator as well, where `read_comparators_by` was called."""
    return _load(Path(path), _comparators[-1] if _comparators else None)


def read_comparators_by(loader: ComparatorLoader) -> None:
    """Let `load_any` read files of the methods that DualRes is compared with."""
    _comparators[:] = [loader]


_comparators: list[ComparatorLoader] = []


def _load(path: Path, comparators: ComparatorLoader | None) -> Model:
    card, checks, blob = read(path)
    if card.kind is None:
        if comparators:
            return comparators(path)
        raise ModelFileError(
            f"{path}: holds a fitted {card.method}, one of the methods that DualRes is compared with; "
            "dualres.bench.methods.load reads it"
        )
    model = Model(tuple(_weights_of_members(blob, card, card.kind, path)), card)
    check_calibration(model, path)
    try:
        found = _check_logits(model, 1)
    except MISFIT as error:
        raise ModelFileError(f"{path}: its weights do not fit its card ({error})") from error
    compare_checks(checks, found[0], CHECK_WINDOWS, path)
    return model


def check_calibration(model: Model, path: Path) -> None:
    """An error for a card whose calibration or geometry is broken, before anybody judges, exports or watches by it."""
    from dualres.judge.trust.novelty import check_standings

    try:
        check_standings(model)
        _ = model.geometry
    except ModelFileError as error:
        raise ModelFileError(f"{path}: {error}") from error


def _check_logits(model: Model, windows: int) -> npt.NDArray[np.float64]:
    """(windows, [networks,] classes), of PyTorch's networks by PyTorch: a file can tell when a fast one goes wrong."""
    batch = check_windows(windows, model.card.config.window)
    hz = np.full(windows, CHECK_HZ) if model.card.kind and model.card.kind.knows_orders else None
    by_member = [
        scorer(m)(batch, hz) if isinstance(m, NetworkWeights) else by_torch(m, batch, hz) for m in model.members
    ]
    return _stacked([each.astype(np.float64) for each in by_member])


def _stacked(by_network: Sequence[npt.NDArray[np.float64]]) -> npt.NDArray[np.float64]:
    return by_network[0] if len(by_network) == 1 else np.stack(by_network, axis=1)


def _weights_of_members(blob: bytes, card: Card, kind: NetworkKind, path: Path) -> list[NetworkWeights]:
    arrays = arrays_in(blob, path)
    if any(array.dtype != np.float32 for array in arrays.values()):
        raise ModelFileError(f"{path}: its weights are not float32")
    wanted, make = resolved(kind.shapes)(card.config, len(card.classes)), resolved(kind.weights)
    each = by_network(arrays, card, path)
    for of_network in each:
        found = {name: array.shape for name, array in of_network.items()}
        if found != wanted:
            first = min(name for name in found.keys() | wanted.keys() if found.get(name) != wanted.get(name))
            off = f"{first}: {found.get(first)} instead of {wanted.get(first)}"
            raise ModelFileError(f"{path}: its weights do not fit its card ({off})")
    return [make(card.config, of_network) for of_network in each]
