"""Text from files, made fit for a terminal: what would steer it is shown instead."""

import unicodedata

_JOINERS = "\u200c\u200d"  # Python calls them unprintable, and some scripts cannot be written without them


def printable(text: str, keep: str = "") -> str:
    """The text with control, escape and direction characters as Python escapes them, but for those in `keep`."""
    return text if text.isprintable() else "".join(c if _harmless(c) or c in keep else _escaped(c) for c in text)


def _harmless(character: str) -> bool:
    return character.isprintable() or character in _JOINERS or unicodedata.category(character) == "Zs"


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode()
