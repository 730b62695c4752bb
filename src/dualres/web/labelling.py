"""What is said of recordings: one or many at once, by a pattern, taken back, and which keys say it.

Every answer tells what has changed since the version that the page knows, and nothing else.
"""

import time
from collections import Counter
from collections.abc import Mapping
from typing import Any

from dualres.recordings.labels.edit import CellEdit, LabelConflictError
from dualres.recordings.labels.pattern import NamePattern
from dualres.recordings.labels.read import NOT_CONDITIONS
from dualres.utils.progress import Progress
from dualres.web.endpoints import Endpoint, Field
from dualres.web.events import Events
from dualres.web.facts import FactsReader
from dualres.web.index import FileEntry
from dualres.web.keys import ClassKeys
from dualres.web.listing import columns_of
from dualres.web.workspace import Workspace, is_campaign

SHOWN = 60  # recordings of a preview
REST = 10  # times as long as a look for what others have done, until the next one
VALUES = 12  # of a column in a preview

_CELLS = Field("cells", dict, "such as label, component or load, each a text")
_SEEN = Field("seen", dict, "these cells as they were shown; nothing is saved where one is another", None)
_PART = tuple(Field(name, float, "of a part; without, the whole", None, 0, 1e9) for name in ("start_s", "end_s"))
_SINCE = Field("since", int, "the version that the page knows; 0 for none", 0, 0, 1e15)
_EPOCH = Field("epoch", str, "of which series that version is", "")
_KNOWN = (_SINCE, _EPOCH)
_IDS = Field("ids", list, "the recordings that are meant")
_SOME = Field("ids", list, "the recordings that are meant; without, all", None)
_PATTERN = Field("pattern", str, "columns in braces, such as {label}_{component}_{load}.wav")
_OVER = Field("over", bool, "whether cells that say something else are written over", False)


class Labelling:
    def __init__(self, workspace: Workspace, events: Events, models: Any) -> None:
        self._workspace, self._events, self._models = workspace, events, models
        self._keys, self._told, self._next_look = ClassKeys(workspace.folder), 0, 0.0
        self.facts = FactsReader(workspace, self.tell)

    def endpoints(self) -> list[Endpoint]:
        one, pattern = "/api/recordings/{id}", (_PATTERN, _SOME, _OVER)
        said, many = (_CELLS, _SEEN, *_PART, *_KNOWN), (_IDS, _CELLS, *_KNOWN)
        key = (Field("label", str, "the class"), Field("key", str, "one digit or letter"))
        return [
            Endpoint("GET", "/api/changes", "Recordings that changed since a version", self.changes, _KNOWN),
            Endpoint("PUT", f"{one}/label", "Write cells of labels.csv", self.label, body=said),
            Endpoint("DELETE", f"{one}/part", "Take a labelled part away", self.remove_part, _KNOWN),
            Endpoint("PUT", "/api/labels", "Write the same cells of many", self.label_many, body=many),
            Endpoint("POST", "/api/pattern", "What a pattern finds in names", self.preview, body=pattern),
            Endpoint("PUT", "/api/pattern", "Write what it finds", self.label_by_pattern, body=(*pattern, *_KNOWN)),
            Endpoint("POST", "/api/undo", "Take the last change of labels.csv back", self.undo, body=_KNOWN),
            Endpoint("PUT", "/api/keys", "Choose the key of a class", self.choose_key, body=key),
        ]  # fmt: skip

    # What the page knows

    def changes(self, since: int, epoch: str) -> dict[str, Any]:
        """With everything where the version is of no use; files that were not read yet are read later."""
        if not since:
            self.facts.read_some()
        return self._changes(since, epoch, anew=not since)

    def _changes(self, since: int, epoch: str, *, anew: bool = False) -> dict[str, Any]:
        workspace, log = self._workspace, self._workspace.index.log
        entries = {} if is_campaign(workspace.folder) else workspace.index.look(anew=anew)
        found = log.since(since, epoch)
        ids = entries if found.changed is None else found.changed
        some = [entries[id] for id in ids if id in entries]
        if len(some) <= SHOWN:
            for one in some:
                workspace.facts(one)  # of a part that was made just now, for example
        return {
            "epoch": log.epoch,
            "version": found.version,
            "all": found.changed is None,
            "rows": columns_of(some, workspace),
            "removed": [id for id in found.removed if id not in entries],
            "folder": workspace.folder.name,
            "campaign": is_campaign(workspace.folder),
            "links": workspace.index.elsewhere,
            "models": self._models.names(),
            "keys": self._keys.of(one.row.known["label"] for one in some if one.row.known.get("label")),
        }

    def tell(self) -> None:
        """Pages hear that there is something new, and ask for it."""
        version = self._workspace.index.log.version
        if version > self._told:
            self._told = version
            self._events.publish("changes", {"epoch": self._workspace.index.log.epoch, "version": version})

    def look(self) -> None:
        """See what others have done, and tell of it; a folder that takes long to look at is looked at less often."""
        begin, log = time.monotonic(), self._workspace.index.log
        if begin < self._next_look or not self._events.heard or is_campaign(self._workspace.folder):
            return
        before = log.version
        self._workspace.index.look()
        if log.version > before:
            self.tell()
            self.facts.go_on()
        now = time.monotonic()
        self._next_look = now + REST * (now - begin)

    # What is said

    def label(
        self,
        id: str,
        *,
        cells: dict[str, str],
        seen: dict[str, str] | None,
        start_s: float | None,
        end_s: float | None,
        since: int,
        epoch: str,
    ) -> dict[str, Any]:
        part = None if end_s is None else (start_s or 0.0, end_s)
        with self._workspace.writers.writing():
            self._workspace.label(self._workspace.entry(id), cells, part, seen)
            return self._saved(since, epoch)

    def remove_part(self, id: str, since: int, epoch: str) -> dict[str, Any]:
        with self._workspace.writers.writing():
            self._workspace.unlist_part(self._workspace.entry(id))
            return self._saved(since, epoch)

    def label_many(self, ids: list[str], cells: dict[str, str], since: int, epoch: str) -> dict[str, Any]:
        """All of them, or none: where one was changed since the page has looked, nothing is saved."""
        with self._workspace.writers.writing():
            entries = self._some(ids)
            return self._write([(one, cells) for one in entries], since, epoch)

    def undo(self, since: int, epoch: str) -> dict[str, Any]:
        with self._workspace.writers.writing():
            return {"undone": self._workspace.undo(), **self._saved(since, epoch)}

    def _saved(self, since: int, epoch: str) -> dict[str, Any]:
        found = self._changes(since, epoch) if since else {}
        self.tell()
        self._keys.keep()
        return {"saved": True, **found}

    def _write(self, wanted: list[tuple[FileEntry, Mapping[str, str]]], since: int, epoch: str) -> dict[str, Any]:
        """As one change. The page has seen what the list said at its version."""
        if since:
            others = self._workspace.index.log.said_since(since, epoch)
            for entry, _ in wanted:
                if others is None or entry.id in others:
                    raise LabelConflictError(
                        f"{entry.name}: somebody else has changed it meanwhile; nothing was saved, look at it again"
                    )
        edits = [CellEdit(one.place, cells, there(one, cells) if since else None) for one, cells in wanted]
        if edits:
            self._workspace.write(edits, self._progress())
        return {"written": len(edits), **self._saved(since, epoch)}

    def _progress(self) -> Progress:
        def told(stage: str, done: int, total: int, remark: str) -> None:
            if total > SHOWN:
                self._events.publish("writing", {"done": done, "total": total})

        return told

    def _some(self, ids: list[str] | None) -> list[FileEntry]:
        if ids is None:
            return [one for one in self._workspace.entries() if not one.row.problem]
        known = self._workspace.index.look(anew=False)
        bad = next((id for id in ids if id not in known or known[id].row.problem), None)
        if bad is not None:
            self._workspace.entry(bad)  # says what is wrong with it
            known = self._workspace.index.look()
        return [known[id] for id in dict.fromkeys(ids) if id in known]

    # By a pattern

    def preview(self, pattern: str, ids: list[str] | None, over: bool) -> dict[str, Any]:
        """What would be written: how many names fit, what they say, and where the list says something else."""
        with self._workspace.writers.writing():
            return _Found(self._some(ids), NamePattern.parsed(pattern), over).as_data()

    def label_by_pattern(
        self, pattern: str, *, ids: list[str] | None, over: bool, since: int, epoch: str
    ) -> dict[str, Any]:
        with self._workspace.writers.writing():
            found = _Found(self._some(ids), NamePattern.parsed(pattern), over)
            return self._write(found.wanted, since, epoch)

    # Keys

    def choose_key(self, label: str, key: str) -> dict[str, Any]:
        keys = self._keys.choose(label, key)
        self._events.publish("keys", keys)
        return {"keys": keys}


class _Found:
    """What a pattern finds in the names of some recordings."""

    def __init__(self, entries: list[FileEntry], pattern: NamePattern, over: bool) -> None:
        self._count, self._columns = len(entries), pattern.columns
        fitting = [(one, cells) for one in entries if (cells := pattern.cells(one.place.file)) is not None]
        self._said = {name: Counter(cells[name] for _, cells in fitting) for name in pattern.columns}
        self._rows = [(one, cells, there(one, cells)) for one, cells in fitting]
        self._conflicts = [row for row in self._rows if _differ(row[1], row[2])]
        new = [(one, {n: text for n, text in cells.items() if text != was[n] and (over or not was[n])})
               for one, cells, was in self._rows]  # fmt: skip
        self.wanted: list[tuple[FileEntry, Mapping[str, str]]] = [(one, cells) for one, cells in new if cells]

    def as_data(self) -> dict[str, Any]:
        first = [
            *self._conflicts[: SHOWN // 3],
            *(row for row in self._rows if row not in self._conflicts[: SHOWN // 3]),
        ]
        return {
            "recordings": self._count,
            "fitting": len(self._rows),
            "conflicts": len(self._conflicts),
            "writes": len(self.wanted),
            "columns": {
                name: {"different": len(said), "values": dict(said.most_common(VALUES))}
                for name, said in self._said.items()
            },
            "rows": [{"id": one.id, "name": one.name, "cells": cells, "there": was} for one, cells, was in first],
        }


def _differ(cells: Mapping[str, str], was: Mapping[str, str]) -> bool:
    return any(was[name] not in ("", text) for name, text in cells.items())


def there(entry: FileEntry, names: Mapping[str, str]) -> dict[str, str]:
    """What the list says of a recording in these columns."""
    known = entry.row.known
    listed = known.get("condition") or {}
    return {name: (known.get(name) if name in NOT_CONDITIONS else listed.get(name)) or "" for name in names}
