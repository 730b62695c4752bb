"""Labels and conditions that names of files say, by a pattern such as {label}_{component}_{load}.wav."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from dualres.errors import ConfigError

MOST_FIELDS = 10
MOST_LOOSE = 3  # places that may be of any length, so that a long name is tried quickly
LONGEST = 200  # characters of a pattern
_PLACE = re.compile(r"\{([^{}]*)\}|\*")
_COLUMN = re.compile(r"[a-z][a-z0-9_ ]{0,40}")
_TAKEN = {"file", "channel", "channels", "rate", "start_s", "end_s"}  # say which samples are meant
EXAMPLE = "{label}_{component}_{load}.wav"


@dataclass(frozen=True)
class NamePattern:
    """Columns in braces, a star for anything, and the text between them.

    A place in braces holds neither a slash nor a mark that follows any of them. A pattern with a slash is about the
    whole name below the folder, others about its last part; without a suffix, about every suffix.
    """

    columns: tuple[str, ...]
    expression: re.Pattern[str]
    whole: bool  # whether it is about the whole name
    suffix: bool  # whether it says the suffix

    @classmethod
    def parsed(cls, text: str) -> "NamePattern":
        text = text.strip()
        if not text or len(text) > LONGEST:
            raise ConfigError(f"a pattern has 1 to {LONGEST} characters, such as {EXAMPLE}")
        pieces, at, columns, loose = list[str](), 0, list[str](), 0
        places = [*_PLACE.finditer(text)]
        marks = "".join({_mark_after(text, place.end()) for place in places})
        for place in places:
            before = text[at : place.start()]
            if pieces and not before:
                raise ConfigError(f"{text}: two places stand side by side; put a mark such as _ between them")
            pieces.append(_plain(before, text))
            if place[0] == "*":
                pieces.append("[^/]*?")
            else:
                columns.append(_column(place[1], text))
                pieces.append(f"([^/{re.escape(marks)}]+?)")
            loose += place[0] == "*" or not _mark_after(text, place.end())
            at = place.end()
        pieces.append(_plain(text[at:], text))
        if not columns or len(columns) > MOST_FIELDS or len(set(columns)) < len(columns):
            raise ConfigError(f"{text}: names each of 1 to {MOST_FIELDS} columns in braces once, as in {EXAMPLE}")
        if loose > MOST_LOOSE:
            raise ConfigError(f"{text}: at most {MOST_LOOSE} places may end at a letter, a dot or the end; use a mark")
        suffix = bool(re.search(r"\.[A-Za-z0-9]+$", text))
        return cls(tuple(columns), re.compile("".join(pieces)), "/" in text, suffix)

    def cells(self, file: str) -> Mapping[str, str] | None:
        """What a name says, by column; None where the pattern does not fit it."""
        name = PurePosixPath(file)
        text = file if self.whole else name.name
        if not self.suffix:
            text = text[: len(text) - len(name.suffix)]
        found = self.expression.fullmatch(text)
        return dict(zip(self.columns, (each.strip() for each in found.groups()), strict=True)) if found else None


def _mark_after(text: str, at: int) -> str:
    """What ends a place that ends here, such as _ or -; not a letter, which may stand in it, nor a dot, as in 2.5."""
    mark = text[at : at + 1]
    return "" if mark in ("", ".", "{", "}", "*") or mark.isalnum() else mark


def _plain(piece: str, text: str) -> str:
    if "{" in piece or "}" in piece:
        raise ConfigError(f"{text}: a brace stands alone; write a column as in {EXAMPLE}")
    return re.escape(piece)


def _column(name: str, text: str) -> str:
    column = name.strip().lower()
    if not _COLUMN.fullmatch(column):
        raise ConfigError(f"{text}: {{{name}}} is no column; use letters and digits, as in {EXAMPLE}")
    if column in _TAKEN:
        raise ConfigError(f"{text}: the column {column} says which samples are meant; no name of a file can say that")
    return column
