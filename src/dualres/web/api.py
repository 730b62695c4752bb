"""What the page asks for, and what answers: every call of the page, each a call that Python or a command has, too."""

import hashlib
import io
import zipfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event, Lock, Thread
from typing import Any

from starlette.responses import FileResponse, Response

from dualres.errors import ConfigError, DualResError, OutputError, RecordingError
from dualres.explain.report import MachineFacts
from dualres.recordings.speed import given_speed
from dualres.utils.files import write_whole
from dualres.utils.optional_imports import TRAINING, need
from dualres.web import pictures
from dualres.web.background import BackgroundCommand, Commands
from dualres.web.campaign import HTML, CampaignReport
from dualres.web.checks import Checks
from dualres.web.dropped import DROPPED, kept_name, own_file, remove_abandoned
from dualres.web.endpoints import Endpoint, Field
from dualres.web.events import Events
from dualres.web.labelling import Labelling
from dualres.web.listing import described
from dualres.web.live import LiveStreams
from dualres.web.machine import UNITS, MachineFile, options_of
from dualres.web.models import Judging
from dualres.web.overview import Overview
from dualres.web.trends import Trends
from dualres.web.verdicts import Verdicts
from dualres.web.workspace import Workspace, is_campaign

OCTETS, WAV, ZIP = "application/octet-stream", "audio/wav", "application/zip"
# A report is a page of its own: it has styles within it, and no script may run in it.
REPORT_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox; frame-ancestors 'none'"
SOUND_S = 60.0  # at most, of a stretch that is played
LOOK_S = 1.0  # between two looks for news in the streams
SOUNDS = 8  # stretches that stay ready to be played

_START = Field("start_s", float, "seconds from the recording's start", 0.0, 0, 1e9)
_END = Field("end_s", float, "seconds from the recording's start", 1e9, 0, 1e9)
_AXIS = Field("axis", int, "which of several axes, from 0", 0, 0, 1000)
_FILE_NAME = Field("name", str, "of the file")
_MODEL = Field("model", str, "the name of a model")
_STREAM = Field("stream", str, "the name of a stream")
_SPEED = Field("speed", str, "of the shaft, such as 1797rpm or 29.95Hz", "")
_BEARING = Field("bearing", str, "such as 6205, or elements, diameters and angle", "")
_GEAR = Field("gear", str, "teeth, such as 29/95", "")
_ORDERS = Field("orders", str, "of a bearing's parts, such as outer=3.585,inner=5.415", "")
_UNIT = Field("unit", str, "of the samples", "", choices=UNITS)
_ZONES = Field("zones", str, "limits in mm/s between zones A, B, C and D of ISO 20816, such as 1.1,2.2,3.3", "")


class PageApi:
    def __init__(self, workspace: Workspace, events: Events) -> None:
        self.workspace, self.events = workspace, events
        remove_abandoned(workspace.folder)
        self.judging = Judging(workspace)
        self.labelling = Labelling(workspace, events, self.judging)
        self.live = LiveStreams(workspace.folder)
        self.machine = MachineFile(workspace.folder)
        self.checks = Checks(workspace, events.publish)
        self.overview = Overview(workspace, events.publish)
        self.commands = Commands(workspace.folder, events.publish)
        self._over, self._sounds = Event(), Lock()
        self._exports = TemporaryDirectory(prefix="dualres-exports-")  # until they are downloaded
        self.campaign = CampaignReport(workspace.folder, self.commands, Path(self._exports.name) / "results")
        self.verdicts = Verdicts(workspace, self.judging, events.publish)
        self.trends = Trends(self.commands, self.judging, Path(self._exports.name) / "levels.json", self._reading)

    def endpoints(self) -> list[Endpoint]:
        """All of them; the page's description is made from these."""
        one, model = "/api/recordings/{id}", "/api/models/{name}"
        stretch = (_START, _END, _AXIS)
        columns = Field("columns", int, "of the plot", 1000, 1, 8000)
        machine, facts = (_SPEED, _BEARING, _GEAR), (_SPEED, _BEARING, _ORDERS, _GEAR, _UNIT, _ZONES)
        changes = tuple(replace(one, default=None) for one in facts)
        fit = (
            Field("name", str, "of the model file, without its suffix"),
            Field("recipe", str, "how to learn", "orders", choices=("orders", "views", "robust", "paper")),
            Field("held_out", str, "the unit that is held out; empty for the hardest that labels allow", ""),
            *(replace(one, default="") for one in (_BEARING, _ORDERS)),
            Field(
                "faults", dict, "classes and the part of the bearing that is damaged: outer, inner, ball, cage", None
            ),
            Field("labelled_only", bool, "whether no fault is added that nobody labelled", False),
        )
        export = (
            Field("to", str, "the kind of export", "c99", choices=("c99", "onnx")),
            Field("rate", str, "of the device in Hz, for c99", ""),
        )
        count = Field("count", int, "recordings to name", 5, 1, 100)
        return [
            Endpoint("GET", "/api/folder", "All recordings of the folder", self.folder),
            Endpoint("POST", "/api/recordings", "Add a recording", self.add_recording, (_FILE_NAME,), raw=True),
            Endpoint("GET", one, "One recording, by its file as it is now", self.recording),
            Endpoint("GET", f"{one}/wave", "Lowest and highest samples", self.wave, (*stretch, columns)),
            Endpoint("GET", f"{one}/spectrum", "Power over frequency", self.spectrum, stretch),
            Endpoint("GET", f"{one}/spectrogram", "Two spectrograms", self.spectrogram, stretch, gives=OCTETS),
            Endpoint("GET", f"{one}/envelope", "Envelope spectrum", self.envelope, (*stretch, *machine)),
            Endpoint("GET", f"{one}/curves", "What the map knows of it", self.curves, (_SPEED,)),
            Endpoint("GET", f"{one}/check", "A verdict without labels", self.check_one, facts),
            Endpoint("GET", f"{one}/sound", "The stretch as sound", self.sound, stretch, gives=WAV),
            *self.labelling.endpoints(),
            Endpoint("GET", "/api/map", "Places of all recordings", self.overview.map),
            Endpoint("GET", "/api/classes", "Mean curves of the classes", self.overview.classes),
            Endpoint("GET", "/api/machine", "What is known of the machine", self.machine.read),
            Endpoint("PUT", "/api/machine", "Say what is known of it", self.say_machine, body=changes),
            Endpoint("GET", "/api/checks", "Verdicts without labels", self.checks.shown),
            Endpoint("POST", "/api/checks", "Check all without labels", self.check_all, body=facts),
            *self.trends.endpoints(facts),
            *self.verdicts.endpoints(),
            Endpoint("GET", "/api/models", "All models, the newest first", self.models),
            Endpoint("GET", f"{model}/file", "The model file", self.model_file, gives=OCTETS),
            Endpoint("GET", f"{model}/report", "The report of its fit", self.report, gives=HTML),
            Endpoint("POST", f"{model}/export", "Export it", self.export, body=export),
            Endpoint("GET", f"{model}/export", "The exported files", self.download_export, gives=ZIP),
            Endpoint("POST", f"{model}/table", "Judge everything, as a table", self.table),
            Endpoint("POST", "/api/fits", "Fit a model to what is labelled", self.fit, body=fit),
            Endpoint("POST", "/api/advice", "What to label next", self.advise, body=(count,)),
            Endpoint("POST", "/api/audit", "Look for leaks", self.audit),
            Endpoint("GET", "/api/commands", "Everything that runs or has run", self.commands.described),
            Endpoint("DELETE", "/api/commands/{number}", "Cancel a command", self.cancel),
            *self.campaign.endpoints(),
            Endpoint("GET", "/api/streams", "Live streams, those with an alarm first", self.live.streams),
            Endpoint("POST", "/api/streams/acknowledge", "An alarm was seen", self.acknowledge, body=(_STREAM,)),
            Endpoint("GET", "/api/verdicts/{id}", "The verdict on a recording", self.verdict, (_MODEL,)),
            Endpoint("GET", "/api/reasons/{id}", "Why", self.reasons, (_MODEL, _AXIS, *machine)),
        ]

    # Looking

    def folder(self) -> dict[str, Any]:
        entries = self.workspace.entries()
        return {
            "folder": self.workspace.folder.name,
            "recordings": [described(entry, self.workspace.facts(entry)) for entry in entries],
            "models": self.judging.names(),
            "campaign": is_campaign(self.workspace.folder),
        }

    def recording(self, id: str) -> dict[str, Any]:
        entry = self.workspace.entry(id)
        return described(entry, self.workspace.facts(entry))

    def wave(self, id: str, *, start_s: float, end_s: float, axis: int, columns: int) -> dict[str, Any]:
        self.workspace.writers.give_way()
        entry = self.workspace.entry(id)
        signal = self.workspace.signal(entry, axis)
        first, last = signal.stretch(start_s, end_s)
        exact = signal.pyramid.complete or last - first <= pictures.MOST // 8
        low, high = signal.pyramid.view(first, last, columns)
        if not signal.pyramid.complete and not signal.pyramid.building.locked():
            Thread(target=self._build, args=(id, axis), daemon=True).start()
        shown = {"start_s": first / signal.rate, "end_s": last / signal.rate, "exact": exact}
        return shown | {"low": _finite(low), "high": _finite(high)}

    def _build(self, id: str, axis: int) -> None:
        """The whole of a long signal, once; the page is told, and asks again."""
        try:
            pyramid = self.workspace.signal(self.workspace.entry(id), axis).pyramid
            with pyramid.building:
                pyramid.build()
        except (RecordingError, OSError):
            return
        self.events.publish("wave", {"id": id, "axis": axis})

    def spectrum(self, id: str, start_s: float, end_s: float, axis: int) -> dict[str, Any]:
        return pictures.spectrum(*self._stretch(id, start_s, end_s, axis))

    def spectrogram(self, id: str, start_s: float, end_s: float, axis: int) -> Response:
        told, grids = pictures.spectrogram(*self._stretch(id, start_s, end_s, axis))
        said = {f"x-{name.replace('_', '-')}": str(value) for name, value in told.items()}
        return Response(grids, media_type=OCTETS, headers=said)

    def envelope(
        self, id: str, *, start_s: float, end_s: float, axis: int, speed: str, bearing: str, gear: str
    ) -> dict[str, Any]:
        entry = self.workspace.entry(id)
        known = given_speed(speed or None) or self.workspace.speed(entry)
        machine = MachineFacts.stated(known, bearing=bearing, gear=gear)
        return pictures.envelope(*self._stretch(id, start_s, end_s, axis), machine)

    def sound(self, id: str, start_s: float, end_s: float, axis: int) -> Response:
        samples, rate = self._stretch(id, start_s, min(end_s, start_s + SOUND_S), axis)
        return FileResponse(self._sound_file(pictures.sound(samples, rate)), media_type=WAV)

    def _sound_file(self, content: bytes) -> Path:
        """A file of these bytes; the same one if they are asked for again, so that a browser goes on where it was."""
        folder = Path(self._exports.name) / "sounds"
        folder.mkdir(exist_ok=True)
        file = folder / f"{hashlib.blake2b(content, digest_size=16).hexdigest()}.wav"
        with self._sounds:
            if not file.exists():
                write_whole(file, content)
                for old in sorted(folder.iterdir(), key=lambda one: one.stat().st_mtime_ns)[:-SOUNDS]:
                    old.unlink()
        return file

    def _stretch(self, id: str, start_s: float, end_s: float, axis: int) -> tuple[Any, float]:
        self.workspace.writers.give_way()
        signal = self.workspace.signal(self.workspace.entry(id), axis)
        first, last = pictures.shorter(*signal.stretch(start_s, end_s))
        return signal.pyramid.read(first, last), signal.rate

    # Before anything is labelled

    def curves(self, id: str, speed: str) -> dict[str, Any]:
        return self.overview.one(self.workspace.entry(id), speed)

    def say_machine(self, **facts: str | None) -> dict[str, str]:
        known = self.machine.write(facts)
        self.events.publish("machine", {})
        return known

    def check_one(self, id: str, **facts: str) -> dict[str, Any]:
        return self.checks.one(self.workspace.entry(id), facts)

    def check_all(self, **facts: str) -> dict[str, Any]:
        return self.checks.start(facts)

    def add_recording(self, name: str, body: Path) -> dict[str, Any]:
        """A file that was dropped on the page: read by the guard, then kept with the others, without a label. Of one
        that is refused nothing stays."""
        folder = self.workspace.folder / DROPPED
        try:
            folder.mkdir(exist_ok=True)
            target = own_file(folder / kept_name(name))
        except OSError as error:
            raise OutputError(f"{folder}: cannot be written ({error.strerror}); make room") from error
        try:
            body.replace(target)
            entry = self.workspace.unlisted(target)
            facts = self.workspace.facts(entry)
            if facts.problem:
                raise RecordingError(f"{target.name}: {facts.problem}")
            self.workspace.list_file(target)
        except BaseException as error:
            target.unlink(missing_ok=True)
            if isinstance(error, OSError):
                raise OutputError(f"{target}: cannot be written ({error.strerror}); make room") from error
            raise
        self.workspace.index.look()
        self.labelling.tell()
        return described(entry, facts)

    # Learning

    def models(self) -> list[dict[str, Any]]:
        return [self.judging.shown(name) for name in self.judging.names()]

    def fit(
        self,
        name: str,
        recipe: str,
        held_out: str,
        *,
        bearing: str,
        orders: str,
        faults: dict[str, str] | None,
        labelled_only: bool,
    ) -> dict[str, Any]:
        need("a fit", *TRAINING)
        target = self.workspace.models / f"{_model_name(name)}.safetensors"
        if target.exists() or self.commands.is_running(f"Fit {name}"):
            raise ConfigError(f"there is a model {name!r} already; choose another name")
        target.parent.mkdir(exist_ok=True)
        arguments = ["fit", ".", "-o", str(target), "--json", *([] if recipe == "orders" else ["--recipe", recipe])]
        arguments += [*(["--held-out", held_out] if held_out else []), *self._reading()]
        arguments += options_of({"bearing": bearing, "orders": orders})
        arguments += [f"--fault={label}={part}" for label, part in (faults or {}).items()]
        arguments += ["--labelled-only"] if labelled_only else []
        return self._start("fit", f"Fit {name}", arguments, lambda _: self.events.publish("folder", {}))

    def advise(self, count: int) -> dict[str, Any]:
        need("advice", *TRAINING)
        arguments = ["advise", ".", "--json", "-n", str(count), *self._reading()]
        return self._start("advise", "What to label next", arguments)

    def audit(self) -> dict[str, Any]:
        return self._start("audit", "Look for leaks", ["audit", ".", "--json", *self._reading()])

    def table(self, name: str) -> dict[str, Any]:
        arguments = ["diagnose", str(self.judging.path(name)), ".", "--csv", *self._reading()]
        return self._start("table", f"Judge everything by {name}", arguments)

    def export(self, name: str, to: str, rate: str) -> dict[str, Any]:
        arguments = ["export", str(self.judging.path(name)), str(self._export(name, to)), "--to", to, "--overwrite"]
        arguments += ["--rate", rate] if rate and to == "c99" else []
        return self._start("export", f"Export {name}", arguments)

    def cancel(self, number: str) -> dict[str, Any]:
        if not (number.isascii() and number.isdigit() and len(number) < 9):
            raise ConfigError("a command has a number")
        self.commands.cancel(int(number))
        return {"cancelled": True}

    def _start(
        self, kind: str, title: str, arguments: list[str], then: Callable[[BackgroundCommand], None] | None = None
    ) -> dict[str, Any]:
        return self.commands.start(kind, title, arguments, then).as_data()

    def _reading(self, facts: Mapping[str, str] | None = None) -> list[str]:
        """How files are read, as the page itself was told, or by what is known of the machine."""
        channel, rate = self.workspace.channel, self.workspace.rate
        said = [*(["--channel", channel] if channel else []), *(["--rate", str(rate)] if rate else [])]
        return [
            *said,
            *([f"--speed={facts['speed']}"] if facts and facts.get("speed") else self.workspace.sources.options),
        ]

    # Models and verdicts

    def model_file(self, name: str) -> Response:
        path = self.judging.path(name)
        return FileResponse(path, media_type=OCTETS, filename=path.name)

    def report(self, name: str) -> Response:
        page = self.judging.path(name).with_suffix(".html")
        if not page.is_file():
            raise RecordingError(f"{name}: has no report; fit it again")
        return FileResponse(page, media_type=HTML, headers={"content-security-policy": REPORT_POLICY})

    def download_export(self, name: str) -> Response:
        self.judging.path(name)  # an error for a model that is not there
        archive = io.BytesIO()
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as zipped:
            for to in ("c99", "onnx"):
                export = self._export(name, to)
                files = export.rglob("*") if export.is_dir() else [export]
                for path in filter(Path.is_file, files):
                    zipped.write(path, path.relative_to(export.parent))
        if not zipped.namelist():
            raise RecordingError(f"{name}: nothing was exported yet; export it first")
        file = Path(self._exports.name) / f"{name}.zip"
        write_whole(file, archive.getvalue())
        return FileResponse(file, media_type=ZIP, filename=file.name)

    # Live streams

    def acknowledge(self, stream: str) -> dict[str, Any]:
        self.live.acknowledge(stream)
        self.events.publish("streams", {})
        return {"acknowledged": True}

    def follow_streams(self) -> None:
        """Tell pages of news in the streams and in the folder until the end; in a thread of its own."""
        known = self.live.changed_ns()
        while not self._over.wait(LOOK_S):
            with suppress(DualResError, OSError):  # whoever asks for the list hears why there is none
                self.labelling.look()
            before, known = known, self.live.changed_ns()
            if known != before:
                self.events.publish("streams", {})

    def _export(self, name: str, to: str) -> Path:
        return Path(self._exports.name) / (f"{name}-c99" if to == "c99" else f"{name}.onnx")

    def end(self) -> None:
        self._over.set()
        self.checks.stop()
        self.verdicts.end()
        self.overview.stop()
        self.labelling.facts.end()
        self.commands.end()
        self._exports.cleanup()

    def verdict(self, id: str, model: str) -> dict[str, Any]:
        return self.judging.verdict(model, self.workspace.entry(id))

    def reasons(self, id: str, *, model: str, axis: int, speed: str, bearing: str, gear: str) -> dict[str, Any]:
        return self.judging.reasons(model, self.workspace.entry(id), axis=axis, speed=speed, bearing=bearing, gear=gear)


def _model_name(name: str) -> str:
    fit_for_a_file = name and len(name) <= 60 and all(c.isalnum() or c in "-_. " for c in name)
    if not fit_for_a_file or name[0] in ". -" or name[-1] in ". ":
        raise ConfigError(f"{name!r} cannot be a model's name; use letters, digits, dots, dashes and spaces")
    return name


def _finite(values: Any) -> list[float | None]:
    """For JSON, which has no infinities."""
    return [value if abs(value) < 3.4e38 else None for value in values.astype(float).round(9).tolist()]
