"""What commands say, in the words of the page: it has no options, so that a text about one must not reach it."""

import re

_INSTEAD = (
    (re.compile(r" \([^()]*(?<![\w./-])--[a-z][^()]*\)"), ""),  # "(rate=..., --rate)"
    (re.compile(r", with --sure ([0-9.]+) from "), r"; to keep them in \1 of all such models, from "),
    (re.compile(r",? or (?:use |omit |by )?--[a-z-]+(?= |$|[;.,])"), ""),
    (re.compile(r"(?<![\w./-])--([a-z][a-z-]*)"), r"\1"),
)


def plain(text: str) -> str:
    """Without the names of options; names of files stay as they are, also where they hold dashes."""
    for pattern, instead in _INSTEAD:
        text = pattern.sub(instead, text)
    return text
