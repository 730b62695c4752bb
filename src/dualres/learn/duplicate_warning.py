"""Copies among the recordings of a fit, which an estimate would both learn from and judge."""

from collections.abc import Sequence
from itertools import combinations

from dualres.audit import same_signals
from dualres.learn.holdout import Rounds
from dualres.recordings.recording import Recording

MOST_S = 300.0  # s of signal in all, which take a few seconds to compare; the audit compares any number


def shared_signals(recordings: Sequence[Recording], plans: Sequence[Rounds]) -> tuple[str, ...]:
    """A sentence for each pair that is one measurement and held out from each other, or one that says why not."""
    found = same_signals(recordings, MOST_S)
    if found is None:
        return (f"more than {MOST_S:.0f} s of signal were not searched for altered copies; dualres audit does it",)
    told = {}
    for names, seconds in ((sorted(f.recordings), f.evidence.get("overlap_s")) for f in found):
        for pair in combinations(names, 2):
            if any(len(held & set(pair)) == 1 for plan in plans for held in plan.held_out):
                what = f"share {seconds:.2f} s of signal" if isinstance(seconds, float) else "hold the same samples"
                told[pair] = f"{' and '.join(pair)} {what}: one was judged by what was learned from the other"
    return tuple(told.values())
