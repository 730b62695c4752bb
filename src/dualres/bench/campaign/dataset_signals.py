"""Where jobs get their recordings: prepared datasets and the rig, each signal resampled once and kept on disk."""

import inspect
import os
import stat
import sys
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from dualres.bench.datasets import catalog
from dualres.bench.datasets.completeness import missing
from dualres.bench.datasets.folds import load_fold
from dualres.bench.datasets.release import FULL as FULL
from dualres.bench.datasets.release import PART
from dualres.config import POLYPHASE, ModelConfig
from dualres.errors import ConfigError, RecordingError
from dualres.learn.fold import Budget
from dualres.learn.fold_support import gather_support, learned_from
from dualres.recordings.recording import Recording, Samples, axes_of
from dualres.recordings.resample import code_hash, resample
from dualres.recordings.store import is_prepared, open_store, read_index
from dualres.utils.files import write_whole
from dualres.utils.progress import Progress, quiet

if TYPE_CHECKING:
    from dualres.learn.trained.tune_plan import GroupedSupport

_DIGEST = 32  # bytes at the end of a cached file, after NumPy's own format


def present_datasets(stores: Path) -> tuple[str, ...]:
    """Names of the datasets prepared under `stores`, and of the rig, which needs no preparing."""
    return tuple(n for n in catalog.names() if catalog.release(n).generate or is_prepared(stores / n))


@dataclass(frozen=True)
class SignalCache:
    """A folder of signals that are made once, each with a hash that is checked whenever it is read.

    What a damaged file or somebody else put there would change scores while the hashes of a job's inputs stay the same.
    So nothing is read from it or written to it where others may write, too.
    """

    folder: Path

    def kept(self, name: str, make: Callable[[], Samples]) -> Samples:
        """The signal of this name: read where an intact one is kept, else made, and kept for the next time."""
        path = self.folder / f"{name}.npy"
        folders = (self.folder / each for each in path.relative_to(self.folder).parents)  # the cache itself included
        if not all(map(_is_ours, filter(Path.exists, folders))):
            return np.ascontiguousarray(make(), dtype=np.float32)
        content = _intact(path, name)
        if content is None:
            buffer = BytesIO()
            np.save(buffer, np.ascontiguousarray(make(), dtype=np.float32))
            content = buffer.getvalue()
            write_whole(path, content + _digest(name, content))
        signal: Samples = np.load(BytesIO(content))  # of the very bytes that were checked
        return signal


def _is_ours(path: Path) -> bool:
    """Whether nobody but this user and the system's administrator can have written here."""
    found = path.stat()
    return found.st_uid in (0, os.geteuid()) and not found.st_mode & stat.S_IWOTH


def _intact(path: Path, name: str) -> bytes | None:
    if not path.is_file() or not _is_ours(path):
        return None
    whole = path.read_bytes()
    content, digest = whole[:-_DIGEST], whole[-_DIGEST:]
    return content if digest == _digest(name, content) else None


def _digest(name: str, content: bytes) -> bytes:
    """Of the content and its name: an intact file under another's name is another's signal."""
    return sha256(f"{name}\n".encode() + content).digest()


class DatasetSignals:
    """One dataset for many jobs. What is kept is one recording's own, and depends on no other."""

    def __init__(
        self, dataset: str, stores: Path, cache: Path, resampler: str, *, only: Collection[str] | None = None
    ) -> None:
        """With `only`, a source that knows no recordings but these."""
        self._resampler = resampler
        self._cache = SignalCache(cache)
        self._at_rate = f"at_64_kHz/{resampler}-{code_hash()[:16]}"
        self._prepared: dict[str, str | None] = {}  # hashes that the store's index states
        release = catalog.release(dataset)
        if generate := release.generate:
            code = inspect.getsource(sys.modules[generate.__module__])
            rig = f"{dataset}/{sha256(code.encode()).hexdigest()[:16]}"
            recordings = [_cached(r, self._cache, f"{rig}/{r.id}") for r in generate()]
            self.variant = FULL
        else:
            recordings = list(map(release.with_speed, open_store(stores / dataset)))
            index = read_index(stores / dataset)
            self.variant = str(index.get("variant", FULL))
            if self.variant == FULL and missing(release, {r.id for r in recordings}):
                self.variant = PART  # prepared by an earlier version, which did not count
            self._prepared = {entry["id"]: entry.get("sha256") for entry in index["recordings"]}
        self._only = only
        self._recordings = {r.id: r for r in recordings if only is None or r.id in only}
        self._dataset = dataset
        self.hashes: dict[str, str] = {}  # of every signal given out, as prepared

    def at_rate(self, names: Iterable[str]) -> list[Recording]:
        """The named recordings at the model's rate; only these are opened."""
        return [self._model_rate(name) for name in names]

    def native_rate(self, names: Iterable[str]) -> float | None:
        """That of the named recordings as released, in Hz; None where they have several."""
        rates = {axis.rate for name in names for axis in axes_of(self._recordings[name])}
        return float(rates.pop()) if len(rates) == 1 else None

    def native(self, name: str) -> Recording:
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

    def _model_rate(self, name: str) -> Recording:
        recording = self.native(name)
        if not recording.axes:
            return self._resampled(recording, self.hashes[name])
        axes = (self._resampled(axis, f"{self.hashes[name]}-{i}") for i, axis in enumerate(recording.axes))
        return replace(recording, axes=tuple(axes), rate=Fraction(ModelConfig().rate))

    def _resampled(self, signal: Recording, name: str) -> Recording:
        rate = ModelConfig().rate

        def make() -> Samples:
            return resample(signal.signal, signal.rate, rate, self._resampler, name=signal.id)

        return replace(signal, load=partial(self._cache.kept, f"{self._at_rate}/{name}", make), rate=Fraction(rate))


def _cached(recording: Recording, cache: SignalCache, name: str) -> Recording:
    axes = tuple(_cached(axis, cache, f"{name}-{i}") for i, axis in enumerate(recording.axes))
    return replace(recording, axes=axes, load=recording.load if axes else partial(cache.kept, name, recording.load))


def grouped_support(
    name: str, budget: Budget, stores: Path, cache: Path, *, resampler: str = POLYPHASE, progress: Progress = quiet
) -> "GroupedSupport":
    """What a recipe is chosen by: a fold's support, in parts that are held out in turn.

    The recordings at the same place of every class's list are one part: they share an operating condition. The fold's
    evaluation recordings cannot be opened from here.
    """
    from dualres.learn.trained.tune_plan import GroupedSupport  # which loads scikit-learn, and no job needs it

    fold = replace(load_fold(name), evaluation=())
    source = DatasetSignals(fold.dataset, stores, cache, resampler, only=fold.supporting())
    names, recordings = [one for _, one in learned_from(fold, budget)], []
    for done, one in enumerate(names, start=1):
        recordings += source.at_rate([one])
        progress("Read", done, len(names), "")
    support = gather_support(fold, recordings, budget, ModelConfig())
    place = {one: i for members in fold.support.values() for i, one in enumerate(members)}
    groups = np.array([place[one] for one, _ in support.origins])
    return GroupedSupport(support, groups, fold.classes, "operating condition of the source")
