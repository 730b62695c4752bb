"""Did the test see the training bearing? A split is audited before anything is fitted on it."""

from collections.abc import Sequence
from dataclasses import replace

from dualres.audit import claims
from dualres.audit.compare import copies
from dualres.audit.cues import given_away
from dualres.audit.finding import Finding, LeakError, Recordings, Severity, Split
from dualres.audit.memory import Memory
from dualres.audit.signals import Traits, identical
from dualres.errors import ConfigError
from dualres.recordings.recording import Recording
from dualres.utils.progress import Progress, quiet, renamed

__all__ = ["Finding", "LeakError", "Severity", "Split", "audit", "audit_splits", "same_signals"]

_ORDER: tuple[Severity, ...] = ("leak", "warning", "limitation")


def audit(
    recordings: Recordings,
    split: Split,
    *,
    limitations: Sequence[str] = (),
    signals: bool = True,
    progress: Progress = quiet,
) -> list[Finding]:
    """Everything found about a split, leaks first; of several axes, by the signals of the first.

    With `signals=False` no signal is loaded. `limitations` are those that the dataset states about itself. `progress`
    counts a step to read each recording, and one to compare each evaluated one.
    """
    return _audited(recordings, split, Memory(), limitations=limitations, signals=signals, progress=progress)


def _audited(
    recordings: Recordings,
    split: Split,
    memory: Memory,
    *,
    limitations: Sequence[str],
    signals: bool = True,
    progress: Progress,
) -> list[Finding]:
    support, evaluation = _pick(recordings, split.support), _pick(recordings, split.evaluation)
    found = [
        *claims.same_recordings(support, evaluation),
        *claims.held_out(support, evaluation, split.held_out),
        *claims.spellings(support, evaluation),
        *claims.classes(support, evaluation),
        *claims.confounded(support),
    ]
    known: dict[str, Traits] = {}
    if signals:
        everything = list({r.id: r for r in (*support, *evaluation)}.values())
        steps = len(everything) + len(evaluation)

        def tell(done: int) -> None:
            progress("Audit", done, steps, "")

        for done, r in enumerate(everything, start=1):
            known[r.id] = memory.traits_of(r)
            tell(done)
        found += identical(support, evaluation, known)
        found += copies(support, evaluation, memory, progress=lambda _, done, *rest: tell(len(everything) + done))
    found += given_away(support, evaluation, known)
    found += claims.exposure(split, support, {name: t.samples for name, t in known.items()})
    found += [Finding("stated-limitation", "limitation", text) for text in limitations]
    return sorted(found, key=lambda finding: _ORDER.index(finding.severity))


def audit_splits(
    recordings: Recordings, splits: Sequence[Split], *, limitations: Sequence[str] = (), progress: Progress = quiet
) -> list[Finding]:
    """The findings of several splits of the same recordings, each once, with how many rounds it concerns."""
    findings: dict[tuple[object, ...], list[Finding]] = {}
    memory = Memory()  # rounds compare the same recordings
    for number, split in enumerate(splits, start=1):
        tell = progress if len(splits) == 1 else renamed(progress, f"Audit round {number} of {len(splits)}")
        in_round: dict[tuple[object, ...], Finding] = {}
        for found in _audited(recordings, split, memory, limitations=limitations, progress=tell):
            in_round.setdefault(found.subject, found)
        for subject, found in in_round.items():
            findings.setdefault(subject, []).append(found)
    return [_once(same) for same in findings.values()]


def same_signals(recordings: Recordings, most_s: float) -> list[Finding] | None:
    """Pairs that hold the same samples or are altered copies; None if there are more than `most_s` seconds in all."""
    picked = _pick(recordings, [r.id for r in recordings])
    memory = Memory()
    seconds = 0.0
    for r in picked:
        seconds += memory.traits_of(r).seconds
        if seconds > most_s:
            return None
    found = [*identical(picked, picked, memory.traits), *copies(picked, picked, memory, progress=quiet)]
    return list({f.subject: f for f in found if f.severity == "leak"}.values())


def _once(same: Sequence[Finding]) -> Finding:
    """What several rounds say of one subject: the worst of it, of all recordings that it concerns."""
    worst = min(_ORDER.index(f.severity) for f in same)
    members = [f for f in same if _ORDER.index(f.severity) == worst]
    names = tuple(dict.fromkeys(name for f in members for name in f.recordings))
    return replace(members[0], recordings=names, rounds=len(members))


def _pick(recordings: Recordings, names: Sequence[str]) -> list[Recording]:
    known = {r.id: replace(r, load=r.axes[0].load, axes=()) if r.axes else r for r in recordings}
    if len(known) != len(recordings):
        raise ConfigError("two recordings have the same id, so a split cannot tell them apart; rename one")
    unknown = [name for name in names if name not in known]
    if unknown:
        raise ConfigError(f"the split names {unknown[0]}, but there is no such recording; check the split's ids")
    return [known[name] for name in dict.fromkeys(names)]
