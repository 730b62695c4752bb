"""Which of the labelled recordings are held out together, so that the others can be learned from and these judged.

A unit is held out in turn: a component, a load, a speed, any other condition, or a recording, which is the easiest.
Without a wish it is the first of `HARDEST_FIRST` that at least two classes have two or more of. A class that has only
one stays in every training. Its recordings are held out then, an easier test which is told apart. Parts of one file are
one measurement and stay together, unless they are of different components. Speeds that differ by less than 5 % are one.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from dualres.audit import LeakError, Split, audit_splits
from dualres.audit.claims import check_claim, condition_named
from dualres.errors import ConfigError
from dualres.judge.questions import COMPONENT, HARDEST_FIRST, RECORDING, SPEED, plural, word_of
from dualres.recordings.recording import Recording
from dualres.recordings.speed import SAME_SPEED, speed_in
from dualres.utils.progress import Progress, quiet

MOST_ROUNDS = 5


class HoldOutError(ConfigError):
    """Recordings of which no part can be held out."""


@dataclass(frozen=True)
class Rounds:
    """Which recordings are held out in which round."""

    held_out: tuple[frozenset[str], ...]  # ids
    unit: str  # what is new to every training: "component", "recording" or the name of a condition
    remarks: tuple[str, ...]  # what weakens the estimate
    units: Mapping[str, str] = field(default_factory=dict)  # id -> its component, load ...; itself where it has none
    easier: frozenset[str] = frozenset()  # ids of what is held out though its unit is learned from, too
    not_known: Mapping[str, str] = field(default_factory=dict)  # unit that cannot be held out -> what would help
    notes: tuple[str, ...] = ()  # those remarks that neither `easier` nor `not_known` tells

    def splits(self, recordings: Sequence[Recording]) -> list[Split]:
        """One per round, for the audit; each claims what holds for every class."""
        claim = RECORDING if self.easier else self.unit
        return [
            Split(tuple(r.id for r in recordings if r.id not in held), tuple(sorted(held)), claim)
            for held in self.held_out
        ]


def plan_rounds(recordings: Sequence[Recording], held_out: str | None = None) -> Rounds:
    """Deal each class's units over at most five rounds, so that every class stays in every training.

    `held_out` names the unit: component, recording or a condition. Without it, it is the hardest that the labels allow.
    """
    if held_out is not None:
        return rounds_of(recordings, _unit_named(recordings, held_out))
    for unit in HARDEST_FIRST[:-1]:
        try:
            return rounds_of(recordings, unit if unit == COMPONENT else condition_named(recordings, unit))
        except HoldOutError:
            continue
    return rounds_of(recordings, RECORDING)


def _unit_named(recordings: Sequence[Recording], claim: str) -> str:
    """As the audit reads it; a speed that files state, and no column, can be held out as well."""
    by_files = claim.casefold() == SPEED and any(r.speed_told for r in recordings)
    return SPEED if by_files and condition_named(recordings, SPEED) == SPEED else check_claim(recordings, claim)


def rounds_of(recordings: Sequence[Recording], unit: str) -> Rounds:
    """How a unit is held out; HoldOutError where it cannot be."""
    files = _files_with_parts(recordings)
    alone = {r.id: files.get(r.id, r.id) for r in recordings}
    units = alone if unit == RECORDING else units_of(recordings, unit)
    if unknown := [name for name, value in units.items() if not value]:
        raise HoldOutError(
            f"the {unit} of {len(unknown)} recordings is not known, such as that of {unknown[0]}; name it, leave them "
            "out, or hold out something else"
        )
    notes: list[str] = []
    classes = by_class(recordings)
    whole = {label for label, members in classes.items() if len({units[r.id] for r in members}) > 1}
    if len(whole) < 2:
        two = "two recordings" if unit == RECORDING else f"recordings of two {plural(unit)}"
        raise HoldOutError(f"fewer than two classes have {two}, {_nothing(unit)}")
    groups = {label: _groups(members, units if label in whole else alone, notes) for label, members in classes.items()}
    held = _dealt(groups, files, min(MOST_ROUNDS, max(len(groups[label]) for label in whole)))
    complete = _keep_files_together(_keep_every_class(held, recordings, notes), files, notes)
    if len(complete) < 2:
        shared = plural(COMPONENT if unit == RECORDING else unit) + (" or files" if files else "")
        raise HoldOutError(f"the classes share their {shared}, {_nothing(unit)}")
    learned = [{unit for name, unit in units.items() if name not in held} for held in complete]
    easier = frozenset(
        name for held, known in zip(complete, learned, strict=True) for name in held if units[name] in known
    )
    covered = {r.label for r in recordings if r.id not in easier and any(r.id in held for held in complete)}
    if len(covered) < 2:
        raise HoldOutError(f"fewer than two classes have a {unit} that no other class learns from, {_nothing(unit)}")
    for label in sorted(whole):
        if known := sum(r.id in easier for r in classes[label]):
            notes.append(f"{label}: {known} held out at a {unit} that was learned from, too; they do not count")
    not_known = _not_known(recordings, unit)
    told = [f"{plural(one)} cannot be held out ({why}): an easier test" for one, why in not_known.items()]
    single = [label for label in classes if label not in whole and groups[label]]
    told += [f"{label}: a single {unit}, so its recordings are held out: an easier test" for label in single]
    return Rounds(complete, unit, (*told, *notes), units, easier, not_known, tuple(notes))


def _nothing(unit: str) -> str:
    what, instead = ("nothing", "") if unit == RECORDING else (f"no {unit}", "hold out something else, ")
    return f"so {what} can be held out to estimate a score; add recordings, {instead}or use --no-estimate"


def units_of(recordings: Sequence[Recording], unit: str) -> dict[str, str]:
    """Which component or value of a condition each recording is of, by its id; empty where that is not known."""
    if unit == COMPONENT:
        return {r.id: r.component or "" for r in recordings}
    stated = {r.id: r.condition.get(unit, "") for r in recordings}
    if word_of(unit) != SPEED:
        return stated
    speeds = {r.id: speed_in({unit: stated[r.id]}) if stated[r.id] else r.speed_told and r.speed for r in recordings}
    rpm = {name: one.rpm for name, one in speeds.items() if one}
    if len(rpm) < len(recordings):
        return stated
    group = _alike(sorted(set(rpm.values())))
    return {name: group[value] for name, value in rpm.items()}


def _alike(rising: Sequence[float]) -> dict[float, str]:
    """Speeds in rpm, and what those are called that are one: no model can tell 1795 from 1797 rpm."""
    groups: list[list[float]] = []
    for value in rising:
        if groups and value < SAME_SPEED * groups[-1][-1]:
            groups[-1].append(value)
        else:
            groups.append([value])
    said = [f"{one[0]:g}" if len(one) == 1 else f"{one[0]:g} to {one[-1]:g}" for one in groups]
    return {value: name for name, one in zip(said, groups, strict=True) for value in one}


def _dealt(groups: Mapping[str, Mapping[str, list[str]]], files: Mapping[str, str], count: int) -> list[set[str]]:
    """What each of `count` rounds holds out; what is in several classes goes into the same round for all of them."""
    rounds_of: dict[str, int] = {}  # unit -> round
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
    return held


def _not_known(recordings: Sequence[Recording], unit: str) -> dict[str, str]:
    """Whether nothing can be said of an unseen component, and what to do about it."""
    if unit == COMPONENT:
        return {}
    try:
        rounds_of(recordings, COMPONENT)
    except HoldOutError:
        return {COMPONENT: missing(recordings, COMPONENT)}
    return {}


def missing(recordings: Sequence[Recording], unit: str) -> str:
    """What to label so that a unit could be held out, in words."""
    units = {r.id: r.id for r in recordings} if unit == RECORDING else units_of(recordings, unit)
    word, unnamed = word_of(unit), sum(not value for value in units.values())
    if unnamed == len(recordings):
        return f"name the {word} of every recording in a column {unit}"
    if unnamed:
        return f"{unnamed} recordings do not name theirs"
    each = {label: {units[r.id] for r in members} for label, members in by_class(recordings).items()}
    single = sorted(label for label, values in each.items() if len(values) == 1)
    if unit != COMPONENT and len(set.union(*each.values())) == 1:
        return f"label a second {word}{f', {100 * SAME_SPEED - 100:.0f} % off or more' if word == SPEED else ''}"
    if not single:
        return "classes share theirs"
    return f"label {'a second recording' if unit == RECORDING else 'recordings of a second one'} of {', '.join(single)}"


def refuse_leaks(recordings: Sequence[Recording], rounds: Rounds, progress: Progress = quiet) -> None:
    """An error if a round would judge what it could have learned from."""
    findings = audit_splits(recordings, rounds.splits(recordings), progress=progress)
    if leaks := tuple(f for f in findings if f.severity == "leak"):
        raise LeakError(leaks)


def by_class(recordings: Sequence[Recording]) -> dict[str, list[Recording]]:
    """The recordings of each label, in the order in which labels come."""
    classes: dict[str, list[Recording]] = defaultdict(list)
    for recording in recordings:
        classes[str(recording.label)].append(recording)
    return classes


def _files_with_parts(recordings: Sequence[Recording]) -> dict[str, str]:
    """Of files that are listed in parts: id -> what stays together, the file, or what it has of one component."""
    in_parts = {r.origin.path for r in recordings if r.origin.part}
    by_component = all(r.component for r in recordings)
    return {
        r.id: f"{r.origin.path}, {r.component}" if by_component else str(r.origin.path)
        for r in recordings
        if r.origin.path in in_parts and r.origin.path
    }


def _groups(members: list[Recording], units: Mapping[str, str], remarks: list[str]) -> dict[str, list[str]]:
    """What is held out together: unit -> ids. A class that cannot be held out has none."""
    groups: dict[str, list[str]] = defaultdict(list)
    for recording in members:
        groups[units[recording.id]].append(recording.id)
    if len(groups) > 1:
        return groups
    what = "a single recording" if len(members) == 1 else "parts of a single file"
    remarks.append(f"{members[0].label}: {what}, which cannot be held out; the estimate does not cover it")
    return {}


def _keep_every_class(held: list[set[str]], recordings: Sequence[Recording], remarks: list[str]) -> list[set[str]]:
    """No round may take a class's last recording out of the training; components shared by classes can do that."""
    for round_ in held:
        for label, members in by_class(recordings).items():
            ids = {r.id for r in members}
            if ids <= round_:
                round_ -= ids
                remarks.append(f"{label}: shares what is held out with other classes; one round does not judge it")
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
                names = ", ".join(sorted(round_ & together))
                remarks.append(f"{names}: not judged, as the file's other parts are learned")
                round_ -= together
    return tuple(frozenset(round_) for round_ in held if round_)
