"""Which key stands for which class. A class keeps its key for good, unless somebody chooses another."""

import json
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from threading import Lock

from dualres.errors import ConfigError, OutputError
from dualres.utils.files import write_whole
from dualres.utils.folder_lock import alone_in
from dualres.utils.json_text import json_value

FILE = "labels.keys.json"  # beside the list: every page of the folder has the same keys
KEYS = "123456789abcdefghilmopqrstvwxyz"  # in the order in which they are given; j, k, n and u move, find and undo
LARGEST = 1 << 20  # bytes of the file


class ClassKeys:
    def __init__(self, folder: Path) -> None:
        self._folder, self._lock = folder, Lock()
        self._keys = self._kept()

    def of(self, classes: Iterable[str]) -> dict[str, str]:
        """The key of each class that was ever seen; those that have none yet get the next, as long as there is one."""
        with self._lock:
            self._give(classes)
            return {**self._keys}

    def choose(self, label: str, key: str) -> dict[str, str]:
        """Give a class this key; a class that has it gets the other's."""
        if key not in KEYS or len(key) != 1:
            raise ConfigError(f"{key!r} is no key for a class; use one of {KEYS}")
        with self._lock:
            self._give([label])
            had = self._keys.pop(label, "")
            for other in [name for name, its in self._keys.items() if its == key]:
                del self._keys[other]
                if had:
                    self._keys[other] = had
            self._keys[label] = key
            self._save(merge=False)
            return {**self._keys}

    def keep(self) -> None:
        """Write down which class has which key. Where that cannot be, keys are those of this page alone."""
        with self._lock, suppress(OutputError):
            if self._keys and self._kept() != self._keys:
                self._save(merge=True)

    def _give(self, classes: Iterable[str]) -> None:
        new = sorted({*classes} - self._keys.keys())
        free = [key for key in KEYS if key not in self._keys.values()]
        self._keys |= dict(zip(new, free, strict=False))

    def _save(self, *, merge: bool) -> None:
        with alone_in(self._folder):  # who writes the list has the same lock; what one left unfinished stays so
            if merge:
                kept = self._kept()
                others = {label: key for label, key in self._keys.items() if label not in kept}
                taken = set(kept.values())
                self._keys = kept | {label: key for label, key in others.items() if key not in taken}
                self._give(others)
            write_whole(self._folder / FILE, json.dumps(self._keys, indent=1).encode())

    def _kept(self) -> dict[str, str]:
        """Those that are written down; of a file that says nothing of the kind, none."""
        path = self._folder / FILE
        try:
            if not path.is_file() or path.stat().st_size > LARGEST:
                return {}
            said = json_value(path.read_bytes())
        except (OSError, ValueError):
            return {}
        found: dict[str, str] = {}
        for label, key in said.items() if isinstance(said, dict) else ():
            if isinstance(key, str) and len(key) == 1 and key in KEYS and key not in found.values():
                found[label] = key
        return found
