"""A release, as it was downloaded, to a store; every file that is known by its checksum is held to it."""

import csv
import hashlib
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

from dualres.bench.datasets.completeness import check_complete, check_whole, least_samples, missing
from dualres.bench.datasets.release import FULL, PART, Index, Refusal, Release, ReleaseEntry
from dualres.errors import RecordingError
from dualres.recordings.store import read_index, write_index, write_signal
from dualres.utils.files import check_writable, remove_remains
from dualres.utils.folder_lock import alone_in
from dualres.utils.progress import Progress, quiet


class Checksum(NamedTuple):
    bytes: int
    sha256: str


@cache
def _table() -> dict[tuple[str, str], Checksum]:
    with resources.files(__package__).joinpath("checksums.tsv").open(encoding="utf-8") as file:
        rows = csv.DictReader(file, delimiter="\t")
        return {(row["dataset"], row["file"]): Checksum(int(row["bytes"]), row["sha256"]) for row in rows}


def official(dataset: str, file_name: str) -> Checksum | None:
    """The checksum of a released file, by its name without folders; None where it is not known."""
    return _table().get((dataset, file_name))


def check(dataset: str, path: Path) -> str:
    """The SHA-256 of a file; an error if the file bears a released file's name and differs from it."""
    try:
        with path.open("rb") as file:
            sha256 = hashlib.file_digest(file, "sha256").hexdigest()
            size = file.tell()
    except OSError as error:
        reason = f"cannot be read ({error.strerror}); check the path and its permissions"
        raise RecordingError(f"{path}: {reason}") from error
    released = official(dataset, path.name)
    if released and released != Checksum(size, sha256):
        expected = f"{dataset}'s {path.name} as released ({released.bytes} bytes, SHA-256 {released.sha256})"
        found = f"{size} bytes, SHA-256 {sha256}"
        raise RecordingError(f"{path}: is not {expected} but has {found}; download it again")
    return sha256


SECONDS_BETWEEN_SAVES = 2.0  # what a kill can cost


@dataclass(frozen=True)
class PreparationResult:
    written: int
    kept: int  # from an earlier run
    failed: tuple[tuple[str, str], ...]  # recording and reason
    left_out: tuple[Refusal, ...]
    missing: tuple[str, ...] = ()  # recordings of the release that the store does not hold


@dataclass(frozen=True)
class _Preparation:
    release: Release
    index: Index
    source: Path
    store: Path
    partial: bool


def prepare(
    release: Release, source: Path, store: Path, progress: Progress = quiet, *, partial: bool = False
) -> PreparationResult:
    """Write what the store does not hold yet; a file that cannot be used is reported and stops no other.

    A download that lacks recordings of the release is an error before any is read, and a recording that was cut short
    cannot be used. With `partial` both are taken as they are. A store that is not the whole release says so in its
    index ("variant"). The index is saved every few seconds and at the end, however it comes, but none without a
    recording. Of two at once, the second one waits.
    """
    index = release.index(source)
    if not partial:
        check_complete(release, index, source)
    check_writable(store / "recordings.json")
    store.mkdir(parents=True, exist_ok=True)
    with alone_in(store):
        job = _Preparation(release, index, source, store, partial)
        known = _known(job)
        remove_remains(store, "recordings.json")
        remove_remains(store / "signals", "*.npy")
        return _completed(job, known, progress)


def _completed(job: _Preparation, known: dict[str, dict[str, Any]], progress: Progress) -> PreparationResult:
    release, index, source, store = job.release, job.index, job.source, job.store
    wanted = [e for e in index.entries if e.id not in known]
    failed: list[tuple[str, str]] = []
    digests: dict[Path, str] = {}  # an archive holds many recordings and is hashed once
    saved = time.monotonic()
    try:
        for done, entry in enumerate(wanted):
            progress("Prepare", done, len(wanted), entry.id)
            try:
                if entry.path not in digests:
                    digests[entry.path] = check(release.name, entry.path)
                signal = entry.read()
                if not job.partial:
                    check_whole(release, entry, len(signal))
                known[entry.id] = {
                    **{"id": entry.id, "samples": len(signal), **_described(entry), "source": _inside(entry, source)},
                    **_shaft(release, entry),
                    **{"source_sha256": digests[entry.path], "sha256": write_signal(store, entry.id, signal)},
                }
            except RecordingError as error:
                failed.append((entry.id, str(error)))
            if time.monotonic() - saved > SECONDS_BETWEEN_SAVES:
                _save(job, known)
                saved = time.monotonic()
    finally:
        _save(job, known)
    progress("Prepare", len(wanted), len(wanted), "")
    written = len(wanted) - len(failed)
    kept, lacking = len(index.entries) - len(wanted), missing(release, known)
    return PreparationResult(written, kept, tuple(failed), index.left_out, lacking)


def _known(job: _Preparation) -> dict[str, dict[str, Any]]:
    """The entries of an earlier run whose signals are still there."""
    release, index, source, store = job.release, job.index, job.source, job.store
    if not (store / "recordings.json").exists():
        return {}
    before = read_index(store)
    if before["dataset"] != release.name:
        raise RecordingError(f"{store}: holds {before['dataset']}; choose another folder for {release.name}")
    kept = {entry["id"]: entry for entry in before["recordings"]}
    return {
        # What the adapter says counts, not what an earlier version of it said.
        e.id: _shaft(release, e, measured=False) | kept[e.id] | _described(e)
        for e in index.entries
        # An excerpt that was prepared before the full release came is not kept.
        if kept.get(e.id, {}).get("source") == _inside(e, source) and (store / "signals" / f"{e.id}.npy").exists()
        # Nor is one that was taken although it was cut short.
        if job.partial or kept[e.id]["samples"] >= least_samples(release, e.id)
    }


def _described(entry: ReleaseEntry) -> dict[str, Any]:
    return {"label": entry.label, "component": entry.component, **entry.condition}


def _shaft(release: Release, entry: ReleaseEntry, *, measured: bool = True) -> dict[str, Any]:
    """The speed, measured where its file does so and that can be understood, else as the release states it."""
    speed = release.speed_of(entry.id, entry.condition) if release.speed_of else None
    if measured and entry.read_speed:
        with suppress(RecordingError):  # a sensor that failed leaves the vibration as it is
            speed = entry.read_speed()
    return {"shaft": speed.as_data()} if speed else {}


def _inside(entry: ReleaseEntry, source: Path) -> str:
    """The file's place within the release."""
    below = source if source.is_dir() else source.parent
    return (entry.path.relative_to(below) if entry.path.is_relative_to(below) else entry.path).as_posix()


def _save(job: _Preparation, known: Mapping[str, Mapping[str, Any]]) -> None:
    """A store of no recordings is no prepared dataset, so it gets no index."""
    release = job.release
    head = {"dataset": release.name, "variant": _variant(job, known), "version": release.version}
    head |= {"licence": release.licence, "channel": release.channel, "rate": str(release.rate)}
    if recordings := [known[e.id] for e in job.index.entries if e.id in known]:
        write_index(job.store, head, recordings)


def _variant(job: _Preparation, known: Mapping[str, Mapping[str, Any]]) -> str:
    """ "full" where the store holds all of the release and nothing that was cut short."""
    if job.index.variant != FULL:
        return job.index.variant
    short = any(one["samples"] < least_samples(job.release, id) for id, one in known.items())
    return PART if short or missing(job.release, known) or len(known) < len(job.index.entries) else FULL
