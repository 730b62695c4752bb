"""Live streams on the page: what `dualres watch MODEL SOURCE --to FOLDER/streams/NAME.jsonl` has written.

The page reads these files, whoever writes them, on this machine or copied from others. That somebody has seen an alarm
is kept beside them.
"""

import json
import os
from pathlib import Path
from threading import Lock
from typing import Any

from dualres.errors import RecordingError
from dualres.utils.files import write_whole
from dualres.utils.folder_lock import alone_in
from dualres.utils.json_text import json_value
from dualres.utils.special_files import open_regular, unusual

STREAMS = "streams"  # the folder, below the page's own
SEEN = "acknowledged.json"
TAIL = 1 << 20  # bytes of a file that are looked at: its last verdicts
POINTS = 720  # verdicts of a stream that are drawn: an hour of blocks of five seconds
SHOWN = ("time", "label", "probability", "answer", "set", "missing", "condition", "kind")


class LiveStreams:
    def __init__(self, folder: Path) -> None:
        self._folder, self._lock = folder / STREAMS, Lock()

    def changed_ns(self) -> int:
        return max(map(_changed_ns, self._files()), default=0)

    def streams(self) -> list[dict[str, Any]]:
        """Every stream with its last verdicts, in the order of names; those with an alarm first."""
        told: dict[str, list[dict[str, Any]]] = {}
        for path in self._files():
            for record in _records(path):
                told.setdefault(f"{path.stem}/{record['stream']}", []).append(record)
        seen = self._seen()
        found = [_stream(name, records, seen.get(name)) for name, records in told.items()]
        return sorted(found, key=lambda one: (not (one["alarm"] and one["alarm"]["raised"]), one["name"]))

    def acknowledge(self, name: str) -> None:
        """Somebody has seen the alarm that a stream has now."""
        if not self._folder.is_dir():
            raise RecordingError(f"{name}: has no alarm; look at the streams again")
        with self._lock, alone_in(self._folder) as turn:
            turn.unfinished = False
            one = next((each for each in self.streams() if each["name"] == name), None)
            if one is None or not (one["alarm"] and one["alarm"]["raised"]):
                raise RecordingError(f"{name}: has no alarm; look at the streams again")
            seen = {**self._seen(), name: one["alarm"]["which"]}
            write_whole(self._folder / SEEN, json.dumps(seen, indent=1).encode())

    def _files(self) -> list[Path]:
        return [path for path in sorted(self._folder.glob("*.jsonl")) if path.exists() and not unusual(path)]

    def _seen(self) -> dict[str, str]:
        try:
            seen = json.loads((self._folder / SEEN).read_text())
        except (OSError, ValueError):
            return {}
        return seen if isinstance(seen, dict) else {}


def _changed_ns(path: Path) -> int:
    """0 for a link that leads nowhere, and for what was just taken away."""
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0


def _records(path: Path) -> list[dict[str, Any]]:
    """The verdicts at the end of a file; a line that is cut off, or is none, is passed over, and so is a file that
    cannot be read."""
    try:
        with open_regular(path) as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - TAIL))
            lines = file.read().split(b"\n")
    except (OSError, RecordingError):
        return []
    found = []
    for line in lines[1 if size > TAIL else 0 :]:
        try:
            record = json_value(line)
        except ValueError:
            continue
        if isinstance(record, dict) and isinstance(record.get("stream"), str) and isinstance(record.get("label"), str):
            found.append(record)
    return found


def _stream(name: str, records: list[dict[str, Any]], seen: str | None) -> dict[str, Any]:
    blocks = [one for one in records if one.get("kind") == "block"] or records
    last = blocks[-1]
    alarm = last.get("alarm") if isinstance(last.get("alarm"), dict) else None
    if alarm:
        which = f"{last.get('run', '')}/{alarm.get('since')}"
        alarm = {
            **{key: _plain(value) for key, value in alarm.items()},
            "which": which,
            "raised": bool(alarm.get("raised")),
            "acknowledged": seen == which,
        }
    points = [
        {
            "time": _plain(one.get("time")),
            "label": one["label"],
            "answer": _plain(one.get("answer")),
            "probability": _plain(one.get("probability")),
            "evidence": _plain(one["alarm"].get("evidence")) if isinstance(one.get("alarm"), dict) else None,
        }
        for one in blocks[-POINTS:]
    ]
    latest = {key: _plain(last.get(key)) for key in SHOWN}
    return {"name": name, "latest": latest, "alarm": alarm, "points": points}


def _plain(value: Any) -> Any:
    """A text, a number or a list of these: nothing else of a file is sent on, for JSON that nests deeply breaks."""
    if isinstance(value, list):
        return [one for one in value if not isinstance(one, list | dict)]
    return None if isinstance(value, dict) else value
