"""Which of the labelled recordings are held out together, so that the others can be learned from and these judged.

Components are held out in turn, or single recordings where components are not known, which is easier. Parts of one
file are one measurement and stay together, unless they are of different components.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from dualres.errors import ConfigError
from dualres.machinery.progress import Progress, quiet
from dualres.recordings.audit import LeakError, Split, audit_splits
from dualres.recordings.recording import Recording

MOST_ROUNDS = 5
_NOTHING = "so nothing can be held out to estimate a score; add recordings, or use --no-estimate"


class HoldOutError(ConfigError):
    """Recordings of which no part can be held out."""


@dataclass(frozen=True)
class Rounds:
    """Which recordings are held out in which round."""

    held_out: tuple[frozenset[str], ...]  # ids
    unit: str  # what is new to every training: "component", for some classes perhaps "recording"
    remarks: tuple[str, ...]  # what weakens the estimate

    def splits(self, recordings: Sequence[Recording]) -> list[Split]:
        """One per round, for the audit; each claims what holds for every class."""
        claim = "component" if self.unit == "component" else "recording"
        return [
            Split(tuple(r.id for r in recordings if r.id not in held), tuple(sorted(held)), claim)
            for held in self.held_out
        ]


def plan_rounds(recordings: Sequence[Recording]) -> Rounds:
    """Deal each class's components over at most five rounds, so that every class stays in every training."""
    by_component = all(r.component for r in recordings)
    remarks = [] if by_component else ["components are not known, so recordings are held out: an easier test"]
    rounds_of: dict[str, int] = {}  # unit -> round
    files = _files_with_parts(recordings, by_component)
    groups = {label: _groups(members, by_component, files, remarks) for label, members in _by_class(recordings).items()}
    if sum(bool(g) for g in groups.values()) < 2:
        raise HoldOutError(f"fewer than two classes have two recordings, {_NOTHING}")
    count = min(MOST_ROUNDS, max(len(g) for g in groups.values()))
    held: list[set[str]] = [set() for _ in range(count)]
    for units in groups.values():
        load = [0] * count  # how many units of this class each round holds out
        for unit, members in units.items():
            # A file's parts may be of several classes, and of one class they may be a component, of another a file.
            keys = [unit, *(files[name] for name in members if name in files)]
            known = (rounds_of[key] for key in keys if key in rounds_of)
            chosen = next(known, int(np.argmin(load)))
            rounds_of.update(dict.fromkeys(keys, chosen))
            load[chosen] += 1
            held[chosen].update(members)
    complete = _keep_files_together(_keep_every_class(held, recordings, remarks), files, remarks)
    if len(complete) < 2:
        raise HoldOutError(f"the classes share their {'components or files' if files else 'components'}, {_NOTHING}")
    unit = _unit(complete, recordings) if by_component else "recording"
    return Rounds(complete, unit, tuple(remarks))


def refuse_leaks(recordings: Sequence[Recording], rounds: Rounds, progress: Progress = quiet) -> None:
    """An error if a round would judge what it could have learned from."""
    findings = audit_splits(recordings, rounds.splits(recordings), progress=progress)
    leaks = tuple(f for f in findings if f.severity == "leak")
    if leaks:
        raise LeakError(leaks)


def _by_class(recordings: Sequence[Recording]) -> dict[str, list[Recording]]:
    classes: dict[str, list[Recording]] = defaultdict(list)
    for recording in recordings:
        classes[str(recording.label)].append(recording)
    return classes


def _files_with_parts(recordings: Sequence[Recording], by_component: bool) -> dict[str, str]:
    """Of files that are listed in parts: id -> what stays together, the file, or what it has of one component."""
    in_parts = {r.origin.path for r in recordings if r.origin.part}
    return {
        r.id: f"{r.origin.path}, {r.component}" if by_component else str(r.origin.path)
        for r in recordings
        if r.origin.path in in_parts and r.origin.path
    }


def _groups(
    members: list[Recording], by_component: bool, files: Mapping[str, str], remarks: list[str]
) -> dict[str, list[str]]:
    """What is held out together: unit -> ids. A class that cannot be held out has none."""
    label = members[0].label
    if len(members) == 1:
        remarks.append(f"{label}: a single recording, which cannot be held out; the estimate does not cover it")
        return {}
    units: dict[str, list[str]] = defaultdict(list)
    for recording in members:
        units[str(recording.component)].append(recording.id)
    if by_component and len(units) > 1:
        return units
    units = defaultdict(list)
    for recording in members:
        units[files.get(recording.id, recording.id)].append(recording.id)
    if len(units) == 1:
        remarks.append(f"{label}: parts of a single file, which cannot be held out; the estimate does not cover it")
        return {}
    if by_component:
        remarks.append(f"{label}: a single component, so its recordings are held out: an easier test")
    return units


def _unit(rounds: Sequence[frozenset[str]], recordings: Sequence[Recording]) -> str:
    """What is claimed to be new, and for which classes it is less because their components are on both sides."""
    exceptions: set[str] = set()
    for held in rounds:
        learned = {r.component for r in recordings if r.id not in held}
        exceptions |= {str(r.label) for r in recordings if r.id in held and r.component in learned}
    return "component" + (f" (recording for {', '.join(sorted(exceptions))})" if exceptions else "")


def _keep_every_class(held: list[set[str]], recordings: Sequence[Recording], remarks: list[str]) -> list[set[str]]:
    """No round may take a class's last recording out of the training; components shared by classes can do that."""
    for round_ in held:
        for label, members in _by_class(recordings).items():
            ids = {r.id for r in members}
            if ids <= round_:
                round_ -= ids
                remarks.append(f"{label}: shares its components with other classes; one round does not judge it")
    return held


def _keep_files_together(
    held: list[set[str]], files: Mapping[str, str], remarks: list[str]
) -> tuple[frozenset[str], ...]:
    """No round may judge parts of a file while it learns from others; those are not judged."""
    parts: dict[str, set[str]] = defaultdict(set)
    for name, file in files.items():
        parts[file].add(name)
    for round_ in held:
        for together in parts.values():
            if round_ & together and not together <= round_:
                remarks.append(
                    f"{', '.join(sorted(round_ & together))}: not judged, as the file's other parts are learned"
                )
                round_ -= together
    return tuple(frozenset(round_) for round_ in held if round_)
