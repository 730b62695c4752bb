"""The speed of the shaft that a device finds, the readable way: what search.h does, by `dualres.judge.speed_search`.

A device knows a stated speed, and of each window what its envelope has at the orders of several speeds around it. It
looks for no lines of the shaft itself. One factor holds for all of its windows.
"""

from collections.abc import Sequence

import numpy as np

from dualres.errors import ConfigError
from dualres.export.device_network import axes_in
from dualres.judge.backends import Seen, joined
from dualres.judge.model import Model
from dualres.judge.speed_search import SpeedSearch, near
from dualres.judge.turning import labelled_speeds, misfit_of, turned_windows
from dualres.recordings.recording import Recording
from dualres.recordings.speed import Speed
from dualres.utils.arrays import Exact

MOST_TRIES = 101
ROUNDING = 1e-3  # nats of misfit by which a device may be off


def device_search(tries: int) -> SpeedSearch:
    """The speeds that a device tries, by their factors of the told one."""
    search = near(Speed((1.0,)), tries)
    assert search
    return search


def refuse_search(model: Model, tries: int) -> None:
    """An error for a search that no device can make."""
    if not tries:
        return
    if labelled_speeds(model) is None:
        raise ConfigError(
            f"--search {tries}: the model has not learned from speeds of the shaft, so there is none to search for"
        )
    if tries % 2 == 0 or not 3 <= tries <= MOST_TRIES:
        raise ConfigError(
            f"--search {tries}: give an odd number of speeds from 3 to {MOST_TRIES}, of which the middle one is as told"
        )


def factors_found(model: Model, recording: Recording, hz: float, tries: int) -> list[float]:
    """Of a speed that is told, the factor that a device finds for a recording; all of them where rounding decides."""
    if not tries:
        return [1.0]
    moments = list(turned_windows(model, recording))
    seen = [joined([one.axes[axis].seen for one in moments]) for axis in range(axes_in(model))]
    return factors_fitting(model, seen, np.full(sum(map(len, moments)), hz), tries)


def factors_fitting(model: Model, seen: Sequence[Seen], hz: Exact, tries: int) -> list[float]:
    """The same by what was `seen` of windows along every axis, of shafts that are told to turn at `hz` (n,)."""
    search = device_search(tries)
    each = search.factors[:, None] * hz
    misfit = np.mean([misfit_of(model, axis, one, each) for axis, one in enumerate(seen)], axis=0)
    silent, better = np.zeros(tries), 2 * ROUNDING * np.eye(tries)  # the latter is what rounding may make of each
    return sorted({search.decided(misfit - one, silent).factor for one in better})
