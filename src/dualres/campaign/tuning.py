"""What a recipe can be chosen by, from a user's folder or a fold, and what is kept of a choice that was stopped."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from pathlib import Path

import numpy as np

from dualres.campaign.protocol import gather_support, learned_from
from dualres.campaign.sources import Source
from dualres.config import POLYPHASE, ModelConfig, Recipe
from dualres.datasets.budget import Budget
from dualres.datasets.folds import load_fold
from dualres.learn.estimate import Rounds
from dualres.learn.support import Support, spread_support
from dualres.learn.tune import NEVER, Fit, Groups
from dualres.machinery.files import write_whole
from dualres.machinery.versions import all_versions
from dualres.recordings.recording import Recording


@dataclass(frozen=True)
class Divided:
    """A support, and which of its windows are held out together."""

    support: Support
    groups: Groups
    classes: tuple[str, ...]
    held_out: str | None  # the unit, None where nothing can be held out
    remarks: tuple[str, ...] = ()  # what weakens the comparison


def of_recordings(
    recordings: Sequence[Recording], rounds: Rounds | None, classes: tuple[str, ...], windows_each: int, resampler: str
) -> Divided:
    """Recordings held out as their estimate would; `rounds` is None where nothing can be."""
    labels = [str(r.label) for r in recordings]
    support = spread_support(recordings, labels, classes, ModelConfig(), windows_each=windows_each, resampler=resampler)
    held = rounds.held_out if rounds else ()
    group = {name: number for number, names in enumerate(held) for name in names}
    groups = np.array([group.get(name, NEVER) for name, _ in support.origins])
    if rounds is None:
        return Divided(support, groups, classes, None)
    return Divided(support, groups, classes, rounds.unit, rounds.remarks)


def of_fold(
    name: str,
    budget: Budget,
    stores: Path,
    cache: Path,
    resampler: str = POLYPHASE,
    progress: Callable[[int, int], None] | None = None,
) -> Divided:
    """A fold's support, in which the recordings at the same place of every class's list are held out together.

    They share an operating condition. The fold's evaluation recordings cannot be opened from here.
    """
    fold = replace(load_fold(name), evaluation=())
    source = Source(fold.dataset, stores, cache, resampler, only=fold.supporting())
    names, recordings = [one for _, one in learned_from(fold, budget)], []
    for done, one in enumerate(names, start=1):
        recordings += source.at_rate([one])
        if progress:
            progress(done, len(names))
    support = gather_support(fold, recordings, budget, ModelConfig())
    place = {one: i for members in fold.support.values() for i, one in enumerate(members)}
    groups = np.array([place[one] for one, _ in support.origins])
    return Divided(support, groups, fold.classes, "operating condition of the source")


class Kept:
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
            content = json.loads(self.path.read_text())
            if content["about"] != self._about:
                return {}
            return {Fit(str(name), int(group), int(seed)): float(f1) for name, group, seed, f1 in content["scores"]}
        except (OSError, ValueError, KeyError, TypeError):
            return {}


def fingerprint(divided: Divided, grid: Mapping[str, Recipe], device: str) -> str:
    """SHA-256 of all that a fit's score depends on but its seed."""
    support = divided.support
    facts = [support.origins, {k: asdict(v) for k, v in grid.items()}, divided.classes, device, all_versions()]
    digest = sha256(json.dumps(facts).encode())
    for array in (support.windows, support.labels, divided.groups):
        digest.update(array.tobytes())
    return digest.hexdigest()
