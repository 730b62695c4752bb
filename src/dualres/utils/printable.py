"""Text from files, made fit for a terminal: what would steer it is shown instead."""

import re
import unicodedata

# With which a formula begins; the last four, as wide as Chinese letters, in some countries.
_FORMULAS = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.ASCII | re.IGNORECASE)
_JOINERS = "\u200c\u200d"  # Python calls them unprintable, and some scripts cannot be written without them


def printable(text: str, keep: str = "") -> str:
    """The text with control, escape and direction characters as Python escapes them, but for those in `keep`."""
    kept = (c.isprintable() or c in _JOINERS + keep or unicodedata.category(c) == "Zs" for c in text)
    return "".join(c if own else c.encode("unicode_escape").decode() for c, own in zip(text, kept, strict=True))


def table_cell(text: str) -> str:
    """As `printable`, with an apostrophe before what a spreadsheet would compute: a file may be called =1+1. Numbers
    stay numbers. A cell of apostrophes and then one of `_FORMULAS` has one apostrophe more than the text."""
    shown = printable(text)
    return f"'{shown}" if _computed(shown) else shown


def _computed(text: str) -> bool:
    """Whether a spreadsheet takes it for a formula, also where apostrophes that say no stand before it already."""
    bare = text.lstrip("'")
    return bare.lstrip().startswith(_FORMULAS) and not (bare == text and _NUMBER.fullmatch(text))
