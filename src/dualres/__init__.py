"""DualRes names a machine's fault from a few labelled seconds of vibration.

The public names are imported on first use, so that `import dualres` itself is instant.
"""

from dualres.utils.moved import keep_old_paths

TYPE_CHECKING = False  # as `typing` has it, which takes long to import
if TYPE_CHECKING:  # for type checkers, to whom `as` says that a name is public
    from typing import Any

    from dualres.config import ModelConfig as ModelConfig
    from dualres.config import Recipe as Recipe
    from dualres.errors import DualResError as DualResError
    from dualres.estimator import DualResClassifier as DualResClassifier
    from dualres.explain.reasons import Reasons as Reasons
    from dualres.explain.reasons import explain_recording as explain_recording
    from dualres.judge.frames import to_frame as to_frame
    from dualres.judge.model import Model as Model
    from dualres.judge.model import load as load
    from dualres.judge.model import save as save
    from dualres.judge.verdict import Verdict as Verdict
    from dualres.judge.verdict import diagnose_recording as diagnose_recording
    from dualres.learn.trained.fit import fit_network as fit_network
    from dualres.learn.workflow import fit_model as fit_model
    from dualres.model.network import DualRes as DualRes
    from dualres.model_file.card import Card as Card
    from dualres.recordings.labels.folder import read_folder as read_folder
    from dualres.recordings.readers import read as read
    from dualres.recordings.recording import Recording as Recording

__version__ = "0.1.0"

_NAMES = {
    "config": "ModelConfig Recipe",
    "errors": "DualResError",
    "estimator": "DualResClassifier",
    "explain.reasons": "Reasons explain_recording",
    "judge.frames": "to_frame",
    "judge.model": "Model load save",
    "judge.verdict": "Verdict diagnose_recording",
    "learn.trained.fit": "fit_network",
    "learn.workflow": "fit_model",
    "model.network": "DualRes",
    "model_file.card": "Card",
    "recordings.labels.folder": "read_folder",
    "recordings.readers": "read",
    "recordings.recording": "Recording",
}
_HOME = {name: f"dualres.{module}" for module, names in _NAMES.items() for name in names.split()}

__all__ = sorted([*_HOME, "__version__"])


def __getattr__(name: str) -> "Any":
    if name in _HOME:
        from importlib import import_module

        return getattr(import_module(_HOME[name]), name)
    raise AttributeError(f"module 'dualres' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__


keep_old_paths()
