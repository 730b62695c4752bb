"""A recipe as a file: what `dualres tune` chose, with all that it was compared with."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from dualres.config import RECIPES, Recipe
from dualres.errors import MISFIT, ConfigError
from dualres.learn.trained.tune import Choice
from dualres.model.kinds import chosen_recipe
from dualres.utils.files import write_whole
from dualres.utils.special_files import unusual

FORMAT = "dualres-recipe/1"
LARGEST = 1 << 20  # bytes; a file of ours has a few thousand


def write_choice(
    choice: Choice, path: Path, *, held_out: str | None, remarks: Sequence[str], seeds: Sequence[int]
) -> None:
    """The chosen recipe, and the table it was chosen by. Scores are macro-F1 over windows, from 0 to 1."""
    content = {
        "format": FORMAT,
        "chosen": choice.name,
        "recipe": _data(choice.recipe),
        "reason": choice.reason,
        "held_out": held_out,
        "remarks": list(remarks),
        "seeds": list(seeds),
        "candidates": [
            {
                "name": one.name,
                "recipe": _data(one.recipe),
                "mean": one.mean,
                "standard_error": one.standard_error,
                "rounds": list(one.rounds),
            }
            for one in choice.candidates
        ],
    }
    write_whole(path, (json.dumps(content, indent=1) + "\n").encode(), precious=True)


def _data(recipe: Recipe | None) -> dict[str, Any] | None:
    return None if recipe is None else recipe.as_data(complete=True)


def read_recipe(path: Path) -> Recipe | None:
    """The recipe in a file that `write_choice` wrote; None for the network of views."""
    try:
        if strange := unusual(path):
            raise ValueError(f"it {strange}")
        if path.stat().st_size > LARGEST:
            raise ValueError(f"it is larger than {LARGEST} bytes")
        content: Any = json.loads(path.read_text())
        if not isinstance(content, dict) or content.get("format") != FORMAT:
            raise ValueError(f"its format is not {FORMAT}")
        return None if content["recipe"] is None else Recipe(**content["recipe"])
    except (OSError, *MISFIT) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise ConfigError(f"{path}: is not a recipe ({reason}); give a file written by `dualres tune`") from error


def recipe_from(text: str | None, updates: int | None = None) -> Recipe | None:
    """A recipe by its name or from its file, with that many updates if given; None for the network of views."""
    path = Path(text or "")
    if text in (None, "views", *RECIPES) or not (path.suffix == ".json" or path.is_file()):
        return chosen_recipe(text, updates=updates).recipe
    recipe = read_recipe(path)
    if updates is None:
        return recipe
    return chosen_recipe("views", updates=updates).recipe if recipe is None else replace(recipe, updates=updates)
