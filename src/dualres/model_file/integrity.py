"""One safetensors file with a card in its metadata, sealed.

The card carries the SHA-256 of the whole file, taken with the digest's own 64 characters as zeros, so that a
change of any byte is noticed; and what the model says of check windows, so that a machine that computes something
else is noticed too. Nothing is ever unpickled.
"""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import safetensors.numpy
from safetensors import SafetensorError

from dualres.errors import MISFIT, ModelFileError
from dualres.utils.json_text import json_value
from dualres.utils.special_files import unusual

LARGEST_FILE = 64 * 2**20  # bytes; the largest of the nine methods takes 12 MB
LARGEST_HEADER = 8 * 2**20  # bytes
MOST_VALUES = 2**20  # in a header; read as JSON, each takes up to 90 bytes, however short it is
CHECK_TOLERANCE = 1e-4  # of the largest value, or of one

Arrays = Mapping[str, npt.NDArray[Any]]

_KEY = "dualres"
_DIGEST = b'\\"sha256\\":\\"'  # as it stands in the file: JSON within JSON
_ZEROS = b"0" * 64


def seal(kind: str, fields: Mapping[str, Any], checks: npt.ArrayLike, arrays: Arrays) -> bytes:
    """The content of a file: arrays, and a card of the given kind with the values of its check windows."""
    card = {"format": kind, **fields, "checks": np.asarray(checks).tolist(), "sha256": _ZEROS.decode()}
    held = {name: np.asarray(array, order="C") for name, array in arrays.items()}
    blob = safetensors.numpy.save(held, metadata={_KEY: json.dumps(card, separators=(",", ":"))})
    digest = hashlib.sha256(blob).hexdigest().encode()
    return blob.replace(_DIGEST + _ZEROS, _DIGEST + digest, 1)


def unseal(path: Path) -> tuple[str, dict[str, Any], npt.NDArray[np.float64], bytes]:
    """The kind of an intact file, its card's other fields, the check values and the whole content."""
    if reason := unusual(path):
        raise ModelFileError(f"{path}: cannot be read: it {reason}")
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise ModelFileError(f"{path}: {path.stat().st_size} bytes is too large for a model of this kind")
        blob = path.read_bytes()
    except OSError as error:
        raise ModelFileError(f"{path}: cannot be read ({error.strerror})") from error
    kind, fields = _fields(blob, path)
    _check_digest(blob, fields.pop("sha256", ""), path)
    return kind, fields, _values(fields.pop("checks", None)), blob


def arrays_in(blob: bytes, path: Path) -> dict[str, npt.NDArray[Any]]:
    """The arrays of an unsealed file, every number of them finite."""
    try:
        arrays = safetensors.numpy.load(blob)
    except (SafetensorError, *MISFIT) as error:  # the latter where NumPy has not that kind or that many of numbers
        raise ModelFileError(f"{path}: its tensors cannot be read ({error})") from error
    for name, array in arrays.items():
        # Also where a network does without the array: zero times NaN is NaN.
        if not np.isfinite(array).all():
            raise ModelFileError(f"{path}: {name} holds numbers that are not finite; fit the model again")
    return arrays


def compare_checks(stored: npt.NDArray[np.float64], first: npt.NDArray[np.float64], rows: int, path: Path) -> None:
    """Refuse a model whose first check window does not give here what the first of the stored `rows` says."""
    if not np.isfinite(first).all():
        raise ModelFileError(f"{path}: the check window gives values that are not finite; fit the model again")
    off = np.abs(first - stored[0]).max() if stored.shape == (rows, *first.shape) else np.inf
    if not off <= CHECK_TOLERANCE * max(1.0, np.abs(first).max()):  # the first are finite, so the right side is
        raise ModelFileError(
            f"{path}: the check window gives other values than when the model was saved (off by {off:.2g}); "
            "do not trust its verdicts here"
        )


def _fields(blob: bytes, path: Path) -> tuple[str, dict[str, Any]]:
    """The kind and the card's JSON from the header: eight bytes of length, then JSON."""
    length = int.from_bytes(blob[:8], "little")
    if LARGEST_HEADER < length <= len(blob):
        raise ModelFileError(f"{path}: a card of {length} bytes is too large for a model of this kind")
    text = blob[8 : 8 + length]
    if sum(map(text.count, (b",", b"[", b"{"))) > MOST_VALUES:  # as many as there can be values, or more
        raise ModelFileError(f"{path}: a card of more than {MOST_VALUES} values is too large for a model of this kind")
    try:
        header = json_value(text)
        fields = dict(json_value(header["__metadata__"][_KEY]))
        kind = fields.pop("format")
        if not isinstance(kind, str):
            raise ValueError("a format is a text")
        return kind, fields
    except MISFIT:
        raise ModelFileError(f"{path}: not a DualRes model file, or its header is damaged") from None


def _check_digest(blob: bytes, digest: Any, path: Path) -> None:
    signed = _DIGEST + digest.encode() if isinstance(digest, str) and digest.isascii() else b""
    blank = blob.replace(signed, _DIGEST + _ZEROS)
    if not signed or blob.count(signed) != 1 or hashlib.sha256(blank).hexdigest() != digest:
        raise ModelFileError(f"{path}: the file was changed or damaged since it was saved; copy it again")


def _values(stored: Any) -> npt.NDArray[np.float64]:
    """The stored check values; empty where they are none, which no model's can equal."""
    try:
        return np.asarray(stored, dtype=np.float64)
    except MISFIT:
        return np.empty(0)
