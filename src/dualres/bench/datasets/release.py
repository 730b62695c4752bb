"""What is known of a dataset, and how its recordings are found (`find`, `parted`, `collect`) before one is read."""

import re
import tomllib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache
from importlib import resources
from pathlib import Path, PurePath
from typing import Any, Literal

from dualres.errors import RecordingError
from dualres.recordings.recording import Recording, Samples
from dualres.recordings.speed import Speed

Refusal = tuple[Path, str]  # a file that is left out, and why
SpeedByName = Callable[[str, Mapping[str, str]], Speed | None]  # by a recording's id and condition
ARCHIVES = frozenset({".zip", ".rar", ".7z", ".tar", ".tgz", ".gz"})
MOST_NAMED = 4  # of what is missing
FoldsFrom = Literal["text", "reconstructed", "ours"]
FULL, PART = "full", "part"  # variants of a store: the whole release as it is, and not all of it


@dataclass(frozen=True)
class ReleaseEntry:
    """One recording of a release: found, but not yet read."""

    id: str  # unique within the dataset, fit for a file name
    label: str
    component: str  # the physical unit: a bearing, a gear, a gearbox case
    condition: Mapping[str, str]
    path: Path  # the file that holds it
    read: Callable[[], Samples] = field(repr=False, compare=False)  # native rate; raises RecordingError
    # The speed of the shaft, where the file measures it; asked for after the samples. Raises RecordingError.
    read_speed: Callable[[], Speed] | None = field(default=None, repr=False, compare=False)


@dataclass(frozen=True)
class Index:
    """What was found in a folder."""

    entries: tuple[ReleaseEntry, ...]
    left_out: tuple[Refusal, ...] = ()
    variant: str = FULL  # "excerpts" where the recordings are cut short


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
    folds_from: FoldsFrom = "ours"  # whether its folds follow from the paper's text, are reconstructed, or are ours
    folds_evidence: str = ""  # what speaks for them, in a few sentences
    fold_rules: tuple[str, ...] = ()  # what each learns from and judges, in words
    about_channel: str = ""  # what its name does not tell
    about_classes: str = ""  # what the names of the classes do not tell
    changes_too: str = ""  # what differs between support and evaluation besides the held-out unit
    recordings: int = 0  # in a store of the whole release; 0 if that is not known
    ids: tuple[str, ...] = field(default=(), repr=False)  # of these; empty if they are not known
    # Samples that a recording has at least, by its id: with fewer it was cut short.
    least_samples: Callable[[str], int] | None = field(default=None, repr=False)
    download: str = ""  # how large, and in what form
    link: str = ""  # where to get it
    recorded_s: int = 0  # s, about how long these are together
    label_of: Callable[[str], str] | None = field(default=None, repr=False)  # the class of a recording, by its id
    shaped_like: str = ""  # the dataset of the paper that a simulation has its classes, conditions and folds from
    folds_in: Path | None = None  # the folder of its frozen folds; None for those of this package
    generate: Callable[[], list[Recording]] | None = field(default=None, repr=False)  # for one that needs no preparing
    speed_of: SpeedByName | None = field(default=None, repr=False)  # of the shaft, as far as the release states it
    slowest_rate: Fraction | None = None  # Hz, where recordings differ in theirs, up to `rate`

    def with_speed(self, recording: Recording) -> Recording:
        """The recording of a store, with the speed that is stated of it if the store has none."""
        if recording.speed or not self.speed_of:
            return recording
        return replace(recording, speed=self.speed_of(recording.id, recording.condition))


def described(
    name: str,
    index: Callable[[Path], Index] | None = None,
    *,
    channel: str,
    rate: Fraction,
    classes: Iterable[str] = (),
    label_of: Callable[[str], str] | None = None,
    letters: Mapping[str, str] | None = None,
    speed_of: SpeedByName | None = None,
    ids: Iterable[str] = (),
    least_samples: int | Callable[[str], int] | None = None,
) -> Release:
    """A release of this package's catalog: its adapter knows the arguments, `releases.toml` the rest.

    One without an `index` is simulated, and needs no preparing. `letters` are the classes where the first letter of a
    recording's id says which is its. `speed_of` gives the speed that is stated of a recording. `ids` are those of the
    whole release, and `least_samples` what each has at least, by its id or all alike.
    """
    if letters:
        classes, label_of = letters.values(), lambda recording: letters[recording[0]]

    def nothing(folder: Path) -> Index:
        raise RecordingError(f"{folder}: the dataset {name} comes with dualres; there is nothing to prepare")

    facts: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in stated()[name].items()}
    facts |= {"channel": channel, "rate": rate, "classes": tuple(classes), "label_of": label_of, "speed_of": speed_of}
    least = (lambda _: least_samples) if isinstance(least_samples, int) else least_samples
    facts |= {"ids": tuple(ids), "least_samples": least}
    return Release(name, index=index or nothing, **facts)


@cache
def stated() -> dict[str, dict[str, Any]]:
    """What `releases.toml` says, by the name of the dataset."""
    return tomllib.loads(resources.files(__package__).joinpath("releases.toml").read_text(encoding="utf-8"))


def find(folder: Path, suffixes: Collection[str], pattern: re.Pattern[str]) -> list[tuple[Path, re.Match[str]]]:
    """The files below `folder` whose whole stem matches `pattern`, each with its match, sorted by path.

    `suffixes` are lower case with the dot; a file may spell its own in any case. What macOS leaves in archives
    (`__MACOSX`, `._*`) is ignored.
    """
    if not folder.is_dir():
        raise RecordingError(f"{folder}: is not a folder; give the one the release was unpacked into")
    found = []
    for path in sorted(folder.rglob("*")):
        match = pattern.fullmatch(path.stem)
        if match and path.suffix.lower() in suffixes and not is_junk(path.relative_to(folder)) and path.is_file():
            found.append((path, match))
    return found


def parted(
    found: Iterable[tuple[Path, re.Match[str]]], entry: Callable[[Path, re.Match[str]], ReleaseEntry | str]
) -> tuple[list[ReleaseEntry], list[Refusal]]:
    """The files as entries, and those for which `entry` gives a reason against them, which are never opened."""
    outcomes = [(path, entry(path, name)) for path, name in found]
    entries = [one for _, one in outcomes if isinstance(one, ReleaseEntry)]
    return entries, [(path, reason) for path, reason in outcomes if isinstance(reason, str)]


def collect(
    folder: Path,
    entries: Iterable[ReleaseEntry],
    looked_for: str,
    left_out: Iterable[Refusal] = (),
    *,
    variant: str = FULL,
) -> Index:
    """The index of what was found; an error if that is nothing, or if two files claim to be the same recording.

    `looked_for` says in words which files should have been there.
    """
    index = Index(tuple(entries), tuple(left_out), variant)
    if not index.entries:
        reasons = [reason for _, reason in index.left_out]
        count = f"{len(reasons)} files refused, the first" if len(reasons) > 1 else "1 file refused"
        refused = f" ({count}: {reasons[0]})" if reasons else ""
        packed = [path.name for path in still_packed(folder)]
        unpack = f"; not unpacked: {named(packed)}" if packed else ""
        nothing = f"{folder}: nothing to use in it or in any folder below{refused}"
        raise RecordingError(f"{nothing}; looked for {looked_for}{unpack}")
    first: dict[str, Path] = {}
    for entry in index.entries:
        if entry.id in first:
            places = f"{first[entry.id]} and {entry.path}"
            raise RecordingError(f"{entry.id} is there twice: {places}; keep one and move the other away")
        first[entry.id] = entry.path
    return index


def still_packed(source: Path, used: Collection[Path] = ()) -> list[Path]:
    """Archives below a folder that no recording is read from."""
    return [
        path
        for path in (sorted(source.rglob("*")) if source.is_dir() else ())
        if path.suffix.lower() in ARCHIVES and path not in used and not is_junk(path.relative_to(source))
    ]


def named(names: Sequence[str]) -> str:
    """The first few of them."""
    more = len(names) - MOST_NAMED
    return ", ".join(names[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


def is_junk(path: PurePath) -> bool:
    return "__MACOSX" in path.parts or path.name.startswith("._")
