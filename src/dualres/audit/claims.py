"""What a split claims, held against what is known about its recordings; no signal is loaded here."""

import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import chain
from typing import TypeVar

from dualres.audit.finding import Finding, Recordings, Split
from dualres.errors import ConfigError
from dualres.recordings.labels.spelling import spelled_alike
from dualres.recordings.recording import Recording
from dualres.recordings.windows import covered

Ids = tuple[str, ...]
ClaimValue = TypeVar("ClaimValue")

# Words by which people name the physical unit. Any other claim is the name of a condition.
COMPONENT_CLAIMS = {"component", "bearing", "gear", "gearbox", "case", "unit", "machine", "specimen"}


def same_recordings(support: Recordings, evaluation: Recordings) -> Iterator[Finding]:
    """A recording on both sides, under one name or as two names for one file."""
    judged = {r.id for r in evaluation}
    told: set[tuple[str, str]] = set()
    for r in support:
        if r.id in judged:
            yield Finding("same-recording", "leak", f"{r.id} is in the support and in the evaluation", (r.id,))
    for known_by in ("path", "sha256"):
        sources = _by(evaluation, partial(_source, known_by))
        for r in support:
            for other in sources.get(_source(known_by, r) or ("", None), []):
                apart = r.origin.part and other.origin.part and not r.origin.part.overlaps(other.origin.part)
                two_components = r.component and other.component and r.component != other.component
                if other.id != r.id and (r.id, other.id) not in told and not (apart and two_components):
                    told.add((r.id, other.id))
                    # Even different stretches of one file are one measurement of one machine.
                    message = f"{r.id} in the support and {other.id} in the evaluation come from the same file"
                    evidence = {"file": str(getattr(r.origin, known_by))}
                    yield Finding("same-file", "leak", message, (r.id, other.id), evidence)


def _source(known_by: str, recording: Recording) -> tuple[str, str | None] | None:
    file = getattr(recording.origin, known_by)
    return (str(file), recording.origin.channel) if file else None


def held_out(support: Recordings, evaluation: Recordings, claim: str | None) -> Iterator[Finding]:
    """Whether the claimed unit really differs between the sides, and what is shared beside it."""
    new_component = claim is not None and claim.lower() in COMPONENT_CLAIMS
    yield from _components(support, evaluation, claim if new_component else None)
    if claim is not None and not new_component and claim.lower() != "recording":
        yield from _condition(support, evaluation, claim)


def check_claim(recordings: Recordings, claim: str) -> str:
    """The unit that is claimed to be held out: component, recording or a condition; an error if none has it."""
    units = ["recording", *(["component"] if any(r.component for r in recordings) else [])]
    conditions = sorted({key for r in recordings for key in r.condition})
    unit = "component" if claim.lower() in COMPONENT_CLAIMS else claim.lower()
    if unit in units:
        return unit
    if (condition := condition_named(recordings, claim)) not in conditions:
        there = ", ".join([*units, *conditions])
        raise ConfigError(
            f"--held-out {claim}: no recording has a {claim}; there is {there}; name one of these, or add a column "
            f"{claim} to labels.csv"
        )
    return condition


def spellings(support: Recordings, evaluation: Recordings) -> Iterator[Finding]:
    """Components of the two sides that may be one, spelled in two ways."""
    learned, judged = _by(support, lambda r: r.component), _by(evaluation, lambda r: r.component)
    alike = defaultdict(list)
    for one in learned:
        alike[spelled_alike(one)].append(one)
    for other in sorted(judged.keys() - learned.keys()):
        for one in alike[spelled_alike(other)]:
            message = f"{one} in the support and {other} in the evaluation may be one component, spelled in two ways"
            members = tuple(r.id for r in learned[one] + judged[other])
            yield Finding("component-spelling", "warning", message, members, {"components": f"{one}, {other}"})


def _components(support: Recordings, evaluation: Recordings, claim: str | None) -> Iterator[Finding]:
    shared = _shared(support, evaluation, lambda r: r.component)
    if claim is None:
        if shared:
            judged = {r.component for r in evaluation if r.component}
            members = tuple(chain.from_iterable(shared.values()))
            message = (
                f"{len(shared)} of {len(judged)} evaluated components are also in the support: "
                "for those a score says nothing about a new component"
            )
            yield Finding("shared-component", "limitation", message, members, {"components": ", ".join(shared)})
        return
    for component, members in shared.items():
        message = f"{component} is in the support and in the evaluation, although the {claim} is said to be held out"
        yield Finding("shared-component", "leak", message, members, {"component": component})
    unknown = tuple(r.id for r in (*support, *evaluation) if not r.component)
    if unknown:
        message = f"the {claim} is said to be held out, but the component of {len(unknown)} recordings is not known"
        yield Finding("unknown-unit", "warning", message, unknown)


def _condition(support: Recordings, evaluation: Recordings, claim: str) -> Iterator[Finding]:
    everything = [*support, *evaluation]
    key = condition_named(everything, claim)
    unknown = tuple(r.id for r in everything if key not in r.condition)
    if unknown:
        known = ", ".join(sorted({key for r in everything for key in r.condition})) or "none"
        message = (
            f"the {claim} is said to be held out, but {len(unknown)} recordings do not say theirs "
            f"(conditions known: {known})"
        )
        yield Finding("unknown-unit", "warning", message, unknown)
    for value, members in _shared(support, evaluation, lambda r: r.condition.get(key)).items():
        message = f"{key} {value} is in the support and in the evaluation, although the {claim} is held out"
        yield Finding("shared-condition", "leak", message, members, {key: value})


def condition_named(recordings: Recordings, claim: str) -> str:
    """The condition of a claim: itself, its last word ("mode" for "motion mode"), or either with a unit ("load_hp")."""
    keys = sorted({key for r in recordings for key in r.condition})
    wanted = (claim, *claim.split()[-1:]) if claim.strip() else ()
    named = [key for name in wanted for key in keys if key.lower() == name.lower()]
    with_unit = [key for name in wanted for key in keys if key.rpartition("_")[0] == name]
    return next(iter(named + with_unit), claim)


def confounded(support: Recordings) -> Iterator[Finding]:
    """Conditions by which a support recording's class can be told."""
    classes = _by(support, lambda r: r.label)
    if len(classes) < 2:
        return
    for key in sorted(set.intersection(*(set(r.condition) for r in support))):
        values = {label: {r.condition[key] for r in members} for label, members in classes.items()}
        if len(set.union(*values.values())) == len(support) > len(classes):
            continue  # a number of its own for every recording names the recording, and nothing to be learned
        own = [one for one in classes if not any(values[one] & values[other] for other in classes if other != one)]
        if not own:
            continue
        share = "every class has" if len(own) == len(classes) else f"{', '.join(own)} has"
        message = f"in the support {share} values of {key} that no other class has: {key} may be learned in its place"
        members = tuple(r.id for label in own for r in classes[label])
        evidence = {"condition": key, "classes": ", ".join(own)}
        yield Finding("condition-is-class", "warning", message, members, evidence)


def classes(support: Recordings, evaluation: Recordings) -> Iterator[Finding]:
    """Classes that one side lacks, and recordings without one."""
    learned, judged = _by(support, lambda r: r.label), _by(evaluation, lambda r: r.label)
    for label, members in judged.items():
        if label not in learned:
            message = f"class {label} is evaluated, but the support does not hold it: it can never be named"
            yield Finding("missing-class", "leak", message, tuple(r.id for r in members), {"class": label})
    for label, members in learned.items():
        if label not in judged:
            message = f"class {label} is learned, but never evaluated: the score is silent about it"
            yield Finding("missing-class", "warning", message, tuple(r.id for r in members), {"class": label})
    unlabelled = tuple(r.id for r in (*support, *evaluation) if not r.label)
    if unlabelled:
        yield Finding("missing-label", "warning", f"{len(unlabelled)} recordings have no label", unlabelled)


def exposure(split: Split, support: Recordings, samples: Mapping[str, int]) -> Iterator[Finding]:
    """Support windows where none may be, and more labelled seconds than declared; `samples` are at native rates."""
    kind = "windows-outside-exposure"
    members = {r.id: r for r in support}
    seconds: dict[str, float] = defaultdict(float)
    for name, starts in split.windows.items():
        if name not in members:
            yield Finding(kind, "leak", f"{name} is not in the support, but windows are taken from it", (name,))
            continue
        recording = members[name]
        seconds[recording.label or "unlabelled"] += covered(starts, split.window) / split.rate
        end = max(starts, default=0) + split.window
        length = math.ceil(samples[name] * split.rate / recording.rate) if name in samples else end
        if starts and (min(starts) < 0 or end > length):
            message = f"{name}: a support window lies outside the recording"
            evidence = {"first_s": min(starts) / split.rate, "end_s": end / split.rate, "length_s": length / split.rate}
            yield Finding(kind, "leak", message, (name,), evidence)
    if not split.exposure_s:
        return
    for label, used in seconds.items():
        declared = split.exposure_s.get(label, 0.0)
        if used > declared + 0.5 / split.rate:  # declared seconds are rounded in print, never by a whole sample
            message = f"class {label}: the windows cover {used:.3f} s, but {declared:.3f} s are declared"
            taken = tuple(n for n in split.windows if n in members and (members[n].label or "unlabelled") == label)
            yield Finding(kind, "leak", message, taken, {"class": label, "covered_s": used, "declared_s": declared})


def _shared(support: Recordings, evaluation: Recordings, what: Callable[[Recording], str | None]) -> dict[str, Ids]:
    learned, judged = _by(support, what), _by(evaluation, what)
    return {value: tuple(r.id for r in learned[value] + judged[value]) for value in learned if value in judged}


def _by(recordings: Recordings, what: Callable[[Recording], ClaimValue | None]) -> dict[ClaimValue, list[Recording]]:
    groups: dict[ClaimValue, list[Recording]] = defaultdict(list)
    for r in recordings:
        value = what(r)
        if value:
            groups[value].append(r)
    return dict(groups)
