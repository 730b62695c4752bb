"""What to expect on a machine that was not learned from, estimated from the labelled recordings alone.

Components are held out in turn, or single recordings where components are not known, which is easier.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from dualres.config import POLYPHASE, Recipe
from dualres.errors import ConfigError
from dualres.judge import diagnose_recording
from dualres.learn.fit import fit_recordings
from dualres.learn.history import Step
from dualres.metrics import Counts, confusion, macro_f1
from dualres.recordings.recording import Recording

MOST_ROUNDS = 5
_NOTHING = "so nothing can be held out and estimated; add recordings, or fit with --no-estimate"

Progress = Callable[[int, int, Step, int], None]  # round, rounds, the step just made, steps in a round


class HoldOutError(ConfigError):
    """Recordings of which no part can be held out."""


@dataclass(frozen=True)
class Rounds:
    """Which recordings are held out in which round."""

    held_out: tuple[frozenset[str], ...]  # ids
    unit: str  # what is new to every training: "component", for some classes perhaps "recording"
    remarks: tuple[str, ...]  # what weakens the estimate


@dataclass(frozen=True)
class Estimate:
    """Scores of recordings judged by models that had not learned from their unit."""

    macro_f1: float  # over all held-out recordings
    spread: float  # standard deviation over the rounds
    rounds: int
    unit: str
    confusion: Counts
    remarks: tuple[str, ...]


def plan_rounds(recordings: Sequence[Recording]) -> Rounds:
    """Deal each class's components over at most five rounds, so that every class stays in every training."""
    by_component = all(r.component for r in recordings)
    remarks = [] if by_component else ["components are not known, so recordings are held out: an easier test"]
    rounds_of: dict[str, int] = {}  # unit -> round
    groups = {label: _groups(members, by_component, remarks) for label, members in _by_class(recordings).items()}
    if sum(bool(g) for g in groups.values()) < 2:
        raise HoldOutError(f"fewer than two classes have two recordings, {_NOTHING}")
    count = min(MOST_ROUNDS, max(len(g) for g in groups.values()))
    held: list[set[str]] = [set() for _ in range(count)]
    for units in groups.values():
        load = [0] * count  # how many units of this class each round holds out
        for unit, members in units.items():
            chosen = rounds_of.setdefault(unit, int(np.argmin(load)))
            load[chosen] += 1
            held[chosen].update(members)
    complete = _keep_every_class(held, recordings, remarks)
    if len(complete) < 2:
        raise HoldOutError(f"the classes share their components, {_NOTHING}")
    unit = _unit(complete, recordings) if by_component else "recording"
    return Rounds(complete, unit, tuple(remarks))


def estimate(
    recordings: Sequence[Recording],
    rounds: Rounds,
    classes: Sequence[str],
    *,
    windows_each: int,
    recipe: Recipe,
    seed: int,
    members: int = 1,
    resampler: str = POLYPHASE,
    progress: Progress | None = None,
) -> Estimate:
    """Fit once per round, as many members as the model will have, and judge what the round holds out."""
    total = np.zeros((len(classes), len(classes)), dtype=np.int64)
    scores = []
    for number, held in enumerate(rounds.held_out, start=1):
        known = [r for r in recordings if r.id not in held]
        model, _ = fit_recordings(
            known,
            [str(r.label) for r in known],
            classes,
            windows_each=windows_each,
            resampler=resampler,
            recipe=recipe,
            seed=seed,
            members=members,
            progress=_in_round(progress, number, len(rounds.held_out)),
        )
        unseen = [r for r in recordings if r.id in held]
        verdicts = [classes.index(diagnose_recording(model, r).label) for r in unseen]
        matrix = confusion([classes.index(str(r.label)) for r in unseen], verdicts, len(classes))
        scores.append(_score(matrix))
        total += matrix
    spread = float(np.std(scores, ddof=1))
    return Estimate(_score(total), spread, len(scores), rounds.unit, total, rounds.remarks)


def _in_round(progress: Progress | None, number: int, rounds: int) -> Callable[[Step, int], None] | None:
    if progress is None:
        return None
    return lambda step, steps: progress(number, rounds, step, steps)


def _score(matrix: Counts) -> float:
    """Macro-F1 over the classes that were judged; a class that could not be held out has nothing to say."""
    judged = matrix.sum(1) > 0
    share = float(judged.mean())
    return macro_f1(matrix) / share if share else 0.0


def _by_class(recordings: Sequence[Recording]) -> dict[str, list[Recording]]:
    classes: dict[str, list[Recording]] = defaultdict(list)
    for recording in recordings:
        classes[str(recording.label)].append(recording)
    return classes


def _groups(members: list[Recording], by_component: bool, remarks: list[str]) -> dict[str, list[str]]:
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
    if by_component:
        remarks.append(f"{label}: a single component, so its recordings are held out: an easier test")
    return {recording.id: [recording.id] for recording in members}


def _unit(rounds: Sequence[frozenset[str]], recordings: Sequence[Recording]) -> str:
    """What is claimed to be new, and for which classes it is less because their components are on both sides."""
    exceptions: set[str] = set()
    for held in rounds:
        learned = {r.component for r in recordings if r.id not in held}
        exceptions |= {str(r.label) for r in recordings if r.id in held and r.component in learned}
    return "component" + (f" (recording for {', '.join(sorted(exceptions))})" if exceptions else "")


def _keep_every_class(
    held: list[set[str]], recordings: Sequence[Recording], remarks: list[str]
) -> tuple[frozenset[str], ...]:
    """No round may take a class's last recording out of the training; components shared by classes can do that."""
    for round_ in held:
        for label, members in _by_class(recordings).items():
            ids = {r.id for r in members}
            if ids <= round_:
                round_ -= ids
                remarks.append(f"{label}: shares its components with other classes; one round does not judge it")
    return tuple(frozenset(round_) for round_ in held if round_)
