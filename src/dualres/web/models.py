"""Verdicts for the page: the same call as `dualres diagnose`, the model kept between two of them."""

from __future__ import annotations

from collections import OrderedDict
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from dualres.errors import ConfigError
from dualres.explain.report import MachineFacts, examine, shaft_hz_of
from dualres.faultlines.bearing import bearing_of
from dualres.faultlines.lines import teeth_of
from dualres.faultlines.speed import speed_hz
from dualres.judge import files as judge_files
from dualres.judge.model import load_any
from dualres.judge.verdict import promises_of
from dualres.model_file.file import read
from dualres.recordings.axes import in_order
from dualres.recordings.labels.folder import read_folder
from dualres.web.workspace import FileEntry, Workspace

if TYPE_CHECKING:
    from dualres.judge.model import Model

LOADED = 3  # models that are kept in memory
SUFFIX = ".safetensors"


class Judging:
    """Models of a folder, and what they say of its recordings."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace, self._lock = workspace, Lock()
        self._loaded: OrderedDict[tuple[object, ...], Model] = OrderedDict()

    def names(self) -> list[str]:
        """Of all models, the newest first."""
        folder = self._workspace.models
        found = [path for path in folder.glob(f"*{SUFFIX}") if path.is_file()] if folder.is_dir() else []
        return [path.stem for path in sorted(found, key=lambda path: path.stat().st_mtime, reverse=True)]

    def path(self, name: str) -> Path:
        """Of a model that there is; names come from the list and lead nowhere else."""
        if name not in self.names():
            raise ConfigError(f"there is no model {name!r} here; fit one")
        return self._workspace.models / f"{name}{SUFFIX}"

    def model(self, name: str) -> Model:
        path = self.path(name)
        status = path.stat()
        key = (name, status.st_size, status.st_mtime_ns)
        with self._lock:
            if key not in self._loaded:
                self._loaded[key] = load_any(path)
                while len(self._loaded) > LOADED:
                    self._loaded.popitem(last=False)
            return self._loaded[key]

    def card(self, name: str) -> dict[str, Any]:
        """What the page shows of a model: the estimate comes before everything else."""
        card = read(self.path(name))[0]
        page = self.path(name).with_suffix(".html")
        return {
            "name": name,
            "classes": list(card.classes),
            "exposure_s": card.exposure_s,
            "held_out": card.held_out,
            "score": card.score,
            "estimates": list(card.estimates),
            "remarks": list(card.remarks),
            "recipe": card.recipe.as_data() if card.recipe else None,
            "promises": promises_of(card),
            "channels": list(card.channels),
            "report": page.is_file(),
            "bytes": self.path(name).stat().st_size,
        }

    def verdict(self, name: str, entry: FileEntry) -> dict[str, Any]:
        """What `dualres diagnose --json` prints of one recording."""
        workspace = self._workspace
        (judged,) = judge_files.judge_files(self.model(name), [entry.row], workspace.channel, workspace.rate)
        return {**judge_files.as_object(judged), "file": entry.name}

    def reasons(self, name: str, entry: FileEntry, axis: int, speed: str, bearing: str, gear: str) -> dict[str, Any]:
        """What `dualres explain --json` prints, beside the folder's labelled recordings; of several axes, of one."""
        workspace, model, channel = self._workspace, self.model(name), self._workspace.channel
        recording = judge_files.read_for(model, entry.row, channel, workspace.rate)
        if model.card.axes:
            channel = model.card.channels[min(axis, len(model.card.channels) - 1)]
            number = model.card.channels.index(channel)
            model, recording = model.along(number), in_order(recording, model.card.channels)[number]
        labelled = read_folder(workspace.folder, channel, workspace.rate).recordings
        others = [one for one in labelled if one.id != entry.name]
        case = examine(model, recording, self.machine(entry, speed, bearing, gear), others)
        return {**case.as_data(), "file": entry.name}

    @staticmethod
    def machine(entry: FileEntry, speed: str, bearing: str, gear: str) -> MachineFacts:
        """What somebody says of the machine, and of its speed else what the list says."""
        shaft_hz = speed_hz(speed) if speed else shaft_hz_of(entry.row, None, 1)
        return MachineFacts(shaft_hz, bearing_of(bearing) if bearing else None, teeth_of(gear) if gear else None)
