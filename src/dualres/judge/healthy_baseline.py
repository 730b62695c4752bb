"""A baseline: how the very machine that is judged sounds when it runs well.

On another machine, or at another load, everything looks a little different to a network of views, good windows
included. A minute of it running well tells how. `with_baseline` moves what the network expects of every class half of
the way: all of it would be right if a fault added the same to a view on every machine, and none if it did not.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from dualres.errors import ConfigError
from dualres.judge.backends import Member, weights_of
from dualres.judge.model import Model
from dualres.judge.windows import model_windows
from dualres.model.kinds import MovableViews, resolved
from dualres.model.weights import NetworkWeights
from dualres.recordings.axes import in_order
from dualres.recordings.recording import Recording
from dualres.recordings.windows import covered, evenly

WEIGHT = 0.5  # of the way
WELL = ("good", "healthy", "normal", "ok", "baseline")  # names that a class of machines running well may have


@dataclass(frozen=True)
class Baseline:
    """A model that knows how a machine sounds when it runs well, and what it knows that from."""

    model: Model
    label: str  # the class of machines that run well
    recordings: int
    seconds: float  # unique


def with_baseline(model: Model, healthy: Sequence[Recording], label: str | None = None) -> Baseline:
    """The model as it should judge the machine that `healthy` recordings are of; `label` names their class."""
    label = class_of_healthy(model, label)
    _movable(model)
    if not healthy:
        raise ConfigError("a baseline needs at least one recording of the machine running well")
    signals = [in_order(recording, model.card.channels) for recording in healthy]
    # A network knows its axis as it was; one that judges all axes is shown all of them.
    shown = list(zip(*signals, strict=True)) if model.card.apart > 1 else [[one for axes in signals for one in axes]]
    found = [_moved(model, member, some, label) for member, some in zip(model.members, shown, strict=True)]
    seconds = found[0][1] / model.card.config.rate / (len(signals[0]) if model.card.apart == 1 else 1)
    # What was held out was judged without the baseline, so that it says nothing of error rates any more.
    card = replace(model.card, unlabelled_s=model.card.unlabelled_s + seconds, calibration={})
    return Baseline(Model(tuple(weights for weights, _ in found), card), label, len(healthy), seconds)


def _movable(model: Model) -> MovableViews:
    found = resolved(model.card.kind.baseline) if model.card.kind else None
    if found is None:
        raise ConfigError("a baseline needs a model of views, the default of dualres fit; this one was trained")
    return found


def _moved(model: Model, member: Member, healthy: Sequence[Recording], label: str) -> tuple[NetworkWeights, int]:
    """The network as it should judge, and how many samples of the signals, at the model's rate, tell so."""
    config, weights, movable = model.card.config, weights_of(member), _movable(model)
    sums: dict[str, npt.NDArray[np.float64]] = {}
    windows, samples = 0, 0
    for recording in healthy:
        count = 0
        for some in model_windows(model, recording):
            for name, view in movable.views(weights, some).items():
                sums[name] = view.sum(0, dtype=np.float64) + sums.get(name, np.zeros(view.shape[1]))
            count += len(some)
        windows += count
        samples += covered(evenly(0, count, config.window // 2), config.window)
    means = {name: total / windows for name, total in sums.items()}
    return movable.moved(weights, means, model.classes.index(label), WEIGHT), samples


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
