"""What a public dataset's adapter says of its release."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

from dualres.recordings.recording import Samples


@dataclass(frozen=True)
class Entry:
    """One recording of a release: found, but not yet read."""

    id: str  # unique within the dataset, fit for a file name
    label: str
    component: str  # the physical unit: a bearing, a gear, a gearbox case
    condition: Mapping[str, str]
    path: Path  # the file that holds it
    read: Callable[[], Samples] = field(repr=False, compare=False)  # native rate; raises RecordingError


@dataclass(frozen=True)
class Index:
    """What was found in a folder."""

    entries: tuple[Entry, ...]
    left_out: tuple[tuple[Path, str], ...] = ()  # files that were refused, and why
    variant: str = "full"  # "excerpts" where the recordings are cut short


@dataclass(frozen=True)
class Release:
    """A public dataset as it is downloaded."""

    name: str
    title: str  # one line on what was recorded
    licence: str
    obtained_from: str
    version: str
    channel: str
    rate: Fraction  # Hz
    classes: tuple[str, ...]
    folds: tuple[str, ...]
    limitations: tuple[str, ...]  # what is true of the release itself and no split can mend
    index: Callable[[Path], Index] = field(repr=False)  # raises RecordingError where nothing of it is found
