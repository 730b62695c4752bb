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

    A place in braces holds neither a slash nor the mark that follows it. A pattern with a slash is about the whole
    name below the folder, others about its last part; without a suffix, about every suffix.
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
        pieces, at, columns, loose, touching = [], 0, list[str](), 0, False
        for place in _PLACE.finditer(text):
            before, after = text[at : place.start()], text[place.end() :]
            if touching and not before:
                raise ConfigError(f"{text}: two places stand side by side; put a mark such as _ between them")
            pieces.append(re.escape(before))
            mark = after[:1] if after[:1] not in ("", ".", "{", "*") and not after[:1].isalnum() else ""
            inside = f"[^/{re.escape(mark)}]+" if mark else "[^/]+?"
            loose += not mark
            if place[0] == "*":
                pieces.append(inside.replace("+", "*"))
            else:
                columns.append(_column(place[1], text))
                pieces.append(f"({inside})")
            at, touching = place.end(), True
        pieces.append(re.escape(text[at:]))
        if "{" in text[at:] or "}" in text[at:]:
            raise ConfigError(f"{text}: a brace stands alone; write a column as in {EXAMPLE}")
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


def _column(name: str, text: str) -> str:
    column = name.strip().lower()
    if not _COLUMN.fullmatch(column):
        raise ConfigError(f"{text}: {{{name}}} is no column; use letters and digits, as in {EXAMPLE}")
    if column in _TAKEN:
        raise ConfigError(f"{text}: the column {column} says which samples are meant; no name of a file can say that")
    return column
