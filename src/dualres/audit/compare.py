"""One measurement on both sides of a split, altered or not, found in the samples themselves."""

from collections.abc import Iterator
from dataclasses import asdict

import numpy as np

from dualres.audit.confirm import Match, confirm
from dualres.audit.finding import Finding, Recordings
from dualres.audit.fingerprint import FrequencyGrid
from dualres.audit.screen import LONGEST_S, SHORTEST_S, Suspect, pieces_of, suspects
from dualres.audit.signals import Shelf, Traits
from dualres.recordings.recording import Recording
from dualres.utils.progress import Progress

_BLOCK_BYTES = 2**28  # of spectra held at a time


def copies(
    support: Recordings, evaluation: Recordings, known: dict[str, Traits], shelf: Shelf, *, progress: Progress
) -> Iterator[Finding]:
    """Evaluated recordings that share a stretch of signal with a support recording, but not all of it.

    Copies may be shifted, scaled, inverted, resampled, trimmed, embedded, noisy, filtered, played backwards or up to
    1.5 % faster or slower.
    """
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
        pieces = [piece for r in block for piece in pieces_of(r, shelf.signal(r), grid)]
        spectra = np.stack([piece.spectrum for piece in pieces])
        for e, judged in enumerate(evaluation, start=1):
            if judged.id in usable:
                for suspect in suspects(pieces, spectra, judged, shelf.signal(judged), grid=grid):
                    pair = (suspect.learned.id, judged.id)
                    if pair in reported or known[pair[0]].sha256 == known[judged.id].sha256:
                        continue
                    learned, played = shelf.signal(suspect.learned), shelf.signal(judged)
                    played = played[::-1] if suspect.backwards else played
                    rate = float(judged.rate) * (1 + suspect.stretch)
                    match = confirm(learned, float(suspect.learned.rate), played, rate, lag_s=suspect.lag_s)
                    if match:
                        reported.add(pair)
                        yield _copied(suspect, judged, match)
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


def _copied(suspect: Suspect, judged: Recording, match: Match) -> Finding:
    faster = f"played {abs(suspect.stretch):.2%} {'faster' if suspect.stretch > 0 else 'slower'}, "
    how = "played backwards, " if suspect.backwards else faster if suspect.stretch else ""
    message = (
        f"{judged.id} in the evaluation and {suspect.learned.id} in the support share {match.overlap_s:.2f} s of "
        f"signal: {how}it starts {match.lag_s:+.4f} s into the latter, correlation {match.correlation:.3f}"
    )
    evidence: dict[str, float | str] = dict(asdict(match))
    if how:
        evidence["played"] = how.removeprefix("played ").removesuffix(", ")
    return Finding("copied-signal", "leak", message, (suspect.learned.id, judged.id), evidence)
