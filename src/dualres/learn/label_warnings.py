"""What no hold-out among labelled recordings shows: copies that it judges, and what all labels share."""

from collections.abc import Sequence
from itertools import combinations

from dualres.audit import same_signals
from dualres.learn.holdout import Rounds, by_class
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


def narrow(recordings: Sequence[Recording]) -> tuple[str, ...]:
    """A sentence for each condition that is known of all and for the specimens, where labelled ones do not differ."""
    sentences, classes = [], by_class(recordings).values()
    known = set.intersection(*(set(one.condition) for one in recordings)) if recordings else set()
    for name in sorted(known):
        values = {one.condition[name] for one in recordings}
        if len(values) == 1:
            sentences.append(
                f"all labels are at {name} {values.pop()}: how well the model does at another {name} is not known, "
                "and no estimate foresees it"
            )
        elif all(len({one.condition[name] for one in members}) == 1 for members in classes):
            sentences.append(f"every class has one {name} only, and not all the same: the model may learn that instead")
    specimens = [{one.component for one in members} for members in classes]
    if recordings and all(len(its) == 1 and None not in its for its in specimens):
        sentences.append(
            "every class is of one component only: how well the model does on another is not known, and no estimate "
            "foresees it"
        )
    return tuple(sentences)
