"""Labels that may be mistyped, components spelled in two ways, and the same samples under two labels."""

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable
from itertools import combinations

from dualres.errors import RecordingError
from dualres.recordings.recording import Recording, Segment, axes_of

_BETWEEN_NO_DIGITS = re.compile(r"(?<!\d)[\s_-]+|[\s_-]+(?!\d)")  # 1-2 is not 12
SHORTEST = 3  # letters; of shorter labels, such as IR and OR, each letter counts


def doubtful_labels(labels: Iterable[str]) -> list[str]:
    """A sentence for each pair of labels that differ by case, by blanks or by one letter, with their counts.

    Labels that differ by a digit are numbered, not mistyped. Of two that differ by a letter, one must be much rarer.
    """
    counts = Counter(labels)
    sentences = []
    for pair in combinations(sorted(counts), 2):
        rare, common = sorted(pair, key=lambda label: counts[label])
        mistyped = _one_letter(rare, common) and (counts[rare] == 1 or 2 * counts[rare] <= counts[common])
        if _plain(rare) == _plain(common) or mistyped:
            said = f'"{rare}" {_times(counts[rare])}, "{common}" {_times(counts[common])}'
            sentences.append(f'{said}: did you mean "{common}"? They are learned as two classes')
    return sentences


def doubtful_components(components: Iterable[str]) -> list[str]:
    """A sentence for each component that is spelled in several ways: B007, b007 and B-007 are held out apart."""
    counts = Counter(components)
    return [
        ", ".join(f'"{name}" {_times(counts[name])}' for name in names)
        + ": one component, spelled in several ways? They are held out as different ones"
        for names in several_spellings(counts)
    ]


def refuse_spellings(recordings: Iterable[Recording]) -> None:
    """An error where one component or one label is spelled in several ways, so that it would count as two."""
    known = list(recordings)
    components = several_spellings(one.component for one in known if one.component)
    for what, found in (("component", components), ("label", several_spellings(str(one.label) for one in known))):
        for names in found:
            said = " and ".join(f'"{name}"' for name in names)
            raise RecordingError(f"{said} are spellings of one {what}; write it in one way, or omit --strict")


def several_spellings(names: Iterable[str]) -> list[list[str]]:
    """Of those that differ only in how they are spelled, all spellings together."""
    spellings = defaultdict(list)
    for name in sorted(set(names)):
        spellings[spelled_alike(name)].append(name)
    return [alike for alike in spellings.values() if len(alike) > 1]


def refuse_contradictions(recordings: Iterable[Recording]) -> None:
    """An error if the same bytes, or the same seconds of them, carry two labels: nothing can be learned from both."""
    same: dict[tuple[str, str | None], list[Recording]] = defaultdict(list)
    for recording in recordings:
        for axis in axes_of(recording):
            if axis.origin.sha256:
                same[axis.origin.sha256, axis.origin.channel].append(recording)
    for members in same.values():
        for one, other in combinations(members, 2):
            here, there = (each.origin.part or Segment() for each in (one, other))
            if one.label != other.label and here.overlaps(there):
                raise RecordingError(
                    f"{one.id} is labelled {one.label} and {other.id} is labelled {other.label}, but they hold the "
                    "same bytes; correct a label, or remove one of the files"
                )


def spelled_alike(component: str) -> str:
    """The same for spellings that differ by case, by how letters are encoded, or by blanks, hyphens and underscores."""
    return _BETWEEN_NO_DIGITS.sub("", unicodedata.normalize("NFKC", component).casefold())


def _plain(label: str) -> str:
    return "".join(character for character in label.casefold() if character not in " _-")


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def _one_letter(one: str, other: str) -> bool:
    """Whether a letter more, less or changed, or two neighbours swapped, make one of the other."""
    short, long = sorted((one.casefold(), other.casefold()), key=len)
    if len(short) < SHORTEST or len(long) - len(short) > 1:
        return False
    start = 0
    while start < len(short) and short[start] == long[start]:
        start += 1
    a, b = short[start:], long[start:]
    if len(a) < len(b):
        return a == b[1:] and not b[0].isdigit()
    if a[1:] == b[1:]:
        return not (a[:1] + b[:1]).isdigit()
    return a[:2] == b[1::-1] and a[2:] == b[2:]
