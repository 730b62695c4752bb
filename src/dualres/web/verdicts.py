"""Verdicts on many recordings for the page: found one after another in the background, told as they come."""

from collections.abc import Callable
from threading import Lock
from typing import Any

from dualres.errors import DualResError
from dualres.web.endpoints import Endpoint, Field
from dualres.web.index import FileEntry
from dualres.web.models import Judging
from dualres.web.walk import Walk
from dualres.web.words import plain
from dualres.web.workspace import Workspace

BRIEF = ("verdict", "probability", "answer", "set", "names_error", "error")  # what a list shows of a verdict

_MODEL = Field("model", str, "the name of a model")
_SINCE = Field("since", int, "how many of these verdicts are known", 0, 0, 1e9)
_SOME = Field("ids", list, "the recordings that are meant; without, all", None)


class Verdicts:
    """By one model at a time. What was judged is judged again only where its file or its conditions have changed."""

    def __init__(self, workspace: Workspace, judging: Judging, publish: Callable[[str, Any], None]) -> None:
        self._workspace, self._judging, self._publish = workspace, judging, publish
        self._lock = Lock()
        self._key: object = None
        self._model = ""
        self._walk: Walk[None] | None = None
        self._told: list[dict[str, Any]] = []  # in the order in which they were found

    def endpoints(self) -> list[Endpoint]:
        return [
            Endpoint("GET", "/api/verdicts", "Verdicts as they come", self.shown, (_MODEL, _SINCE)),
            Endpoint("POST", "/api/verdicts", "Judge many recordings", self.start, body=(_MODEL, _SOME)),
            Endpoint("DELETE", "/api/verdicts", "Judge no more", self.cancel),
        ]

    def start(self, model: str, ids: list[str] | None) -> dict[str, Any]:
        """Judge these, or all; goes on where it was cancelled."""
        self._judging.model(model)  # an error of the model is one error, and not one for every file
        key = self._judging.key(model)
        with self._lock:
            if self._walk is None or self._key != key:
                self.end()
                self._key, self._model, told = key, model, list[dict[str, Any]]()
                self._told = told
                self._walk = Walk(
                    self._workspace,
                    lambda one: self._judge(model, one, told),
                    self._tell,
                    most=None,
                    labelled_first=False,
                )
            self._walk.go(ids)
        return self._progress()

    def cancel(self) -> dict[str, Any]:
        """What was judged stays."""
        if self._walk:
            self._walk.pause()
        return self._progress()

    def end(self) -> None:
        if self._walk:
            self._walk.stop()

    def shown(self, model: str, since: int) -> dict[str, Any]:
        """Those that were found since, by their ids."""
        told = self._told if model == self._model else []
        found = told[since:]
        return {"verdicts": found, "known": since + len(found), **self._progress()}

    def _judge(self, model: str, entry: FileEntry, told: list[dict[str, Any]]) -> None:
        try:
            found = self._judging.verdict(model, entry)
        except (DualResError, OSError) as error:
            found = {"error": plain(str(error))}
        told.append({"id": entry.id, **{name: found[name] for name in BRIEF if name in found}})

    def _progress(self) -> dict[str, Any]:
        known = self._walk.progress() if self._walk else {"done": 0, "total": 0, "running": False}
        return {"model": self._model, **known}

    def _tell(self) -> None:
        self._publish("verdicts", self._progress())
