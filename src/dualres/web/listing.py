"""The recordings of a folder for the page's list: by columns, for tens of thousands of rows have the same few names."""

from collections.abc import Iterable, Mapping
from typing import Any

from dualres.web.index import FileEntry
from dualres.web.workspace import FileFacts, Workspace


def columns_of(entries: Iterable[FileEntry], workspace: Workspace) -> dict[str, Any]:
    """What is known of each, without opening a file: `seconds` and `problem` are null where it was not read yet.

    `file` is null where it is the name. `axes` holds each list of axes once, and `axis` says which is whose. A
    condition is a column by its name, with a text or null for each recording.
    """
    some = [(one, workspace.known_facts(one)) for one in entries]
    axes: dict[tuple[str, ...], int] = {}
    which = [axes.setdefault(facts.axes if facts else (), len(axes)) for _, facts in some]
    conditions: dict[str, list[str | None]] = {}
    for at, (one, _) in enumerate(some):
        for name, value in _condition(one).items():
            if name not in conditions:
                conditions[name] = [None] * len(some)
            conditions[name][at] = value
    return {
        "id": [one.id for one, _ in some],
        "name": [one.name for one, _ in some],
        "file": [None if one.place.file == one.name else one.place.file for one, _ in some],
        "label": [one.row.known.get("label") for one, _ in some],
        "component": [one.row.known.get("component") for one, _ in some],
        "condition": conditions,
        "start_s": [one.place.start_s for one, _ in some],
        "end_s": [one.place.end_s for one, _ in some],
        "axes": [list(names) for names in axes],
        "axis": which,
        **{name: [getattr(facts, name, None) for _, facts in some] for name in _OF_FACTS},
    }


_OF_FACTS = ("seconds", "rate", "problem", "speed_rpm")


def _condition(entry: FileEntry) -> Mapping[str, str]:
    return entry.row.known.get("condition") or {}


def described(entry: FileEntry, facts: FileFacts | None) -> dict[str, Any]:
    """One recording, by itself."""
    place = entry.place
    return {
        "id": entry.id,
        "name": entry.name,
        "file": place.file,
        "label": entry.row.known.get("label"),
        "component": entry.row.known.get("component"),
        "condition": dict(_condition(entry)),
        "start_s": place.start_s,
        "end_s": place.end_s,
        **(vars(facts) if facts else {"seconds": None, "rate": None, "axes": [], "problem": "", "speed_rpm": None}),
    }
