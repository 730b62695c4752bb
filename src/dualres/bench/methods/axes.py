"""A method on recordings of several axes: fitted to each of them, as DualRes is, so that scores can be averaged."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from dualres.bench.methods.method import Cost, FittedMethod, Method
from dualres.errors import ConfigError
from dualres.judge.backends import Scores, Windows
from dualres.learn.support import Support
from dualres.learn.trained.task import Task, in_turn
from dualres.model_file.integrity import Arrays
from dualres.utils.progress import Progress, quiet


def fit_axes(
    method: Method,
    support: Support,
    classes: int,
    *,
    seed: int = 41,
    device: str = "cpu",
    native_rate: float | None = None,
    progress: Progress = quiet,
) -> FittedMethod:
    """`Method.fit` on the windows of each axis; of a single axis it is that fit."""
    tasks = [
        Task(windows, support.labels, classes, seed, device, progress, hz=support.hz, native_rate=native_rate)
        for windows in support.axes
    ]
    return joined([method.learn(task) for task in in_turn(tasks)])


def joined(fits: Sequence[FittedMethod]) -> FittedMethod:
    """One fit as it is; several, of one axis each, as a fit of all."""
    first = fits[0]
    if len(fits) == 1:
        return first
    costs = [one.cost for one in fits]
    cost = Cost(
        sum(one.registered for one in costs),
        sum(one.active for one in costs),
        sum(one.state_bytes for one in costs),
        sum(one.fit_s for one in costs),
        max((one.peak_bytes for one in costs if one.peak_bytes is not None), default=None),
    )
    history = [step for one in fits for step in one.history]
    constants = {f"{i}.{name}": value for i, one in enumerate(fits) for name, value in one.constants.items()}
    return FittedAxes(first.method, first.classes, first.seed, cost, history, constants, tuple(fits))


@dataclass(frozen=True)
class FittedAxes(FittedMethod):
    """A fit for each axis."""

    axes: tuple[FittedMethod, ...]

    @property
    def trained(self) -> Collection[str]:
        return {f"{i}.{name}" for i, one in enumerate(self.axes) for name in one.trained}

    def state(self) -> Arrays:
        return {f"{i}.{name}": array for i, one in enumerate(self.axes) for name, array in one.state().items()}

    def scores(self, windows: Windows) -> Scores:
        raise ConfigError(f"{self.method.name} was fitted to {len(self.axes)} axes; ask the fit of one of them")
