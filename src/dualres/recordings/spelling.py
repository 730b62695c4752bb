"""Labels that may be one label, mistyped."""

from collections import Counter
from collections.abc import Iterable
from itertools import combinations

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
