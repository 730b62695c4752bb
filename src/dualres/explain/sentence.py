"""Why a verdict, in one sentence for an engineer, and where what it names lies on spectra."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import sqrt
from typing import Literal

from dualres.explain.reasons import Reasons, Share
from dualres.explain.regions import LOW_LINES, SPECTRA

PLACES = 2  # of each kind that are named; of what speaks for the runner-up, one
NOTABLE = 0.3  # of the most telling region of its side: what says less is not named
CONTRARY = 0.4  # of the most telling region of the verdict, from which the runner-up's are named as well


@dataclass(frozen=True)
class Mark:
    """A place that a sentence names: on the spectrum in Hz, or on the envelope in orders or in Hz."""

    where: Literal["spectrum", "envelope"]
    axis: Literal["hz", "orders"]
    low: float
    high: float
    speaks_for: str  # the class
    trait: str  # strong: as this class is; weak: where the other one of the two is strong; or said
    words: str
    nats: float


def marks_of(reasons: Reasons, highest_hz: float) -> tuple[Mark, ...]:
    """The most telling places of a recording that reaches up to `highest_hz`; its verdict's first."""
    own = _chosen(reasons.shares, reasons.label, highest_hz, against=False)
    other = _chosen(reasons.shares, reasons.rival, highest_hz, against=True)
    strongest = max((abs(mark.nats) for mark in own), default=0.0)
    if max((abs(mark.nats) for mark in other), default=0.0) < CONTRARY * strongest:
        other = []
    firsts = [next((mark for mark in other if mark.trait == trait), None) for trait in ("strong", "weak", "said")]
    return (*own, *(mark for mark in firsts if mark))


def sentence_of(reasons: Reasons, marks: Sequence[Mark]) -> str:
    """Such as "Most like 'inner': strong at 5.41 x shaft; 'outer' would be stronger at 3.58 x shaft"."""
    label, rival = repr(reasons.label), repr(reasons.rival)

    def told(name: str, trait: str) -> str:
        return _listed([mark.words for mark in marks if mark.speaks_for == name and mark.trait == trait])

    strong, weak, said = (told(reasons.label, trait) for trait in ("strong", "weak", "said"))
    parts = [f"strong {strong}"] if strong else []
    parts += [f"{rival} would be stronger {weak}"] if weak else []
    parts += [f"what tells is {said}"] if said and not parts else []
    text = f"Most like {label}" + (f": {'; '.join(parts)}." if parts else ".")
    strong, weak, said = (told(reasons.rival, trait) for trait in ("strong", "weak", "said"))
    contrary = [f"like {rival} it is strong {strong}"] if strong else []
    contrary += [f"{label} would be stronger {weak}"] if weak else []
    contrary += [f"for {rival} speaks what is {said}"] if said and not contrary else []
    return f"{text} But {', and '.join(contrary)}." if contrary else text


def _chosen(shares: Iterable[Share], name: str, highest_hz: float, *, against: bool) -> list[Mark]:
    """The most telling places of one side; where a network tells no traits, of the places that say most."""
    heard = [one for one in shares if (one.whole < 0) == against and one.whole and one.region.low_hz < highest_hz]
    traits = any(one.above is not None for one in heard)
    if traits:
        heard = [one for one in heard if one.trait]
    limit = NOTABLE * max((abs(one.whole) for one in heard), default=0.0)
    found = _joined([_mark(one, name) for one in heard if abs(one.whole) >= limit])
    found.sort(key=lambda mark: -abs(mark.nats))
    kept = []
    for trait in ("strong", "weak", "said"):
        kept += [mark for mark in found if mark.trait == trait][:PLACES]
    return kept


def _mark(share: Share, name: str) -> Mark:
    region, trait = share.region, share.trait or "said"
    if region.view in (SPECTRA, LOW_LINES):
        return Mark("spectrum", "hz", region.low_hz, region.high_hz, name, trait, "", share.whole)
    rates = region.orders or region.repeats_hz
    assert rates
    if not region.orders:
        return Mark("envelope", "hz", *rates, name, trait, f"at {_number(*rates)} times a second", share.whole)
    lines = [line for line in region.lines if line.lowest] or list(region.lines)
    order = lines[0].order if lines else sqrt(rates[0] * rates[1])
    known = f" ({lines[0].name})" if lines else ""
    words = f"at {order:.2f} x shaft{known}" if order < 10 else f"at {order:.1f} x shaft{known}"
    return Mark("envelope", "orders", *rates, name, trait, words, share.whole)


def _joined(marks: Iterable[Mark]) -> list[Mark]:
    """Places beside each other as one, unless they are two lines of the machine; named by the more telling one."""
    found: list[Mark] = []
    for mark in sorted(marks, key=lambda one: (one.where, one.axis, one.trait, one.low, one.high)):
        last = found[-1] if found else None
        if last is None or not _beside(last, mark):
            found.append(mark)
            continue
        words = max(last, mark, key=lambda one: ("(" in one.words, abs(one.nats))).words
        found[-1] = replace(last, high=max(last.high, mark.high), words=words, nats=last.nats + mark.nats)
    return [mark if mark.words else replace(mark, words=_band(mark.low, mark.high)) for mark in found]


def _beside(one: Mark, other: Mark) -> bool:
    kind = (one.where, one.axis, one.trait) == (other.where, other.axis, other.trait)
    two_lines = "(" in one.words and "(" in other.words and one.words != other.words
    return kind and other.low <= one.high * (1 + 1e-9) and not two_lines


def _band(low: float, high: float) -> str:
    if high < 1000 and low:
        return f"between {low:.3g} and {high:.3g} Hz"
    return f"below {high / 1000:.3g} kHz" if not low else f"between {low / 1000:.3g} and {high / 1000:.3g} kHz"


def _number(low: float, high: float) -> str:
    return f"{sqrt(low * high):.0f}" if high >= 20 else f"{sqrt(low * high):.1f}"


def _listed(words: Sequence[str]) -> str:
    return " and ".join(words)
