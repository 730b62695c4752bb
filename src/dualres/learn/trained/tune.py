"""The choice of a recipe by the support alone: parts of it are held out in turn, and nothing else is looked at."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import softmax
from sklearn.metrics import f1_score

from dualres.config import ModelConfig
from dualres.errors import ConfigError
from dualres.judge.backends import scorer
from dualres.learn.fit import expected_s
from dualres.learn.interval import clearly_ahead
from dualres.learn.support import Support
from dualres.learn.trained.task import Task
from dualres.model.kinds import NetworkRecipe, chosen_recipe, resolved
from dualres.utils.progress import Progress, quiet

FITS = "Fits"  # the stage that counts them
NEVER = -1  # the group of windows that are never held out
FEWEST_ROUNDS = 2  # that have a standard error

# What is compared. The first was chosen across rigs, and is chosen here unless another is clearly better: a few
# labelled recordings cannot tell what will change on another machine, and many rigs can. The paper's recipe leaves
# windows as they are; the others train longer on blended windows and standardised spectra, and show each window through
# transfer paths that differ more and more.
GRID: Mapping[str, NetworkRecipe] = {
    "orders": chosen_recipe("orders"),
    "views": chosen_recipe("views"),
    "paper": chosen_recipe("paper"),
    "robust, no paths": chosen_recipe("robust", path_sigma=0.0),
    "robust, paths 0.5": chosen_recipe("robust", path_sigma=0.5),
    "robust": chosen_recipe("robust"),
    "robust, paths 1.5": chosen_recipe("robust", path_sigma=1.5),
}

WindowGroups = npt.NDArray[np.int64]  # of each window of a support: what is held out together, or NEVER


class Fit(NamedTuple):
    """One fit of a comparison: learn by the candidate from all but the group, and judge the group."""

    candidate: str
    group: int
    seed: int


@dataclass(frozen=True)
class Candidate:
    """A recipe with its scores."""

    name: str
    recipe: NetworkRecipe
    rounds: tuple[float, ...]  # macro-F1 of each round, the mean over the seeds

    @property
    def mean(self) -> float:
        return float(np.mean(self.rounds))

    @property
    def standard_error(self) -> float:
        """Of the mean, over the rounds."""
        return float(np.std(self.rounds, ddof=1) / np.sqrt(len(self.rounds)))


@dataclass(frozen=True)
class Choice:
    """The recipe that was chosen, and what it was compared with."""

    name: str
    recipe: NetworkRecipe
    candidates: tuple[Candidate, ...] = ()  # in the order of the grid
    reason: str | None = None  # why nothing was compared


def first_unless_clearly_behind(candidates: Sequence[Candidate]) -> Candidate:
    """The first, or of those that are clearly ahead of it the one with the best mean."""
    first, *others = candidates
    return max([first, *(one for one in others if clearly_ahead(one.rounds, first.rounds))], key=lambda one: one.mean)


def plan(
    labels: npt.NDArray[np.int64], groups: WindowGroups, grid: Mapping[str, NetworkRecipe], seeds: Sequence[int]
) -> list[Fit]:
    """All fits, round by round; none if fewer than two groups can be held out while every class keeps a window."""
    if groups.shape != labels.shape:
        raise ConfigError(f"{len(labels)} labels came with groups of shape {groups.shape}: every window needs one")
    if not grid or not seeds:
        raise ConfigError("a comparison needs at least one recipe and one seed")
    classes = len(np.unique(labels))
    rounds = [int(g) for g in np.unique(groups) if g != NEVER and len(np.unique(labels[groups != g])) == classes]
    if len(rounds) < FEWEST_ROUNDS:
        return []
    return [Fit(name, group, seed) for group in rounds for seed in seeds for name in grid]


def tune(
    support: Support,
    groups: WindowGroups,
    classes: int,
    grid: Mapping[str, NetworkRecipe] = GRID,
    *,
    seeds: Sequence[int] = (41,),
    config: ModelConfig | None = None,
    device: str = "cpu",
    known: Mapping[Fit, float] | None = None,
    progress: Progress = quiet,
    finished: Callable[[Fit, float], None] | None = None,
) -> Choice:
    """Hold each group out in turn, fit every candidate on the rest, and choose by macro-F1 over the group's windows.

    Where there are several axes, each has a network of its own, and a window's probabilities are the mean over them.

    `grid` has first what is chosen unless another is clearly better. Scores in `known` are not computed again;
    `finished` is told the others.
    """
    fits, scores = plan(support.labels, groups, grid, seeds), dict(known or {})
    if not fits:
        reason = f"fewer than {FEWEST_ROUNDS} parts of the support can be held out while every class stays in training"
        name, recipe = next(iter(grid.items()))
        return Choice(name, recipe, reason=f"{reason}, so nothing was compared")
    for done, fit in enumerate(fits):
        if fit in scores:
            continue
        progress(FITS, done, len(fits), fit.candidate)
        held = groups == fit.group
        said = []  # of each axis, by a network of its own
        learned_hz, held_hz = (None, None) if support.hz is None else (support.hz[~held], support.hz[held])
        for windows in support.axes:
            task = Task(windows[~held], support.labels[~held], classes, fit.seed, device, progress, hz=learned_hz)
            network = fit_one(task, grid[fit.candidate], config)
            said.append(softmax(scorer(network)(windows[held], held_hz).astype(np.float64), axis=1))
        scores[fit] = window_f1(np.mean(said, axis=0), support.labels[held])
        if finished:
            finished(fit, scores[fit])
    progress(FITS, len(fits), len(fits), "")
    rounds = list(dict.fromkeys(fit.group for fit in fits))
    candidates = tuple(
        Candidate(name, recipe, tuple(float(np.mean([scores[Fit(name, g, s)] for s in seeds])) for g in rounds))
        for name, recipe in grid.items()
    )
    chosen = first_unless_clearly_behind(candidates)
    return Choice(chosen.name, chosen.recipe, candidates)


def fit_one(task: Task, by: NetworkRecipe, config: ModelConfig | None) -> Any:
    """The network that learns from the task in this way."""
    return resolved(by.kind.fit)([task], config or ModelConfig(), by.recipe)[0].network


def window_f1(scores: npt.NDArray[np.floating], labels: npt.NDArray[np.int64]) -> float:
    """Macro-F1 over the classes in `labels`, of one verdict per window; `scores` are (n, classes).

    Windows, not recordings: a support has few recordings, and their verdicts would come out alike for most recipes.
    """
    present = np.unique(labels)
    return float(f1_score(labels, scores.argmax(1), labels=present, average="macro", zero_division=0))


def expected_tuning_s(
    fits: Sequence[Fit],
    groups: WindowGroups,
    grid: Mapping[str, NetworkRecipe],
    *,
    axes: int = 1,
    device: str = "cpu",
    progress: Progress = quiet,
) -> float:
    """How long the fits will take here, in seconds, judged by a few updates of each candidate."""
    learned = [int((groups != fit.group).sum()) for fit in fits]  # windows
    most = max(learned, default=0)
    names, each = list(dict.fromkeys(fit.candidate for fit in fits)), {}
    for done, name in enumerate(names, start=1):
        each[name] = expected_s(most, grid[name], device=device) / most
        progress("Time an update of each recipe", done, len(names), name)
    return axes * sum(each[fit.candidate] * windows for fit, windows in zip(fits, learned, strict=True))
