"""The sizes that a comparator's code is made with, as its card holds them: those that its module names in capitals."""

import sys
from collections.abc import Mapping
from typing import Any

import numpy as np

from dualres.bench.methods.method import FittedMethod
from dualres.bench.methods.neural import FittedNeural


def settings_of(fitted: FittedMethod) -> dict[str, Any]:
    """By their names, in small letters; what only says how a method is shown is none of them."""
    made_by = type(fitted.network if isinstance(fitted, FittedNeural) else fitted.method)
    named = vars(sys.modules[made_by.__module__])
    return {
        name.lower(): _plain(value) for name, value in named.items() if name.isupper() and _plain(value) is not None
    }


def check_settings(settings: Mapping[str, Any], fitted: FittedMethod) -> None:
    """A ValueError that names what differs; files of earlier versions hold none."""
    own = settings_of(fitted)
    if settings and settings != own:
        different = sorted(name for name in settings.keys() | own.keys() if settings.get(name) != own.get(name))
        name = different[0]
        raise ValueError(f"it was made with {name} {settings.get(name)}, and this version has {own.get(name)}")


def _plain(value: object) -> Any:
    """A number or a list of them, as JSON has it; None for anything else."""
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, (tuple, list)):
        return list(value) if value and all(_plain(each) is not None for each in value) else None
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else None
