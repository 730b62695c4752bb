"""Whether a download is the whole release: which recordings are missing, what is still packed, what was cut short."""

from collections.abc import Collection
from pathlib import Path

from dualres.bench.datasets.release import FULL, Index, Release, ReleaseEntry, named, still_packed
from dualres.errors import RecordingError

KNOWINGLY = "or prepare what is there by --partial, which marks the store"


def missing(release: Release, ids: Collection[str]) -> tuple[str, ...]:
    """Recordings of the whole release that are not among `ids`; none where it does not say which it has."""
    return tuple(one for one in release.ids if one not in ids)


def check_complete(release: Release, index: Index, source: Path) -> None:
    """An error that names what a download lacks, before any of it is read."""
    absent = missing(release, {entry.id for entry in index.entries})
    if absent:
        packed = still_packed(source, {entry.path for entry in index.entries})
        unpack = f"not unpacked: {named([path.name for path in packed])}; " if packed else ""
        raise RecordingError(
            f"{source}: {len(absent)} of the {len(release.ids)} recordings of {release.short} are missing: "
            f"{named(absent)}; {unpack}complete the download, {KNOWINGLY}"
        )
    if index.variant != FULL:
        raise RecordingError(
            f"{source}: holds {index.variant} of recordings of {release.short}; get the released files, {KNOWINGLY}"
        )


def check_whole(release: Release, entry: ReleaseEntry, samples: int) -> None:
    """An error for a recording that is shorter than the release's."""
    least = least_samples(release, entry.id)
    if samples < least:
        raise RecordingError(
            f"{entry.path}: was cut short: {entry.id} has {samples:,} samples, the released one {least:,} or more; "
            f"download it again, {KNOWINGLY}"
        )


def least_samples(release: Release, id: str) -> int:
    return release.least_samples(id) if release.least_samples else 1
