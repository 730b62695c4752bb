"""A prepared dataset on disk: `recordings.json` beside `signals/<id>.npy`."""

from __future__ import annotations

import json
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from dualres.errors import RecordingError
from dualres.recordings.recording import Origin, Recording, Samples

_NOT_CONDITIONS = {"id", "samples", "label", "component", "source", "source_sha256"}


def open_store(folder: Path) -> list[Recording]:
    """The recordings of a store, in its order; signals stay on disk until they are used."""
    index_path = folder / "recordings.json"
    try:
        index = json.loads(index_path.read_text())
        rate, channel = Fraction(index["rate"]), index["channel"]
        return [_recording(entry, folder, rate, channel) for entry in index["recordings"]]
    except FileNotFoundError:
        raise RecordingError(f"{folder}: there is no recordings.json, so this is not a prepared dataset") from None
    except (KeyError, ValueError, TypeError) as error:
        raise RecordingError(f"{index_path}: damaged index ({error!r}); prepare the dataset again") from error


def _recording(entry: dict[str, Any], folder: Path, rate: Fraction, channel: str) -> Recording:
    path = folder / "signals" / f"{entry['id']}.npy"
    return Recording(
        id=entry["id"],
        load=partial(_load, path, entry["samples"]),
        rate=rate,
        label=entry["label"],
        component=entry.get("component"),
        condition={k: str(v) for k, v in entry.items() if k not in _NOT_CONDITIONS},
        origin=Origin(path, entry.get("source_sha256"), channel),
    )


def _load(path: Path, samples: int) -> Samples:
    try:
        signal: Samples = np.load(path, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError) as error:
        raise RecordingError(f"{path}: cannot be read ({error}); prepare the dataset again") from error
    if signal.shape != (samples,) or signal.dtype != np.float32:
        raise RecordingError(
            f"{path}: holds {signal.dtype} of shape {signal.shape}, the index says {samples} float32 samples; "
            "prepare the dataset again"
        )
    return signal
