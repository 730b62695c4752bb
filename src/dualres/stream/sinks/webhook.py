"""A web address that is told of every verdict by a POST of its own."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence

from dualres.stream.sinks.sink import NotDeliveredError, Sink
from dualres.stream.spool import Record

TIMEOUT_S = 10.0


class Webhook(Sink):
    """JSON, with the verdict's id in the header Idempotency-Key: a verdict that comes twice has the same one."""

    def send(self, records: Sequence[Record]) -> None:
        for record in records:
            body = json.dumps(record.data).encode()
            post(self.name, body, {"Content-Type": "application/json", "Idempotency-Key": record.key})


def post(url: str, body: bytes, headers: Mapping[str, str]) -> None:
    """One request; anything but a success is an error."""
    named = {name: value.encode().decode("latin-1") for name, value in headers.items()}
    request = urllib.request.Request(url, body, named, method="POST")
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT_S):
            pass
    except urllib.error.HTTPError as error:
        raise NotDeliveredError(f"answered {error.code} {error.reason}") from error
    except urllib.error.URLError as error:
        raise NotDeliveredError(str(error.reason)) from error
