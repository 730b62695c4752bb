"""One measurement on both sides of a split, altered or not, found in the samples themselves."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass

import numpy as np

from dualres.audit.confirm import Match, confirm
from dualres.audit.course import AROUND_S, Meeting, Sound, followed, met
from dualres.audit.finding import Finding, Recordings
from dualres.audit.fingerprint import FrequencyGrid
from dualres.audit.memory import Memory
from dualres.audit.screen import LONGEST_S, SHORTEST_S, Suspect, suspects
from dualres.audit.signals import Shelf, Traits
from dualres.audit.whitening import RATE
from dualres.recordings.recording import Recording, Samples
from dualres.utils.progress import Progress

_BLOCK_BYTES = 2**28  # of spectra held at a time


def copies(support: Recordings, evaluation: Recordings, memory: Memory, *, progress: Progress) -> Iterator[Finding]:
    """Evaluated recordings that share a stretch of signal with a support recording, but not all of it.

    Copies may be shifted, scaled, inverted, resampled, trimmed, embedded, noisy, filtered, played backwards, up to 3 %
    faster or slower, or at a speed that wobbles.
    """
    known, shelf = memory.traits, memory.shelf
    usable = {name for name, t in known.items() if t.seconds >= SHORTEST_S and t.rms > 0}
    skipped = tuple(dict.fromkeys(r.id for r in (*support, *evaluation) if r.id not in usable))
    if skipped:
        message = f"{len(skipped)} recordings are silent or shorter than {SHORTEST_S} s and were not compared"
        yield Finding("not-compared", "warning", message, skipped)
    support = [r for r in support if r.id in usable]
    if not support:
        return
    longest = max(known[r.id].seconds for r in support)
    grid = FrequencyGrid.spanning(longest / np.ceil(longest / LONGEST_S))
    blocks = list(_blocks(support, known, grid))
    reported = set()
    for b, block in enumerate(blocks):
        pieces = [piece for r in block for piece in memory.pieces_of(r, grid)]
        spectra = np.stack([piece.spectrum for piece in pieces])
        for e, judged in enumerate(evaluation, start=1):
            if judged.id in usable:
                rows, otherwise = memory.to_compare(pieces, judged)
                found = list[Suspect]()
                if len(rows) or len(otherwise):  # else all was compared in another round, or is the same recording
                    of_judged = memory.pieces_of(judged, grid)
                    found += suspects(pieces, spectra, of_judged, grid=grid, rows=rows, rows_otherwise=otherwise)
                # A copy at one speed might be followed as well, but is told as what it is.
                for way in (_confirmed, _confirmed_at_varying_speed):
                    for suspect in found:
                        pair = (suspect.learned.id, judged.id)
                        if pair in reported or known[pair[0]].sha256 == known[judged.id].sha256:
                            continue
                        match = way(suspect, _Heard.of(suspect.learned, shelf), _Heard.of(judged, shelf))
                        if match:
                            reported.add(pair)
                            yield _copied(suspect.learned, judged, *match)
                for r in block:
                    if (r.id, judged.id) not in reported:
                        memory.found_unlike(r.id, judged.id)
            progress("Compare", (b * len(evaluation) + e) // len(blocks), len(evaluation), "")


def _blocks(support: Recordings, known: dict[str, Traits], grid: FrequencyGrid) -> Iterator[list[Recording]]:
    block: list[Recording] = []
    size = 0.0
    for r in support:
        own = 4 * grid.size * np.ceil(known[r.id].seconds / grid.seconds)
        if block and size + own > _BLOCK_BYTES:
            yield block
            block, size = [], 0
        block.append(r)
        size += own
    yield block


@dataclass(frozen=True)
class _Heard:
    """A recording's signal and its rate in Hz."""

    signal: Samples
    rate: float

    @classmethod
    def of(cls, recording: Recording, shelf: Shelf) -> "_Heard":
        return cls(shelf.signal(recording), float(recording.rate))

    def around(self, at_s: float, seconds: float) -> Sound:
        return Sound.around(self.signal, self.rate, at_s, seconds)

    def holds(self, at_s: float) -> bool:
        return 0 < at_s < len(self.signal) / self.rate


def _confirmed(suspect: Suspect, learned: _Heard, judged: _Heard) -> tuple[Match, str] | None:
    """What they share, and how the judged one is played; None if nothing."""
    meeting, rate = suspect.meeting, judged.rate
    played, how = judged.signal, ""
    if suspect.backwards:
        played, how = played[::-1], "backwards"
    elif suspect.otherwise:
        meetings = _meetings(suspect, learned, judged)
        if not meetings:
            return None
        meeting = meetings[-1]
        rate *= 1 + meeting.stretch
        how = f"{abs(meeting.stretch):.2%} {'faster' if meeting.stretch > 0 else 'slower'}"
    match = confirm(learned.signal, learned.rate, played, rate, lag_s=meeting.lag_s)
    return (match, how) if match else None


def _confirmed_at_varying_speed(suspect: Suspect, learned: _Heard, judged: _Heard) -> tuple[Match, str] | None:
    meetings = [] if suspect.backwards else _meetings(suspect, learned, judged)
    if not meetings:
        return None
    start = meetings[0]
    course = followed(learned.around(start.learned_s, LONGEST_S), judged.around(start.judged_s, LONGEST_S), start)
    if not course:
        return None
    undone, start_s = course.undone(judged.signal, judged.rate), float(course.learned_s[0])
    match = confirm(learned.signal, learned.rate, undone, RATE, lag_s=start_s, followed=True)
    slowest, fastest = course.stretches
    return (match, f"at a speed that varies from {slowest:+.2%} to {fastest:+.2%}") if match else None


def _meetings(suspect: Suspect, learned: _Heard, judged: _Heard) -> list[Meeting]:
    near = suspect.meeting
    if not (learned.holds(near.learned_s) and judged.holds(near.judged_s)):
        return []
    return met(learned.around(near.learned_s, AROUND_S), judged.around(near.judged_s, AROUND_S), near)


def _copied(learned: Recording, judged: Recording, match: Match, how: str) -> Finding:
    message = (
        f"{judged.id} in the evaluation and {learned.id} in the support share {match.overlap_s:.2f} s of "
        f"signal: {f'played {how}, ' if how else ''}it starts {match.lag_s:+.4f} s into the latter, "
        f"correlation {match.correlation:.3f}"
    )
    evidence: dict[str, float | str] = dict(asdict(match))
    if how:
        evidence["played"] = how
    return Finding("copied-signal", "leak", message, (learned.id, judged.id), evidence)
