"""A fitted method as a model, and back from a model file, whichever method it is."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from dualres.bench import methods
from dualres.bench.methods.axes import FittedAxes
from dualres.bench.methods.method import Cost, FittedMethod
from dualres.bench.methods.neural import WINDOW
from dualres.bench.methods.settings import check_settings, settings_of
from dualres.config import POLYPHASE, ModelConfig
from dualres.errors import MISFIT, ModelFileError, reason_of
from dualres.judge import model as file
from dualres.judge.model import Model
from dualres.model_file.card import APART, Card
from dualres.model_file.file import by_network, read
from dualres.model_file.integrity import arrays_in, compare_checks


def as_model(
    fitted: FittedMethod,
    classes: Sequence[str],
    exposure_s: Mapping[str, float],
    *,
    resampler: str = POLYPHASE,
    held_out: str | None = None,
    channels: Sequence[str] = (),
) -> Model:
    """A fitted method with the names of its classes and what it was shown; DualRes as any other DualRes model.

    `channels` names the axes, where the method was fitted to several.
    """
    if isinstance(fitted, FittedAxes):
        each = [as_model(one, classes, exposure_s, resampler=resampler, held_out=held_out) for one in fitted.axes]
        card = replace(each[0].card, channels=tuple(channels), axes=APART)
        if card.kind is None:
            settings = settings_of(fitted.axes[0])
            card = replace(card, constants=dict(fitted.constants), cost=asdict(fitted.cost), settings=settings)
        return Model(tuple(member for one in each for member in one.members), card)
    card = Card(tuple(classes), ModelConfig(), fitted.method.recipe, fitted.seed, resampler, dict(exposure_s), held_out)
    if network := fitted.own_network:
        return Model((network,), replace(card, config=network.config, method=network.kind))
    name, constants = fitted.method.name, dict(fitted.constants)
    own: dict[str, Any] = {"constants": constants, "cost": asdict(fitted.cost), "settings": settings_of(fitted)}
    return Model((fitted,), replace(card, method=name, **own))


def load(path: Path | str) -> Model:
    """Read a model file of any method onto the CPU; anything but an intact one is refused with the reason."""
    card, checks, blob = read(path := Path(path))
    if card.kind:
        return file.load(path)
    try:
        if card.config.window != WINDOW:
            raise ValueError(f"a window of {card.config.window} samples, and comparators take {WINDOW}")
        method, cost = methods.method(card.method, card.recipe), Cost(**(card.cost or {}))
        arrays = by_network(arrays_in(blob, path), card, path)
        fits = [
            method.restore(one, _constants(card, number), len(card.classes), seed=card.seed, cost=cost)
            for number, one in enumerate(arrays)
        ]
        check_settings(card.settings, fits[0])
    except MISFIT as error:
        raise ModelFileError(f"{path}: its tensors do not fit its card ({reason_of(error)})") from error
    model = Model(tuple(fits), card)
    file.check_calibration(model, path)
    try:
        found = file.check_scores(model)
    except MISFIT as error:
        raise ModelFileError(f"{path}: it cannot judge its check window ({reason_of(error)})") from error
    compare_checks(checks, found[0], 1, path)
    return model


def _constants(card: Card, network: int) -> Mapping[str, float]:
    """Those of one of a file's networks; of several, their names begin with its number."""
    if card.networks == 1:
        return card.constants
    begin = f"{network}."
    return {name.removeprefix(begin): value for name, value in card.constants.items() if name.startswith(begin)}
