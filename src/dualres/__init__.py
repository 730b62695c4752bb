"""DualRes names a machine's fault from a few labelled seconds of vibration.

The public names are imported on first use, so that `import dualres` itself is instant.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dualres.config import ModelConfig, Recipe
    from dualres.errors import DualResError
    from dualres.estimator import DualResClassifier
    from dualres.file import Card, Model, load, save
    from dualres.judge import Verdict, diagnose_recording
    from dualres.learn.fit import fit_network
    from dualres.model.network import DualRes
    from dualres.recordings.recording import Recording

__version__ = "0.1.0"

_HOME = {
    "Card": "dualres.file",
    "DualRes": "dualres.model.network",
    "DualResClassifier": "dualres.estimator",
    "DualResError": "dualres.errors",
    "Model": "dualres.file",
    "ModelConfig": "dualres.config",
    "Recipe": "dualres.config",
    "Recording": "dualres.recordings.recording",
    "Verdict": "dualres.judge",
    "diagnose_recording": "dualres.judge",
    "fit_network": "dualres.learn.fit",
    "load": "dualres.file",
    "save": "dualres.file",
}

__all__ = [
    "Card",
    "DualRes",
    "DualResClassifier",
    "DualResError",
    "Model",
    "ModelConfig",
    "Recipe",
    "Recording",
    "Verdict",
    "__version__",
    "diagnose_recording",
    "fit_network",
    "load",
    "save",
]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    raise AttributeError(f"module 'dualres' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
