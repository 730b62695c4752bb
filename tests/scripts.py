"""The scripts in tools/ and stress/ as modules."""

import sys
from functools import partial
from importlib import import_module
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).parents[1]


def script(folder: str, name: str) -> ModuleType:
    """They find each other beside themselves, as when they are run; the folder is in the path only meanwhile, for
    some of its names are those of packages."""
    sys.path.insert(0, str(ROOT / folder))
    try:
        return import_module(name)
    finally:
        sys.path.remove(str(ROOT / folder))


tool = partial(script, "tools")
