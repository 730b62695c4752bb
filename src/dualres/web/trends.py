"""Machines over time, for the page: what `dualres trend` says of the folder's dated recordings."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from dualres.explain.trend.levels import RecordingLevels
from dualres.utils.json_text import json_value
from dualres.web.background import BackgroundCommand, Commands
from dualres.web.endpoints import Endpoint, Field
from dualres.web.machine import check_facts, options_of
from dualres.web.models import Judging

KIND = "trend"
_LEVELS = {one.name for one in fields(RecordingLevels)}
_SHOWN = ("file", "time", "rise_db", "distance_db")  # of a point, beside some of its levels
_OF_LEVELS = ("rms", "kurtosis", "crest", "impulsiveness", "velocity_mm_s", "zone", "striking", "answer", "verdict")


class Trends:
    """The command runs by itself and can be cancelled; what it has read it keeps beside the page's other exports."""

    def __init__(
        self, commands: Commands, judging: Judging, kept: Path, reading: Callable[[Mapping[str, str]], list[str]]
    ) -> None:
        """`reading` says how files are read, given what is known of the machine; `kept` is a file for levels."""
        self._commands, self._judging, self._kept, self._reading = commands, judging, kept, reading
        self._found: list[dict[str, Any]] = []
        self._facts: dict[str, str] = {}

    def endpoints(self, facts: Sequence[Field]) -> list[Endpoint]:
        more = (
            Field("healthy", str, "how many of the first recordings are healthy, or the label that they have", ""),
            Field("model", str, "the name of a model, for its verdicts", ""),
        )
        return [
            Endpoint("GET", "/api/trend", "The trends that were found last", self.shown),
            Endpoint("POST", "/api/trend", "Follow machines over time", self.start, body=(*facts, *more)),
        ]

    def start(self, healthy: str, model: str, **facts: str) -> dict[str, Any]:
        check_facts(facts)
        arguments = ["trend", ".", "--json", "--keep", str(self._kept), *self._reading(facts), *options_of(facts)]
        arguments += [f"--healthy={healthy}"] if healthy else []
        arguments += ["--model", str(self._judging.path(model))] if model else []
        asked = {**facts, "healthy": healthy, "model": model}
        return self._commands.start(KIND, "Trend", arguments, lambda one: self._take(one, asked)).as_data()

    def shown(self) -> dict[str, Any]:
        """Of every machine, with what was asked."""
        return {"facts": self._facts, "machines": self._found}

    def _take(self, command: BackgroundCommand, asked: dict[str, str]) -> None:
        printed = [command.result] if isinstance(command.result, dict) else map(json_value, command.result.splitlines())
        self._found, self._facts = [_machine(one) for one in printed], asked
        command.result = len(self._found)  # the page asks for the rest, which may be long


def _machine(told: dict[str, Any]) -> dict[str, Any]:
    return {**told, "points": [_point(one) for one in told["points"]]}


def _point(told: dict[str, Any]) -> dict[str, Any]:
    """Without bands, and with the score of what strikes most."""
    levels = RecordingLevels.parsed({name: value for name, value in told.items() if name in _LEVELS})
    known = {name: getattr(levels, name) for name in _OF_LEVELS}
    return {name: told.get(name) for name in _SHOWN} | {
        name: value for name, value in known.items() if value is not None
    }
