"""A baseline: how the very machine that is judged sounds when it runs well.

On another machine, or at another load, everything looks a little different to a network, good windows
included. A minute of it running well tells how. `with_baseline` moves what the network expects of every class half of
the way: all of it would be right if a fault added the same to a view on every machine, and none if it did not.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from dualres.errors import ConfigError
from dualres.faultlines.fault_names import WELL
from dualres.judge.backends import Member, weights_of
from dualres.judge.model import Model
from dualres.judge.turning import WindowBlock, turned_windows, unsearched_speeds
from dualres.model.kinds import MovableViews, resolved
from dualres.model.weights import NetworkWeights
from dualres.recordings.recording import Recording
from dualres.recordings.windows import covered, evenly
from dualres.utils.arrays import Exact

WEIGHT = 0.5  # of the way


@dataclass(frozen=True)
class Baseline:
    """A model that knows how a machine sounds when it runs well, and what it knows that from."""

    model: Model
    label: str  # the class of machines that run well
    recordings: int
    seconds: float  # unique


def with_baseline(model: Model, healthy: Sequence[Recording], label: str | None = None) -> Baseline:
    """The model as it should judge the machine that `healthy` recordings are of; `label` names their class."""
    label, movable = class_of_healthy(model, label), _movable(model)
    if not healthy:
        raise ConfigError("a baseline needs at least one recording of the machine running well")
    heard = [_Heard(member, movable) for member in model.members]
    seconds = sum(_listen(model, recording, heard) for recording in healthy)
    networks = tuple(one.moved(model.classes.index(label)) for one in heard)
    # What was held out was judged without the baseline, so that it says nothing of error rates any more.
    card = replace(model.card, unlabelled_s=model.card.unlabelled_s + seconds, calibration={})
    return Baseline(Model(networks, card), label, len(healthy), seconds)


@dataclass
class _Heard:
    """What a network saw of a machine that runs well."""

    member: Member
    movable: MovableViews
    sums: dict[str, Exact] = field(default_factory=dict)  # of views, by the head that takes them, (features,)
    windows: dict[str, int] = field(default_factory=dict)  # behind each

    def __call__(self, block: WindowBlock) -> None:
        for name, view in self.movable.views(weights_of(self.member), block.seen, block.hz).items():
            self.sums[name] = view.sum(0, dtype=np.float64) + self.sums.get(name, np.zeros(view.shape[1]))
            self.windows[name] = len(view) + self.windows.get(name, 0)

    def moved(self, number: int) -> NetworkWeights:
        """The network as it should judge."""
        means = {name: total / self.windows[name] for name, total in self.sums.items()}
        return self.movable.moved(weights_of(self.member), means, number, WEIGHT)


def _listen(model: Model, recording: Recording, heard: Sequence[_Heard]) -> float:
    """Show a recording to the networks, at the speeds at which it would be judged: its unique seconds that they saw."""
    config, count = model.card.config, 0
    for moments in turned_windows(model, recording, speeds=unsearched_speeds(model, recording)):
        for block in moments.axes:
            # A network knows its axis as it was; one that judges all axes is shown all of them.
            heard[block.axis if model.card.apart > 1 else 0](block)
        count += len(moments)
    return covered(evenly(0, count, config.window // 2), config.window) / config.rate


def _movable(model: Model) -> MovableViews:
    found = resolved(model.card.kind.baseline) if model.card.kind else None
    if found is None:
        raise ConfigError(
            "a baseline needs a model of orders, the default of dualres fit, or of views; this one was trained"
        )
    return found


def class_of_healthy(model: Model, label: str | None) -> str:
    """The class of machines running well: the one that is named, or the only one that has a usual name."""
    if label is None:
        named = [name for name in model.classes if name.lower() in WELL]
        if len(named) == 1:
            return named[0]
    elif label in model.classes:
        return label
    what = "which class is that of a machine running well is not clear" if label is None else f"no class is {label!r}"
    raise ConfigError(f"{what}; name it by --healthy-class, one of {', '.join(model.classes)}")
