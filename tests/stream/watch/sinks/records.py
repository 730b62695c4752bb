"""Verdicts for sinks."""

from dualres.stream.watch.records import VerdictRecord


def record(number=0, stream="pump", label="good", kind="window", **more):
    id = f"{stream}/1/{kind}/{number}"
    data = {"stream": stream, "kind": kind, "number": number, "seconds": number / 4, "id": id, "run": "1"}
    data |= {"start": 100 * number, "stop": 100 * number + 200, "windows": 1, "missing": 5 * number}
    data |= {"label": label, "probability": 0.75, "probabilities": {"good": 0.75, "in, ner": 0.25}}
    data |= {"condition": {"load": "3"}, "time": "2026-11-16T17:42:18.624+00:00", "received": 1794850938.625}
    return VerdictRecord(number + 1, id, data | more)
