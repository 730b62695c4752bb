"""Verdicts for sinks."""

from dualres.stream.watch.records import VerdictRecord


def record(number=0, stream="pump", label="good", kind="window", **more):
    data = {
        "stream": stream,
        "kind": kind,
        "number": number,
        "start": 100 * number,
        "stop": 100 * number + 200,
        "seconds": number / 4,
        "label": label,
        "probabilities": {"good": 0.75, "in, ner": 0.25},
        "windows": 1,
        "missing": 5 * number,
        "id": f"{stream}/1/{kind}/{number}",
        "run": "1",
        "probability": 0.75,
        "condition": {"load": "3"},
        "time": "2026-11-16T17:42:18.624+00:00",
        "received": 1794850938.625,
        **more,
    }
    return VerdictRecord(number + 1, data["id"], data)
