"""Verdicts for the page: the same call as `dualres diagnose`, the model kept between two of them."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar

from dualres.errors import ConfigError, DualResError
from dualres.explain.contributions import Portrait
from dualres.explain.nearest import portrait
from dualres.explain.report import MachineFacts, examine
from dualres.judge import files as judge_files
from dualres.judge.geometry import Geometry
from dualres.judge.model import Model, load_any
from dualres.judge.questions import questions_of
from dualres.judge.verdict import promised_under, promises_of
from dualres.model_file.file import SUFFIX, read
from dualres.recordings.axes import in_order
from dualres.recordings.labels.folder import read_folder, read_light
from dualres.recordings.labels.read import LabelRow
from dualres.recordings.readers import Channel
from dualres.recordings.recording import FileStamp, Recording
from dualres.recordings.speed import given_speed
from dualres.recordings.speed_sources import SpeedKnown
from dualres.web.index import FileEntry
from dualres.web.words import plain
from dualres.web.workspace import Workspace

LOADED = 3  # models that are kept in memory
KNOWN = 2_000  # labelled recordings, and as many portraits of them, of a few ten kilobytes each

T = TypeVar("T")


class LabelledCache:
    """What is known of labelled files as they are: how to read them, and what models hear of them."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._rows: OrderedDict[Hashable, tuple[Recording, int]] = OrderedDict()
        self._portraits: OrderedDict[Hashable, Portrait] = OrderedDict()

    def read(
        self, row: LabelRow, channel: Channel, rate: Fraction | None, *, speed: SpeedKnown = None
    ) -> tuple[Recording, int]:
        """As `read_light`, of a file once for every state of it and of what its list says."""
        if not row.file.exists():
            return read_light(row, channel, rate, speed=speed)
        said = (row.known.get("component"), tuple(sorted(row.known.get("condition", {}).items())))
        key = (row.file, FileStamp.of(row.file.stat()), row.channel, row.rate, row.part, said, str(channel), rate)
        return self._kept(self._rows, key, lambda: read_light(row, channel, rate, speed=speed))

    def portrait(self, judges: tuple[object, ...], model: Model, recording: Recording) -> Portrait:
        """As `explain.nearest.portrait`; `judges` says which model and axis hears."""
        return self._kept(
            self._portraits,
            (*judges, recording.origin, recording.rate, recording.speed),
            lambda: portrait(model, recording),
        )

    def _kept(self, known: OrderedDict[Hashable, T], key: Hashable, make: Callable[[], T]) -> T:
        with self._lock:
            if key in known:
                known.move_to_end(key)
                return known[key]
        made = make()
        with self._lock:
            known[key] = made
            while len(known) > KNOWN:
                known.popitem(last=False)
        return made


class Judging:
    """Models of a folder, and what they say of its recordings."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace, self._lock = workspace, Lock()
        self._loaded: OrderedDict[tuple[object, ...], Model] = OrderedDict()
        self._labelled = LabelledCache()

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
        key = self.key(name)
        with self._lock:
            if key not in self._loaded:
                self._loaded[key] = load_any(self.path(name))
                while len(self._loaded) > LOADED:
                    self._loaded.popitem(last=False)
            return self._loaded[key]

    def key(self, name: str) -> tuple[object, ...]:
        """Another one for every model that ever had this name."""
        return (name, FileStamp.of(self.path(name).stat()))

    def card(self, name: str) -> dict[str, Any]:
        """What the page shows of a model: the estimate comes before everything else."""
        card = read(self.path(name))[0]
        page = self.path(name).with_suffix(".html")
        return {
            "name": name,
            "classes": list(card.names),
            "exposure_s": card.exposure_s,
            "held_out": card.held_out,
            "score": card.score,
            "questions": [{**one.as_data(), "sure": one.sure} for one in questions_of(card.estimates)],
            "estimates": list(card.estimates),
            "remarks": list(map(plain, card.remarks)),
            "recipe": card.recipe.as_data() if card.recipe else None,
            "promises": list(map(plain, promises_of(card))),
            "promised_under": plain(promised_under(card)),
            "channels": list(card.channels),
            "geometry": Geometry.parsed(card.geometry, card.classes).sentences if card.geometry else [],
            "report": page.is_file(),
            "bytes": self.path(name).stat().st_size,
        }

    def shown(self, name: str) -> dict[str, Any]:
        """The card, or why there is none: one damaged model costs no other."""
        try:
            return {**self.card(name), "problem": ""}
        except (DualResError, OSError) as error:
            return {"name": name, "problem": str(error)}

    def verdict(self, name: str, entry: FileEntry) -> dict[str, Any]:
        """What `dualres diagnose --json` prints of one recording."""
        workspace = self._workspace
        reading = (workspace.channel, workspace.rate)
        (judged,) = judge_files.judge_files(self.model(name), [entry.row], *reading, speed=workspace.sources)
        return {**judge_files.as_object(judged), "file": entry.name}

    def reasons(self, name: str, entry: FileEntry, *, axis: int, speed: str, bearing: str, gear: str) -> dict[str, Any]:
        """What `dualres explain --json` prints, beside the folder's labelled recordings; of several axes, of one."""
        workspace, model, channel = self._workspace, self.model(name), self._workspace.channel
        judges = self.key(name)
        recording = judge_files.read_for(model, entry.row, channel, workspace.rate, speed=workspace.sources)
        if model.card.axes:
            channel = model.card.channels[min(axis, len(model.card.channels) - 1)]
            number = model.card.channels.index(channel)
            model, recording = model.along(number), in_order(recording, model.card.channels)[number]
        reader = partial(self._labelled.read, speed=workspace.sources)
        labelled = read_folder(workspace.folder, channel, workspace.rate, reader=reader).recordings
        others = [one for one in labelled if one.id != entry.name]
        portrait_of = partial(self._labelled.portrait, (*judges, channel))
        known = given_speed(speed or None) or recording.speed
        recording = replace(recording, speed=known)
        machine = MachineFacts.stated(known, bearing=bearing, gear=gear)
        case = examine(model, recording, machine, others, portrait_of=portrait_of)
        return {**case.as_data(), "file": entry.name}
