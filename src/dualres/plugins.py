"""Modules from outside of this package that add to it: formats, datasets, methods and whatever else can be registered.

A plugin is a module that registers something when it is imported. It is named in the environment variable
DUALRES_PLUGINS, several separated by commas, or by an entry point of the group `dualres.plugins` of an installed
package. Every command and every process that one starts loads them.
"""

import os
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points

from dualres.errors import ConfigError

VARIABLE, GROUP = "DUALRES_PLUGINS", "dualres.plugins"


@cache
def load_plugins() -> None:
    """Import all plugins, the first time; an error names the one that fails, and how to do without it."""
    for name in filter(None, map(str.strip, os.environ.get(VARIABLE, "").split(","))):
        _import(name, f"mend it, or take it out of {VARIABLE}")
    for point in entry_points(group=GROUP):
        package = point.dist.name if point.dist else "its package"
        _import(point.module, f"mend it, or uninstall {package}")


def _import(module: str, remedy: str) -> None:
    try:
        import_module(module)
    except Exception as error:  # whatever a module does while it is imported
        raise ConfigError(f"plugin {module} cannot be loaded ({type(error).__name__}: {error}); {remedy}") from error
