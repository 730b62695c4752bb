"""A recipe as a file: what `dualres tune` chose, with all that it was compared with."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from dualres.config import Recipe
from dualres.errors import MISFIT, ConfigError
from dualres.learn.trained.tune import Choice
from dualres.model.kinds import NetworkRecipe, chosen_recipe, named_recipes, network_recipe
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
            {"name": one.name, "recipe": _data(one.recipe)}
            | {"mean": one.mean, "standard_error": one.standard_error, "rounds": list(one.rounds)}
            for one in choice.candidates
        ],
    }
    write_whole(path, (json.dumps(content, indent=1) + "\n").encode(), precious=True)


def _data(by: NetworkRecipe) -> dict[str, Any] | None:
    return by.recipe.as_data(complete=True) if by.recipe else None


def read_recipe(path: Path) -> NetworkRecipe:
    """The recipe in a file that `write_choice` wrote, where null is the network of views."""
    try:
        if strange := unusual(path):
            raise ValueError(f"it {strange}")
        if path.stat().st_size > LARGEST:
            raise ValueError(f"it is larger than {LARGEST} bytes")
        content: Any = json.loads(path.read_text())
        if not isinstance(content, dict) or content.get("format") != FORMAT:
            raise ValueError(f"its format is not {FORMAT}")
        recipe = content["recipe"]
        return network_recipe(None if recipe is None else Recipe(**recipe))
    except (OSError, *MISFIT) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise ConfigError(f"{path}: is not a recipe ({reason}); give a file written by `dualres tune`") from error


def recipe_from(text: str | None, updates: int | None = None) -> NetworkRecipe:
    """A recipe by its name or from its file, with that many updates if given."""
    path = Path(text or "")
    if text in (None, *named_recipes()) or not (path.suffix == ".json" or path.is_file()):
        return chosen_recipe(text, updates=updates)
    return read_recipe(path).changed(updates=updates)
