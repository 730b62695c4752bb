"""The scripts of tools/, imported as they import each other."""

import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

FOLDER = Path(__file__).parents[1] / "tools"


def tool(name: str) -> ModuleType:
    """A module of tools/. Its folder is in the path only meanwhile, for some names in it are those of packages."""
    sys.path.insert(0, str(FOLDER))
    try:
        return import_module(name)
    finally:
        sys.path.remove(str(FOLDER))
