"""A fitted method as one file, whichever of the nine it is."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from dualres import methods
from dualres.config import Recipe
from dualres.errors import ConfigError, ModelFileError
from dualres.machinery.files import write_whole
from dualres.methods.method import Cost, Fitted, Method
from dualres.methods.network import WINDOW
from dualres.model.check import check_window
from dualres.seal import compare_checks, seal, tensors, unseal, versions

FORMAT = "dualres-method/1"


def card(fitted: Fitted) -> dict[str, Any]:
    """What the file says of itself."""
    recipe = fitted.method.recipe
    return {
        "method": fitted.method.name,
        "recipe": None if recipe is None else recipe.as_data(),
        "classes": fitted.classes,
        "seed": fitted.seed,
        "constants": dict(fitted.constants),
        "cost": asdict(fitted.cost),
        "versions": versions(),
    }


def save(fitted: Fitted, path: Path | str) -> None:
    """Write a fitted method as one file; what stood there before stays until the new file is complete."""
    write_whole(Path(path), seal(FORMAT, card(fitted), _checks(fitted), fitted.state()))


def load(path: Path | str) -> Fitted:
    """Read a fitted method onto the CPU; anything but an intact file is refused with the reason."""
    path = Path(path)
    fields, stored, blob = unseal(path, FORMAT)
    state = tensors(blob, path)
    try:
        fitted = _method(fields).restore(
            state, dict(fields["constants"]), int(fields["classes"]), int(fields["seed"]), Cost(**fields["cost"])
        )
        found = _checks(fitted)
    except (KeyError, TypeError, ValueError, RuntimeError, ConfigError) as error:
        raise ModelFileError(f"{path}: its tensors do not fit its card ({error})") from error
    compare_checks(stored, found[0], 1, path)
    return fitted


def _method(fields: dict[str, Any]) -> Method:
    return methods.method(fields["method"], None if fields["recipe"] is None else Recipe(**fields["recipe"]))


def _checks(fitted: Fitted) -> np.ndarray[Any, Any]:
    """The scores of one check window, (1, classes)."""
    return fitted.scores(check_window(0, WINDOW)[None])
