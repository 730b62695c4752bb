"""What a recipe is chosen by, the choice with its forecast, its file, and what is kept of one that was stopped."""

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from dualres.config import ModelConfig, Recipe
from dualres.errors import MISFIT, ConfigError
from dualres.learn.holdout import HoldOutError, Rounds, plan_rounds, refuse_leaks
from dualres.learn.support import Support, spread_support
from dualres.learn.trained import tune
from dualres.learn.trained.tune import NEVER, Choice, Fit, WindowGroups
from dualres.model.kinds import NetworkRecipe, chosen_recipe, named_recipes, network_recipe
from dualres.recordings.labels.spelling import refuse_contradictions, refuse_spellings
from dualres.recordings.recording import Recording
from dualres.utils.files import write_whole
from dualres.utils.json_text import json_value
from dualres.utils.progress import Progress, quiet
from dualres.utils.special_files import unusual

FORMAT = "dualres-recipe/1"
LARGEST_FILE = 1 << 20  # bytes; a file of ours has a few thousand


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
    """Recordings held out as their estimate would, where any can be; `strict` refuses those that would leak, and
    units that are spelled in several ways."""
    refuse_contradictions(recordings)
    if strict:
        refuse_spellings(recordings)
    rounds: Rounds | None = None
    with suppress(HoldOutError):
        rounds = plan_rounds(recordings)
    if strict and rounds:
        refuse_leaks(recordings, rounds, progress)
    labels = [str(r.label) for r in recordings]
    support = spread_support(recordings, labels, classes, ModelConfig(), windows_each=windows_each, resampler=resampler)
    group = {name: number for number, names in enumerate(rounds.held_out if rounds else ()) for name in names}
    groups = np.array([group.get(name, NEVER) for name, _ in support.origins])
    unit, remarks = (rounds.unit, rounds.remarks) if rounds else (None, ())
    return GroupedSupport(support, groups, classes, unit, remarks)


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
    kept: "FitCache | None" = None,
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
        self.path, self._about = out.with_name(f"{out.name}.part"), about
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
            content = json_value(self.path.read_text())
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
    recipes = {name: by.recipe and asdict(by.recipe) for name, by in grid.items()}
    facts = [support.origins, recipes, divided.classes, device, dict(versions)]
    digest = sha256(json.dumps(facts).encode())
    arrays: list[npt.NDArray[Any]] = [*support.axes, support.labels, divided.groups]
    for array in arrays:
        digest.update(array.tobytes())
    return digest.hexdigest()


def write_choice(
    choice: Choice, path: Path, *, held_out: str | None, remarks: Sequence[str], seeds: Sequence[int]
) -> None:
    """The chosen recipe, and the table it was chosen by. Scores are macro-F1 over windows, from 0 to 1."""
    each = [choice.recipe.recipe, *(one.recipe.recipe for one in choice.candidates)]
    recipes = [recipe and recipe.as_data(complete=True) for recipe in each]
    content = {
        "format": FORMAT,
        "chosen": choice.name,
        "recipe": recipes[0],
        "reason": choice.reason,
        "held_out": held_out,
        "remarks": list(remarks),
        "seeds": list(seeds),
        "candidates": [
            {"name": one.name, "recipe": recipe}
            | {"mean": one.mean, "standard_error": one.standard_error, "rounds": list(one.rounds)}
            for one, recipe in zip(choice.candidates, recipes[1:], strict=True)
        ],
    }
    write_whole(path, (json.dumps(content, indent=1) + "\n").encode(), precious=True)


def read_recipe(path: Path) -> NetworkRecipe:
    """The recipe in a file that `write_choice` wrote, where null is that of a kind without updates, by its name."""
    try:
        if strange := unusual(path):
            raise ValueError(f"it {strange}")
        if path.stat().st_size > LARGEST_FILE:
            raise ValueError(f"it is larger than {LARGEST_FILE} bytes")
        content: Any = json_value(path.read_text())
        if not isinstance(content, dict) or content.get("format") != FORMAT:
            raise ValueError(f"its format is not {FORMAT}")
        recipe = content["recipe"]
        return network_recipe(str(content["chosen"]) if recipe is None else Recipe(**recipe))
    except (OSError, *MISFIT) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise ConfigError(f"{path}: is not a recipe ({reason}); give a file written by `dualres tune`") from error


def recipe_from(text: str | None, updates: int | None = None) -> NetworkRecipe:
    """A recipe by its name or from its file, with that many updates if given."""
    path = Path(text or "")
    if text in (None, *named_recipes()) or not (path.suffix == ".json" or path.is_file()):
        return chosen_recipe(text, updates=updates)
    return read_recipe(path).changed(updates=updates)
