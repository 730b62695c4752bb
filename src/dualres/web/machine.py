"""What somebody has said of the folder's machine: its speed, its bearing and its gear. It is kept in the folder."""

import json
from collections.abc import Mapping
from pathlib import Path
from threading import Lock

from dualres.errors import ConfigError
from dualres.explain.check import CheckedMachine
from dualres.faultlines.severity import limits_of
from dualres.recordings.speed import given_speed
from dualres.utils.files import write_whole
from dualres.utils.json_text import json_value

FILE = "machine.json"
FACTS = ("speed", "bearing", "orders", "gear", "unit", "zones")
UNITS = ("", "g", "m/s2", "mm/s2")
LONGEST = 500  # characters of a fact
LARGEST = 1 << 16  # bytes of the file


class MachineFile:
    """The facts, empty where nothing is known."""

    def __init__(self, folder: Path) -> None:
        self._path, self._lock = folder / FILE, Lock()

    def read(self) -> dict[str, str]:
        """A file that cannot be understood says nothing."""
        try:
            told = json_value(self._path.read_bytes()) if self._path.stat().st_size <= LARGEST else None
        except (OSError, ValueError):
            told = None
        facts = told if isinstance(told, dict) else {}
        return {name: _fact(facts.get(name)) for name in FACTS}

    def write(self, facts: Mapping[str, str | None]) -> dict[str, str]:
        """Change these, and leave the others as they are; gives all of them."""
        said = {name: text.strip() for name, text in facts.items() if text is not None}
        with self._lock:
            known = self.read() | said
            check_facts(known)
            write_whole(self._path, json.dumps(known, indent=1).encode())
        return known


def check_facts(facts: Mapping[str, str]) -> None:
    """An error where a fact cannot be understood, before any recording is read."""
    given_speed(facts.get("speed") or None)
    _ = checked_machine(facts).known  # and its zones
    if facts.get("unit", "") not in UNITS:
        raise ConfigError(f"unit {facts['unit']!r}: choose g, m/s2 or mm/s2, or none")


def checked_machine(facts: Mapping[str, str]) -> CheckedMachine:
    """As a check takes it; typed orders say more than a bearing."""
    bearing, orders, gear, unit = (facts.get(name) or None for name in ("bearing", "orders", "gear", "unit"))
    return CheckedMachine(bearing, orders, gear, unit, limits_of(facts["zones"]) if facts.get("zones") else None)


def options_of(facts: Mapping[str, str]) -> list[str]:
    """As commands take them, but for the speed; limits between zones judge nothing where the unit is not known."""
    names = [name for name in ("bearing", "orders", "gear", "unit") if facts.get(name)]
    if facts.get("orders") and "bearing" in names:
        names.remove("bearing")
    if facts.get("unit") and facts.get("zones"):
        names.append("zones")
    return [f"--{name}={facts[name]}" for name in names]


def _fact(text: object) -> str:
    return text if isinstance(text, str) and len(text) <= LONGEST and text.isprintable() else ""
