"""A prepared dataset on disk: `recordings.json` beside `signals/<id>.npy`."""

import io
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from dualres.errors import ConfigError, RecordingError
from dualres.recordings.recording import Origin, Recording, Samples, axes_of, of_axes
from dualres.recordings.speed import Speed
from dualres.utils.files import write_whole
from dualres.utils.json_text import json_value
from dualres.utils.progress import Progress, quiet
from dualres.utils.special_files import unusual

_SAFE_ID = re.compile(r"[\w@+-][\w@+. -]*")  # a file name, and never a path
_NOT_CONDITIONS = {"id", "samples", "channels", "label", "component", "source", "source_sha256", "sha256", "shaft"}


def open_store(folder: Path) -> list[Recording]:
    """The recordings of a store, in its order; signals stay on disk until they are used."""
    index = read_index(folder)
    rate, channel = Fraction(index["rate"]), str(index["channel"])
    recordings = []
    for entry in index["recordings"]:
        path = folder / "signals" / f"{entry['id']}.npy"
        origin, samples = Origin(path, entry.get("source_sha256"), channel), entry["samples"]
        condition = {k: str(v) for k, v in entry.items() if k not in _NOT_CONDITIONS}
        known, names = (entry["label"], entry.get("component"), condition), entry.get("channels", [])
        speed = Speed.parsed(entry["shaft"]) if "shaft" in entry else None
        axes = []
        for i, name in enumerate(names):
            load = partial(_load, path, (len(names), samples), i)
            axes.append(Recording(entry["id"], load, rate, *known, replace(origin, channel=name)))
        whole = Recording(entry["id"], partial(_load, path, (samples,)), rate, *known, origin)
        one = of_axes(axes, entry["id"], aligned=True) if axes else whole
        recordings.append(replace(one, speed=speed))
    return recordings


def read_index(folder: Path) -> dict[str, Any]:
    """The content of `recordings.json`, checked for what the rest of the code relies on."""
    path = folder / "recordings.json"
    try:
        if reason := unusual(path):
            raise ValueError(f"it {reason}")
        index: dict[str, Any] = json_value(path.read_text())
        Fraction(index["rate"])
        for entry in (index["dataset"], index["channel"], *(e["label"] for e in index["recordings"])):
            str(entry)
        if not all(_SAFE_ID.fullmatch(e["id"]) and e["samples"] > 0 for e in index["recordings"]):
            raise ValueError("an id that is no file name, or a recording without samples")
        for entry in index["recordings"]:
            if "shaft" in entry:
                Speed.parsed(entry["shaft"])
    except FileNotFoundError:
        raise RecordingError(f"{folder}: there is no recordings.json, so this is not a prepared dataset") from None
    except (KeyError, ValueError, TypeError, AttributeError, ZeroDivisionError, ConfigError) as error:
        raise RecordingError(f"{path}: damaged index ({error!r}); prepare the dataset again") from error
    return index


def is_prepared(folder: Path) -> bool:
    """Whether there is a store, and not one of nothing; whoever opens it is told what is wrong with it."""
    try:
        return bool(read_index(folder)["recordings"])
    except RecordingError:
        return (folder / "recordings.json").exists()


def write_signal(folder: Path, name: str, signal: Samples) -> str:
    """One signal, or several axes as (axes, samples), whole or not at all; returns the SHA-256 of the samples."""
    buffer = io.BytesIO()
    samples = np.ascontiguousarray(signal, dtype=np.float32)
    np.save(buffer, samples, allow_pickle=False)
    write_whole(folder / "signals" / f"{name}.npy", buffer.getvalue())
    return sha256(samples.tobytes()).hexdigest()


def write_index(folder: Path, head: Mapping[str, Any], recordings: Sequence[Mapping[str, Any]]) -> None:
    write_whole(folder / "recordings.json", json.dumps({**head, "recordings": list(recordings)}, indent=1).encode())


def verify_store(folder: Path, progress: Progress = quiet) -> list[str]:
    """What is wrong with a store, one sentence each; every signal is read."""
    recordings, problems = open_store(folder), []
    digests = {entry["id"]: entry.get("sha256") for entry in read_index(folder)["recordings"]}
    if not recordings:
        problems.append(f"{folder}: holds no recordings")
    known = {f"{r.id}.npy" for r in recordings}
    for done, recording in enumerate(recordings, start=1):
        try:
            signal = np.stack([axis.signal for axis in axes_of(recording)])
            if np.ptp(signal, axis=1).min() == 0:
                problems.append(f"{recording.id}: the signal is constant")
            if digests[recording.id] not in (None, sha256(signal.tobytes()).hexdigest()):
                problems.append(f"{recording.id}: the samples are not those that were prepared; prepare it again")
        except RecordingError as error:
            problems.append(str(error))
        progress("Verify", done, len(recordings), "")
    strangers = sorted(p.name for p in (folder / "signals").glob("*") if p.name not in known)
    problems += [f"signals/{name}: not in the index" for name in strangers]
    return problems


def _load(path: Path, shape: tuple[int, ...], axis: int | None = None) -> Samples:
    try:
        if reason := unusual(path):
            raise ValueError(f"it {reason}")
        signal: Samples = np.load(path, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError) as error:
        raise RecordingError(f"{path}: cannot be read ({error}); prepare the dataset again") from error
    if signal.shape != shape or signal.dtype != np.float32:
        said = f"{shape[-1]} float32 samples{f' of {shape[0]} axes' if len(shape) > 1 else ''}"
        raise RecordingError(
            f"{path}: holds {signal.dtype} of shape {signal.shape}, the index says {said}; prepare the dataset again"
        )
    return signal if axis is None else signal[axis]
