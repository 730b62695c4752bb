"""InfluxDB's line protocol: to a file, or to a server's write address."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from dualres.stream.watch.records import VerdictRecord
from dualres.stream.watch.sinks.sink import Sink, append
from dualres.stream.watch.sinks.webhook import post
from dualres.utils.printable import printable

TOKEN = "INFLUX_TOKEN"  # the environment variable that InfluxDB's own tools read


class LineFile(Sink):
    def send(self, records: Sequence[VerdictRecord]) -> None:
        append(Path(self.name), "".join(map(line, records)))


class Influx(Sink):
    """`influx+http://host:8086/api/v2/write?org=plant&bucket=pumps`; the same point sent twice is one point there."""

    def send(self, records: Sequence[VerdictRecord]) -> None:
        token = os.environ.get(TOKEN)
        headers = {"Content-Type": "text/plain; charset=utf-8"} | ({"Authorization": f"Token {token}"} if token else {})
        post(self.name.removeprefix("influx+"), "".join(map(line, records)).encode(), headers)


def line(record: VerdictRecord) -> str:
    """One point: stream, kind and run as tags, at the time at which the samples came plus where in them it ends."""
    data = record.data
    tags = {"stream": data["stream"], "kind": data["kind"], "run": data["run"]}
    fields: dict[str, Any] = {"label": data["label"], "probability": data["probability"], "id": data["id"]}
    fields |= {f"p_{label}": value for label, value in data["probabilities"].items()}
    fields |= {"number": data["number"], "windows": data["windows"], "missing": data["missing"]}
    if speed := data.get("speed"):
        fields["speed_rpm"] = float(speed["rpm"])
    if alarm := data.get("alarm"):
        fields["alarm"] = bool(alarm.get("raised"))
    named = ",".join(f"{_key(name)}={_key(value)}" for name, value in tags.items())
    valued = ",".join(f"{_key(name)}={_value(value)}" for name, value in fields.items())
    # Several verdicts of one chunk must not fall on one moment, or a server keeps only the last of them.
    moment = 1000 * round(data["received"] * 1e6) + data["number"] % 1000
    return f"dualres,{named} {valued} {moment}\n"


def _key(text: str) -> str:
    flat = printable(text.replace("\n", " ")).replace("\\", "/")
    return "".join(f"\\{c}" if c in ", =" else c for c in flat) or "none"


def _value(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return f"{value}i"
    if isinstance(value, float):
        return repr(value)
    shown = printable(str(value).replace("\n", " "))
    return '"' + shown.replace("\\", "\\\\").replace('"', '\\"') + '"'
