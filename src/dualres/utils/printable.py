"""Text from files, made fit for a terminal: what would steer it is shown instead."""

import unicodedata

_FORMULAS = ("=", "+", "-", "@")  # with which a formula begins
_JOINERS = "\u200c\u200d"  # Python calls them unprintable, and some scripts cannot be written without them


def printable(text: str, keep: str = "") -> str:
    """The text with control, escape and direction characters as Python escapes them, but for those in `keep`."""
    kept = (c.isprintable() or c in _JOINERS + keep or unicodedata.category(c) == "Zs" for c in text)
    return "".join(c if own else c.encode("unicode_escape").decode() for c, own in zip(text, kept, strict=True))


def table_cell(text: str) -> str:
    """As `printable`, with an apostrophe before what a spreadsheet would compute: a file may be called =1+1."""
    shown = printable(text)
    return f"'{shown}" if shown.startswith(_FORMULAS) else shown
