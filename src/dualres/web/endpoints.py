"""What the page can ask for, as data: each call with its arguments, from which requests are checked and described."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dualres.errors import ConfigError
from dualres.utils.json_text import json_value

FieldType = type[str] | type[int] | type[float] | type[bool] | type[dict] | type[list]  # type: ignore[type-arg]
LONGEST = 500  # characters of a text
MOST_CELLS = 30
MOST_IDS = 200_000
LONGEST_ID = 64

_NAMES: Mapping[Any, str] = {
    str: "string",
    int: "integer",
    float: "number",
    bool: "boolean",
    dict: "object",
    list: "array",
}


@dataclass(frozen=True)
class Field:
    """An argument; without a default it must be given."""

    name: str
    kind: FieldType
    about: str
    default: Any = ...
    least: float | None = None
    most: float | None = None
    choices: Sequence[str] = ()

    @property
    def schema(self) -> dict[str, Any]:
        said: dict[str, Any] = {"type": _NAMES[self.kind]}
        if self.kind is str:
            said["maxLength"] = LONGEST
        if self.kind is dict:
            said["additionalProperties"] = {"type": "string"}
        if self.kind is list:
            said |= {"items": {"type": "string", "maxLength": LONGEST_ID}, "maxItems": MOST_IDS}
        for name, value in (("minimum", self.least), ("maximum", self.most), ("enum", list(self.choices) or None)):
            if value is not None:
                said[name] = value
        return said

    def taken(self, given: Mapping[str, Any]) -> Any:
        """The argument among those given, or its default; an error where it is none of its kind."""
        if given.get(self.name) is None:
            if self.default is ...:
                raise ConfigError(f"{self.name} is missing: {self.about}")
            return self.default
        value = self._read(given[self.name])
        least, most = (-math.inf if self.least is None else self.least), (math.inf if self.most is None else self.most)
        if isinstance(value, int | float) and not isinstance(value, bool) and not least <= value <= most:
            raise ConfigError(f"{self.name} {value} lies outside of {self.least} to {self.most}")
        if self.choices and value not in self.choices:
            raise ConfigError(f"{self.name} {value!r} is none of {', '.join(self.choices)}")
        return value

    def _read(self, value: Any) -> Any:
        if self.kind is dict:
            cells = value if isinstance(value, dict) else {}
            sound = all(isinstance(name, str) and isinstance(text, str) for name, text in cells.items())
            if not cells or not sound or len(cells) > MOST_CELLS:
                raise ConfigError(f"{self.name} must be an object of texts")
            return cells
        if self.kind is list:
            if not isinstance(value, list) or len(value) > MOST_IDS or not all(map(_is_id, value)):
                raise ConfigError(f"{self.name} must be a list of at most {MOST_IDS:,} ids")
            return value
        if self.kind is bool:
            if not isinstance(value, bool):
                raise ConfigError(f"{self.name} must be true or false: {self.about}")
            return value
        if self.kind is str:
            if not isinstance(value, str) or len(value) > LONGEST or not value.isprintable():
                raise ConfigError(f"{self.name} must be a text of at most {LONGEST} printable characters")
            return value
        try:
            if isinstance(value, bool) or not isinstance(value, str | int | float):
                raise ValueError
            number = int(value) if self.kind is int else float(value)
            if not math.isfinite(number):
                raise ValueError
        except (ValueError, OverflowError):
            raise ConfigError(f"{self.name} must be a number: {self.about}") from None
        return number


def _is_id(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= LONGEST_ID


@dataclass(frozen=True)
class Endpoint:
    """A method and an address; `run` is called with all arguments by name, and gives JSON or a response."""

    method: str
    path: str  # with names in braces, such as /api/models/{name}
    about: str
    run: Callable[..., Any]
    query: tuple[Field, ...] = ()
    body: tuple[Field, ...] = ()
    raw: bool = False  # whether the body is the content of a file, handed over as it comes
    gives: str = "application/json"

    @property
    def names(self) -> list[str]:
        """Of the arguments in the address."""
        return [part[1:-1] for part in self.path.split("/") if part.startswith("{")]

    def arguments(self, path: Mapping[str, str], query: Mapping[str, str], body: bytes) -> dict[str, Any]:
        found = {name: Field(name, str, "a part of the address").taken(path) for name in self.names}
        found |= {field.name: field.taken(query) for field in self.query}
        if not self.body:
            return found
        try:
            given = json_value(body or b"{}")
        except ValueError:
            given = None
        if not isinstance(given, dict):
            raise ConfigError("the body must be one JSON object")
        return found | {field.name: field.taken(given) for field in self.body}

    def described(self) -> dict[str, Any]:
        """As OpenAPI says it."""
        places = [(name, "path", {"type": "string", "maxLength": LONGEST}, True, "") for name in self.names]
        places += [(f.name, "query", f.schema, f.default is ..., f.about) for f in self.query]
        parameters = [
            {"name": name, "in": where, "schema": schema, "required": needed, "description": about}
            for name, where, schema, needed, about in places
        ]
        said: dict[str, Any] = {"summary": self.about, "parameters": parameters}
        if self.body:
            schema = {
                "type": "object",
                "properties": {field.name: {**field.schema, "description": field.about} for field in self.body},
                "required": [field.name for field in self.body if field.default is ...],
            }
            said["requestBody"] = {"required": True, "content": {"application/json": {"schema": schema}}}
        if self.raw:
            binary = {"schema": {"type": "string", "format": "binary"}}
            said["requestBody"] = {"required": True, "content": {"application/octet-stream": binary}}
        refused = {"description": "not possible; the body says why"}
        said["responses"] = {"200": {"description": "done", "content": {self.gives: {}}}, "400": refused}
        return said


def openapi(calls: Sequence[Endpoint], version: str) -> dict[str, Any]:
    paths: dict[str, dict[str, Any]] = {}
    for call in calls:
        paths.setdefault(call.path, {})[call.method.lower()] = call.described()
    return {"openapi": "3.1.0", "info": {"title": "DualRes", "version": version}, "paths": paths}
