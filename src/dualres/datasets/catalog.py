"""The public datasets there are adapters for."""

from __future__ import annotations

from importlib import import_module

from dualres.datasets.release import Release
from dualres.errors import ConfigError

NAMES = ("paderborn", "cwru", "kaist", "uored", "hust", "ottawa", "mcc5", "phm2009")


def release(name: str) -> Release:
    """The adapter of that name."""
    if name not in NAMES:
        raise ConfigError(f"there is no dataset {name!r}; there are {', '.join(NAMES)}")
    found: Release = import_module(f"dualres.datasets.{name}").RELEASE
    return found
