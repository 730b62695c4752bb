"""All recordings of the folder at once, for the page: a map of them, and what its classes have in common."""

from collections.abc import Callable
from threading import Lock
from typing import Any

import numpy as np

from dualres.explain.landscape import Landscape, landscape
from dualres.explain.overview import Glance, curves_of_classes, envelope_orders, glance_at, spectrum_at
from dualres.recordings.labels.read import read_row
from dualres.recordings.speed_sources import SpeedSources
from dualres.utils.arrays import Exact, Reals
from dualres.web.index import FileEntry
from dualres.web.walk import Walk
from dualres.web.workspace import Workspace

POINTS = 240  # of a spectrum


class Overview:
    """Recordings are looked at when somebody first asks for the map, and again where one has changed."""

    def __init__(self, workspace: Workspace, publish: Callable[[str, Any], None]) -> None:
        self._workspace = workspace
        self._lock = Lock()
        self._drawn: tuple[int, list[str | None], Landscape] | None = None  # the last map, and what it was made of
        self._walk = Walk(workspace, self._glance, lambda: publish("overview", self._walk.progress()))

    def stop(self) -> None:
        self._walk.stop()

    def map(self) -> dict[str, Any]:
        """Places of all that is known so far; labels are those of now."""
        self._walk.go()
        version = self._walk.version
        seen, labels = self._seen()
        with self._lock:
            if self._drawn is None or self._drawn[:2] != (version, labels):
                self._drawn = version, labels, landscape([glance for _, glance in seen], labels)
            found = self._drawn[2]
        x, y = np.round(found.places, 4).T.tolist()
        told = {"ids": [one.id for one, _ in seen], "x": x, "y": y, "far": found.far}
        return {**told, "by": found.by, "orders": found.orders, **self._walk.progress()}

    def classes(self) -> dict[str, Any]:
        """Mean spectra and envelopes of the labelled classes."""
        self._walk.go()
        seen, labels = self._seen()
        glances = [glance for _, glance in seen]
        hz = _frequencies(max((one.rate for one in glances), default=0.0))
        classes = [
            {
                "label": one.label,
                "count": one.count,
                "db": _numbers(one.spectrum),
                "stands_out": None if one.envelope is None else _numbers(one.envelope),
            }
            for one in curves_of_classes(glances, labels, hz)
        ]
        axes = {"hz": _numbers(hz), "orders": _numbers(envelope_orders())}
        return {**axes, "classes": classes, **self._walk.progress()}

    def one(self, entry: FileEntry, speed: str = "") -> dict[str, Any]:
        """The same curves of one recording; `speed` serves one whose own is not known."""
        found = self._walk.get(entry)
        if found.value is None:
            return {"problem": found.problem}
        glance = found.value
        if speed and not glance.by_order:
            glance = self._glance(entry, SpeedSources.of(speed))
        envelope = None if glance.envelope is None else _numbers(glance.envelope)
        hz = _frequencies(glance.rate)
        axes = {"hz": _numbers(hz), "orders": _numbers(envelope_orders())}
        return {**axes, "db": _numbers(spectrum_at(glance, hz)), "stands_out": envelope, "problem": ""}

    def _glance(self, entry: FileEntry, speed: SpeedSources | None = None) -> Glance:
        workspace = self._workspace
        return glance_at(read_row(entry.row, workspace.channel, workspace.rate, speed=speed or workspace.sources))

    def _seen(self) -> tuple[list[tuple[FileEntry, Glance]], list[str | None]]:
        """In the order of the names, with their labels."""
        found = self._walk.found
        known = ((entry, found.get(entry.id)) for entry in self._workspace.entries())
        seen = [(entry, one.value) for entry, one in known if one and one.value is not None]
        return seen, [entry.row.known.get("label") for entry, _ in seen]


def _frequencies(rate: float) -> Exact:
    return np.asarray(rate / 2 * (np.arange(POINTS) + 0.5) / POINTS)


def _numbers(values: Reals) -> list[float | None]:
    """For JSON, which has no NaN."""
    rounded = np.round(values.astype(np.float64), 3).tolist()
    return [value if value == value else None for value in rounded]
