"""What `dualres check` says of the folder's recordings, for the page: a table of answers, and the curves of one."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from threading import Lock
from typing import Any

import numpy as np

from dualres.explain.check import CheckedRecording, check_recording
from dualres.explain.check_curves import CheckCurves, curves_of
from dualres.recordings.labels.read import read_row
from dualres.recordings.speed_sources import SpeedSources
from dualres.web.index import FileEntry
from dualres.web.machine import check_facts, checked_machine
from dualres.web.walk import Walk
from dualres.web.workspace import Workspace

Row = dict[str, Any]


class Checks:
    """By the facts of one machine at a time."""

    def __init__(self, workspace: Workspace, publish: Callable[[str, Any], None]) -> None:
        self._workspace, self._publish, self._lock = workspace, publish, Lock()
        self._walk: Walk[Row] | None = None
        self._facts: dict[str, str] = {}

    def start(self, facts: Mapping[str, str]) -> dict[str, Any]:
        """Check all recordings; what was checked by the same facts is not checked again."""
        check_facts(facts)
        with self._lock:
            if self._walk is None or self._facts != dict(facts):
                self.stop()
                self._facts = dict(facts)
                walk = Walk(self._workspace, partial(self._row, facts=dict(facts)), self._tell)
                self._walk = walk
            self._walk.go()
        return self.shown()

    def stop(self) -> None:
        if self._walk:
            self._walk.stop()

    def shown(self) -> dict[str, Any]:
        """Every answer so far, what was found surely first and what could not be told last."""
        walk = self._walk
        if walk is None:
            return {"facts": {}, "done": 0, "total": 0, "running": False, "rows": []}
        rows = [
            {"id": id, **(one.value or {"answer": "", "said": "not checked", "reason": one.problem})}
            for id, one in walk.found.items()
        ]
        return {"facts": self._facts, **walk.progress(), "rows": sorted(rows, key=_hardest_first)}

    def one(self, entry: FileEntry, facts: Mapping[str, str]) -> dict[str, Any]:
        """All that is said of one recording, with the curves of its picture."""
        check_facts(facts)
        found = self._check(entry, facts)
        curves = curves_of(found)
        return {**found.as_data(), "sentence": found.check.sentence, "curves": _data(curves) if curves else None}

    def _check(self, entry: FileEntry, facts: Mapping[str, str]) -> CheckedRecording:
        workspace = self._workspace
        speed = SpeedSources.of(facts["speed"]) if facts.get("speed") else workspace.sources
        recording = read_row(entry.row, workspace.channel, workspace.rate, speed=speed)
        return check_recording(replace(recording, id=entry.name), checked_machine(facts))

    def _row(self, entry: FileEntry, facts: Mapping[str, str]) -> Row:
        found = self._check(entry, facts)
        check = found.check
        best = check.findings[0] if check.findings else None
        return {
            "answer": check.answer,
            "said": check.said,
            "p": check.p,
            "reason": check.reason,
            "named": bool(best and best.named),
            "score": best.score if best else None,
            "speed_rpm": found.speed.rpm if found.speed else None,
            "speed_source": found.speed.source if found.speed else None,
            "velocity_mm_s": found.velocity_mm_s,
            "zone": found.zone,
        }

    def _tell(self) -> None:
        if self._walk:
            self._publish("checks", self._walk.progress())


def _hardest_first(row: Row) -> tuple[bool, bool, float]:
    """Damage that is named, then what is weak, then what was not found, and at last what nobody can tell."""
    return not row.get("named"), row["answer"] in ("", "cannot tell"), -(row.get("score") or 0.0)


def _data(curves: CheckCurves) -> dict[str, Any]:
    return {name: np.round(getattr(curves, name), 4).tolist() for name in ("orders", "envelope", "signal")} | {
        "rpm": curves.rpm
    }
