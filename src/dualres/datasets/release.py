"""What is known of a dataset, and of each of its recordings before it is read."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any, Literal

from dualres.recordings.recording import Recording, Samples


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
    """A dataset as it is obtained: everything that is known of it before one of its files is opened."""

    name: str
    short: str  # its name in tables and figures
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
    kind: Literal["bearing", "gearbox"] = "gearbox"  # which decides its primary budget
    seconds: float = 10.0  # about how long a recording is; only estimates of time rest on it
    folds_in: Path | None = None  # the folder of its frozen folds; None for those of this package
    generate: Callable[[], list[Recording]] | None = field(default=None, repr=False)  # for one that needs no preparing


def described(
    name: str,
    index: Callable[[Path], Index],
    channel: str,
    rate: Fraction,
    classes: Iterable[str],
    generate: Callable[[], list[Recording]] | None = None,
) -> Release:
    """A release of this package's catalog: its adapter knows the arguments, `releases.toml` the rest."""
    facts: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in stated()[name].items()}
    facts |= {"index": index, "channel": channel, "rate": rate, "classes": tuple(classes), "generate": generate}
    return Release(name, **facts)


@cache
def stated() -> dict[str, dict[str, Any]]:
    """What `releases.toml` says, by the name of the dataset."""
    return tomllib.loads(resources.files(__package__).joinpath("releases.toml").read_text(encoding="utf-8"))
