"""What all labels share: of anything else no hold-out among them can say how well a model does."""

from collections.abc import Sequence

from dualres.recordings.recording import Recording


def narrow(recordings: Sequence[Recording]) -> tuple[str, ...]:
    """A sentence for each operating condition, and for the specimens, in which labelled recordings do not differ.

    Conditions that are not known of every recording are passed over: what they are is not known.
    """
    sentences = []
    known = set.intersection(*(set(one.condition) for one in recordings)) if recordings else set()
    for name in sorted(known):
        values = {one.condition[name] for one in recordings}
        if len(values) == 1:
            sentences.append(
                f"all labels are at {name} {values.pop()}: how well the model does at another {name} is not known, "
                "and no estimate foresees it"
            )
        elif all(len(at) == 1 for at in _per_class(recordings, name)):
            sentences.append(f"every class has one {name} only, and not all the same: the model may learn that instead")
    specimens = [{one.component for one in recordings if one.label == label} for label in _classes(recordings)]
    if recordings and all(len(its) == 1 and None not in its for its in specimens):
        sentences.append(
            "every class is of one component only: how well the model does on another is not known, and no estimate "
            "foresees it"
        )
    return tuple(sentences)


def _classes(recordings: Sequence[Recording]) -> list[str | None]:
    return list(dict.fromkeys(one.label for one in recordings))


def _per_class(recordings: Sequence[Recording], name: str) -> list[set[str]]:
    """The values of a condition that each class has."""
    return [{one.condition[name] for one in recordings if one.label == label} for label in _classes(recordings)]
