"""One model file: the weights and, in the metadata, a card that says what they are.

The card carries the SHA-256 of the whole file, taken with the digest's own 64 characters as zeros, so that a
change of any byte is noticed; and the logits of two check windows, so that a machine that computes something
else is noticed too. Nothing is ever unpickled.
"""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import safetensors.torch
import torch
from safetensors import SafetensorError

from dualres import __version__
from dualres.config import ModelConfig, Recipe
from dualres.errors import ConfigError, ModelFileError
from dualres.files import write_whole
from dualres.model.check import check_window
from dualres.model.network import DualRes

FORMAT = "dualres-model/1"
LARGEST_FILE = 64 * 2**20  # bytes; the paper's model takes 160 kB
CHECK_WINDOWS = 2
CHECK_TOLERANCE = 1e-4  # of the largest logit, or of one

_KEY = "dualres"
_DIGEST = b'\\"sha256\\":\\"'  # as it stands in the file: JSON within JSON
_ZEROS = b"0" * 64


def _versions() -> dict[str, str]:
    return {"dualres": __version__, "python": platform.python_version(), "torch": str(torch.__version__)}


@dataclass(frozen=True)
class Card:
    """What a model is, what it was shown, and what is known of how well it does."""

    classes: tuple[str, ...]
    config: ModelConfig
    recipe: Recipe
    seed: int
    resampler: str
    exposure_s: Mapping[str, float]  # unique labelled seconds per class
    held_out: str | None = None  # the unit that the score's recordings do not share with the support
    score: Mapping[str, float] | None = None
    remarks: tuple[str, ...] = ()  # what weakens the score
    versions: Mapping[str, str] = field(default_factory=_versions)


@dataclass(frozen=True)
class Model:
    """A trained network and its card."""

    network: DualRes
    card: Card

    @property
    def classes(self) -> tuple[str, ...]:
        return self.card.classes


def save(model: Model, path: Path | str) -> None:
    """Write the model as one file; what stood there before stays until the new file is complete."""
    tensors = {name: t.detach().cpu().contiguous() for name, t in model.network.state_dict().items()}
    fields = {
        "format": FORMAT,
        **asdict(model.card),
        "checks": _check_logits(model.network, CHECK_WINDOWS).tolist(),
    }
    fields["sha256"] = _ZEROS.decode()
    blob = safetensors.torch.save(tensors, metadata={_KEY: json.dumps(fields, separators=(",", ":"))})
    digest = hashlib.sha256(blob).hexdigest().encode()
    write_whole(Path(path), blob.replace(_DIGEST + _ZEROS, _DIGEST + digest, 1))


def load(path: Path | str) -> Model:
    """Read a model file; anything but an intact one is refused with the reason."""
    path = Path(path)
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise ModelFileError(f"{path}: {path.stat().st_size} bytes is too large for a DualRes model")
        blob = path.read_bytes()
    except OSError as error:
        raise ModelFileError(f"{path}: cannot be read ({error.strerror})") from error
    fields = _fields(blob, path)
    _check_digest(blob, str(fields.pop("sha256", "")), path)
    checks = _checks(fields.pop("checks", None))
    card = _card(fields, path)
    network = _network(blob, card, path)
    logits = _check_logits(network, 1)
    off = np.abs(logits[0] - checks[0]).max() if checks.shape == (CHECK_WINDOWS, len(card.classes)) else np.inf
    if not off <= CHECK_TOLERANCE * max(1.0, np.abs(logits).max()):
        raise ModelFileError(
            f"{path}: the check window gives other logits than when the model was saved (off by {off:.2g}); "
            "do not trust its verdicts here"
        )
    return Model(network, card)


@torch.inference_mode()
def _check_logits(network: DualRes, windows: int) -> npt.NDArray[np.float64]:
    was_training = network.training
    network.eval()
    batch = np.stack([check_window(i, network.config.window) for i in range(windows)])
    logits = network(torch.from_numpy(batch).to(network.head.weight.device))
    network.train(was_training)
    return np.asarray(logits.cpu(), dtype=np.float64)


def _fields(blob: bytes, path: Path) -> dict[str, Any]:
    """The card's JSON from the header: eight bytes of length, then JSON."""
    try:
        header = json.loads(blob[8 : 8 + int.from_bytes(blob[:8], "little")])
        fields = json.loads(header["__metadata__"][_KEY])
        if fields["format"] != FORMAT:
            raise ModelFileError(f"{path}: written in format {fields['format']!r}; this version reads {FORMAT!r}")
    except (ValueError, KeyError, TypeError, RecursionError):
        raise ModelFileError(f"{path}: not a DualRes model file, or its header is damaged") from None
    del fields["format"]
    return dict(fields)


def _check_digest(blob: bytes, digest: str, path: Path) -> None:
    signed = _DIGEST + digest.encode()
    blank = blob.replace(signed, _DIGEST + _ZEROS)
    if blob.count(signed) != 1 or hashlib.sha256(blank).hexdigest() != digest:
        raise ModelFileError(f"{path}: the file was changed or damaged since it was saved; copy it again")


def _checks(value: Any) -> npt.NDArray[np.float64]:
    """The stored logits; empty where they are none, which no model's can equal."""
    try:
        return np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        return np.empty(0)


def _card(fields: dict[str, Any], path: Path) -> Card:
    try:
        classes = fields["classes"]
        if not all(isinstance(c, str) for c in classes) or len(set(classes)) != len(classes):
            raise ValueError("its classes are not distinct names")
        config = dict(fields.pop("config"))
        for name in ("half_life_s", "frequency_hz"):
            config[name] = tuple(config[name])
        return Card(
            classes=tuple(fields.pop("classes")),
            remarks=tuple(fields.pop("remarks")),
            config=ModelConfig(**config),
            recipe=Recipe(**fields.pop("recipe")),
            **fields,
        )
    except (KeyError, TypeError, ValueError) as error:
        raise ModelFileError(f"{path}: its card cannot be understood ({error})") from error


def _network(blob: bytes, card: Card, path: Path) -> DualRes:
    try:
        tensors = safetensors.torch.load(blob)
        # On the meta device the network costs nothing until its shapes have been compared.
        with torch.device("meta"):
            network = DualRes(len(card.classes), card.config)
        if any(t.dtype != torch.float32 for t in tensors.values()):
            raise ModelFileError(f"{path}: its weights are not float32")
        network.load_state_dict(tensors, assign=True)
    except (SafetensorError, RuntimeError, ConfigError) as error:
        raise ModelFileError(f"{path}: its weights do not fit its card ({error})") from error
    return network.eval()
