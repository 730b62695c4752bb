"""Where jobs get their recordings: prepared datasets and the rig, each signal resampled once and kept on disk."""

import inspect
import sys
from collections.abc import Collection, Iterable
from dataclasses import replace
from fractions import Fraction
from functools import partial
from hashlib import sha256
from pathlib import Path

import numpy as np

from dualres.bench.campaign.signal_cache import SignalCache
from dualres.bench.datasets import catalog
from dualres.config import ModelConfig
from dualres.errors import ConfigError, RecordingError
from dualres.recordings.recording import Recording, Samples, axes_of
from dualres.recordings.resample import code_hash, resample
from dualres.recordings.store import open_store, read_index

FULL = "full"  # the variant of a dataset whose recordings are as long as released


def present_datasets(stores: Path) -> tuple[str, ...]:
    """Names of the datasets prepared under `stores`, and of the rig, which needs no preparing."""
    return tuple(n for n in catalog.names() if catalog.release(n).generate or (stores / n / "recordings.json").exists())


class DatasetSignals:
    """One dataset for many jobs. What is kept is one recording's own, and depends on no other."""

    def __init__(
        self, dataset: str, stores: Path, cache: Path, resampler: str, only: Collection[str] | None = None
    ) -> None:
        """With `only`, a source that knows no recordings but these."""
        self._resampler = resampler
        self._cache = SignalCache(cache)
        self._at_rate = f"at_64_kHz/{resampler}-{code_hash()[:16]}"
        self._prepared: dict[str, str | None] = {}  # hashes that the store's index states
        generate = catalog.release(dataset).generate
        if generate:
            code = inspect.getsource(sys.modules[generate.__module__])
            rig = f"{dataset}/{sha256(code.encode()).hexdigest()[:16]}"
            recordings = [_simulated_once(r, self._cache, rig) for r in generate()]
            self.variant = FULL
        else:
            recordings = open_store(stores / dataset)
            index = read_index(stores / dataset)
            self.variant = str(index.get("variant", FULL))
            self._prepared = {entry["id"]: entry.get("sha256") for entry in index["recordings"]}
        self._only = only
        self._recordings = {r.id: r for r in recordings if only is None or r.id in only}
        self._dataset = dataset
        self.hashes: dict[str, str] = {}  # of every signal given out, as prepared

    def at_rate(self, names: Iterable[str]) -> list[Recording]:
        """The named recordings at the model's rate; only these are opened."""
        return [self._one(name) for name in names]

    def native(self, name: str) -> Recording:
        """The named recording as it was prepared."""
        if self._only is not None and name not in self._only:
            raise ConfigError(f"recording {name} of {self._dataset} may not be opened here: only a support may")
        if name not in self._recordings:
            raise ConfigError(f"recording {name} is not in the prepared dataset {self._dataset}; prepare it again")
        recording = self._recordings[name]
        if name not in self.hashes:
            digest = sha256()
            for axis in axes_of(recording):
                digest.update(np.ascontiguousarray(axis.signal).tobytes())
            found = digest.hexdigest()
            if self._prepared.get(name) not in (None, found):
                what = f"recording {name} of {self._dataset}"
                raise RecordingError(f"{what}: the samples are not those that were prepared; prepare it again")
            self.hashes[name] = found
        return recording

    def _one(self, name: str) -> Recording:
        recording, rate = self.native(name), Fraction(ModelConfig().rate)
        if not recording.axes:
            return self._resampled(recording, self.hashes[name])
        axes = (self._resampled(axis, f"{self.hashes[name]}-{i}") for i, axis in enumerate(recording.axes))
        return replace(recording, axes=tuple(axes), rate=rate)

    def _resampled(self, signal: Recording, name: str) -> Recording:
        rate = ModelConfig().rate
        made = partial(_resample, signal, rate, self._resampler)
        load = partial(self._cache.kept, f"{self._at_rate}/{name}", made)
        return replace(signal, load=load, rate=Fraction(rate))


def _resample(recording: Recording, rate: int, resampler: str) -> Samples:
    return resample(recording.signal, recording.rate, rate, resampler, name=recording.id)


def _simulated_once(recording: Recording, cache: SignalCache, folder: str) -> Recording:
    if recording.axes:
        axes = (
            replace(axis, load=partial(cache.kept, f"{folder}/{recording.id}-{i}", axis.load))
            for i, axis in enumerate(recording.axes)
        )
        return replace(recording, axes=tuple(axes))
    return replace(recording, load=partial(cache.kept, f"{folder}/{recording.id}", recording.load))
