"""The scripts in stress/ as modules, for the small versions of their attacks."""

import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

STRESS = Path(__file__).parents[2] / "stress"


def script(name: str) -> ModuleType:
    """They find each other beside themselves, as when they are run."""
    sys.path.insert(0, str(STRESS))
    try:
        return import_module(name)
    finally:
        sys.path.remove(str(STRESS))
