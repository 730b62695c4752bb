"""Which part of a bearing the name of a class speaks of, where it is one that people use."""

import re

from dualres.errors import ConfigError
from dualres.faultlines.fault_orders import NAMES, Part

WORDS: dict[Part, tuple[str, ...]] = {
    "outer race": ("outer", "outerrace", "outerring", "bpfo"),
    "inner race": ("inner", "innerrace", "innerring", "bpfi"),
    "rolling element": ("ball", "balls", "roller", "rollers", "element", "elements", "bsf"),
    "cage": ("cage", "retainer", "ftf"),
}
# Alone or before a number, as in OR, IR007 and B014@6; elsewhere these letters are words of their own.
LETTERS: dict[str, Part] = {"or": "outer race", "ir": "inner race", "b": "rolling element"}
WELL = ("good", "healthy", "normal", "ok", "baseline")  # names that a class of machines running well may have
SHAFTS_AND_GEARS = (
    *("unbalance", "imbalance", "misalignment", "misaligned", "looseness", "loose", "bent", "shaft"),
    *("gear", "gears", "tooth", "teeth"),
)
NONE = "none"  # what somebody calls a class that is no fault of a bearing
_KIND_OF_BEARING = re.compile(r"(ball|roller|rolling|rolling element)[ _-]*bearing")
_LETTERS = re.compile(r"(or|ir)|(or|ir|b)[ _-]?\d[\d@_. -]*")


def part_of(name: str) -> Part | None:
    """The only part that a name speaks of; None where that is none, or not clear."""
    plain = name.strip().casefold()
    if short := _LETTERS.fullmatch(plain):
        return LETTERS[short[1] or short[2]]
    words = _words(plain)
    found = {part for part, known in WORDS.items() if words.intersection(known)}
    return found.pop() if len(found) == 1 and not words.intersection(WELL) else None


def is_no_part(name: str) -> bool:
    """Whether a name says that a bearing is not what is damaged: the machine runs well, or a shaft or gear is."""
    return part_of(name) is None and bool(_words(name.casefold()).intersection((*WELL, *SHAFTS_AND_GEARS)))


def stated_part(text: str) -> Part | None:
    """A part as somebody writes it, "inner" say, or None for "none"."""
    plain = text.strip().casefold()
    if plain == NONE:
        return None
    part = NAMES.get(plain) or part_of(plain)
    if part is None:
        raise ConfigError(f"fault {text!r} is not known; give one of {', '.join(NAMES)} or {NONE}")
    return part


def _words(plain: str) -> set[str]:
    return set(re.findall(r"[a-z]+", _KIND_OF_BEARING.sub(" ", plain)))
