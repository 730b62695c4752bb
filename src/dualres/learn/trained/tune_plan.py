"""What a recipe is chosen by, the choice with its forecast, and what is kept of one that was stopped."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from dualres.config import ModelConfig
from dualres.learn.holdout import HoldOutError, Rounds, plan_rounds, refuse_leaks
from dualres.learn.support import Support, spread_support
from dualres.learn.trained import tune
from dualres.learn.trained.tune import NEVER, Choice, Fit, WindowGroups
from dualres.model.kinds import NetworkRecipe
from dualres.recordings.labels.spelling import refuse_contradictions
from dualres.recordings.recording import Recording
from dualres.utils.files import write_whole
from dualres.utils.progress import Progress, quiet
from dualres.utils.special_files import unusual


@dataclass(frozen=True)
class GroupedSupport:
    """A support, and which of its windows are held out together."""

    support: Support
    groups: WindowGroups
    classes: tuple[str, ...]
    held_out: str | None  # the unit, None where nothing can be held out
    remarks: tuple[str, ...] = ()  # what weakens the comparison


def divide(
    recordings: Sequence[Recording],
    classes: tuple[str, ...],
    *,
    windows_each: int,
    resampler: str,
    strict: bool = False,
    progress: Progress = quiet,
) -> GroupedSupport:
    """Recordings held out as their estimate would, where any can be; `strict` refuses those that would leak."""
    refuse_contradictions(recordings)
    rounds: Rounds | None
    try:
        rounds = plan_rounds(recordings)
    except HoldOutError:
        rounds = None
    if strict and rounds:
        refuse_leaks(recordings, rounds, progress)
    labels = [str(r.label) for r in recordings]
    support = spread_support(recordings, labels, classes, ModelConfig(), windows_each=windows_each, resampler=resampler)
    group = {name: number for number, names in enumerate(rounds.held_out if rounds else ()) for name in names}
    groups = np.array([group.get(name, NEVER) for name, _ in support.origins])
    if rounds is None:
        return GroupedSupport(support, groups, classes, None)
    return GroupedSupport(support, groups, classes, rounds.unit, rounds.remarks)


@dataclass(frozen=True)
class Forecast:
    """How much is to be done."""

    fits: int
    known: int  # of fits that an earlier run has finished
    seconds: float  # for those that are left


def choose_recipe(
    divided: GroupedSupport,
    *,
    seeds: Sequence[int],
    device: str = "cpu",
    kept: FitCache | None = None,
    announce: Callable[[Forecast], None] | None = None,
    progress: Progress = quiet,
) -> Choice:
    """Compare the recipes of the grid. `announce` is told, before the first fit, how long all of them will take."""
    grid, known = tune.GRID, kept.scores if kept else {}
    fits = tune.plan(divided.support.labels, divided.groups, grid, seeds)
    left = [fit for fit in fits if fit not in known]
    if left and announce:
        axes = len(divided.support.axes)
        seconds = tune.expected_tuning_s(left, divided.groups, grid, axes=axes, device=device, progress=progress)
        announce(Forecast(len(left), len(fits) - len(left), seconds))
    return tune.tune(
        divided.support,
        divided.groups,
        len(divided.classes),
        grid,
        seeds=seeds,
        device=device,
        known=known,
        progress=progress,
        finished=kept.add if kept else None,
    )


class FitCache:
    """Scores of finished fits, beside the file that the choice will be written to, as long as it is not made."""

    def __init__(self, out: Path, about: str) -> None:
        """`about` tells what the scores depend on; those that were kept under another are forgotten."""
        self.path = out.with_name(f"{out.name}.part")
        self._about = about
        self.scores = self._read()

    def add(self, fit: Fit, score: float) -> None:
        self.scores[fit] = score
        content = {"about": self._about, "scores": [[*fit, score] for fit, score in self.scores.items()]}
        write_whole(self.path, json.dumps(content).encode())

    def drop(self) -> None:
        self.path.unlink(missing_ok=True)

    def _read(self) -> dict[Fit, float]:
        try:
            if unusual(self.path):
                return {}
            content = json.loads(self.path.read_text())
            if content["about"] != self._about:
                return {}
            return {Fit(str(name), int(group), int(seed)): float(f1) for name, group, seed, f1 in content["scores"]}
        except (OSError, ValueError, KeyError, TypeError):
            return {}


def fingerprint(
    divided: GroupedSupport, grid: Mapping[str, NetworkRecipe], device: str, versions: Mapping[str, str]
) -> str:
    """SHA-256 of all that a fit's score depends on but its seed; `versions` tells the code that computes it."""
    support = divided.support
    facts = [
        support.origins,
        {k: v.recipe and asdict(v.recipe) for k, v in grid.items()},
        divided.classes,
        device,
        dict(versions),
    ]
    digest = sha256(json.dumps(facts).encode())
    arrays: list[npt.NDArray[Any]] = [*support.axes, support.labels, divided.groups]
    for array in arrays:
        digest.update(array.tobytes())
    return digest.hexdigest()
