"""Modules from outside of this package that add to it: formats, datasets, methods and whatever else can be registered.

A plugin is a module that registers something when it is imported. It is named in the environment variable
DUALRES_PLUGINS, several separated by commas, or by an entry point of the group `dualres.plugins` of an installed
package. Every command and every process that one starts loads them.
"""

import os
import sys
from functools import cache
from importlib import import_module

from dualres.errors import ConfigError

VARIABLE, GROUP = "DUALRES_PLUGINS", "dualres.plugins"


@cache
def load_plugins() -> None:
    """Import all plugins, the first time; an error names the one that fails, and how to do without it."""
    for name in filter(None, map(str.strip, os.environ.get(VARIABLE, "").split(","))):
        _import(name, f"mend it, or take it out of {VARIABLE}")
    if not _may_be_named():
        return
    from importlib.metadata import entry_points  # which takes longer to import than all of this

    for point in entry_points(group=GROUP):
        package = point.dist.name if point.dist else "its package"
        _import(point.module, f"mend it, or uninstall {package}")


def _may_be_named() -> bool:
    """Whether an installed package may have an entry point of ours: no folder of packages says so where none has."""
    for place in sys.path:
        try:
            with os.scandir(place or os.curdir) as entries:
                metadata = [entry.path for entry in entries if entry.name.endswith((".dist-info", ".egg-info"))]
        except FileNotFoundError:
            continue
        except OSError:  # an archive of packages, or what nobody may look into
            return True
        if any(map(_names_ours, metadata)):
            return True
    return False


def _names_ours(metadata: str) -> bool:
    try:
        with open(os.path.join(metadata, "entry_points.txt"), "rb") as file:  # noqa: PTH118, PTH123 - of all packages
            return GROUP.encode() in file.read()
    except OSError:
        return False


def _import(module: str, remedy: str) -> None:
    try:
        import_module(module)
    except Exception as error:  # whatever a module does while it is imported
        raise ConfigError(f"plugin {module} cannot be loaded ({type(error).__name__}: {error}); {remedy}") from error
