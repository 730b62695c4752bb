"""A web address that gets a POST for every verdict."""

import json
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

from dualres.stream.watch.records import VerdictRecord
from dualres.stream.watch.sinks.sink import NotDeliveredError, Sink

TIMEOUT_S = 10.0
_VISIBLE = "".join(map(chr, range(0x21, 0x7F))).replace("%", "")


class Webhook(Sink):
    """JSON, with the verdict's id in the header Idempotency-Key: a verdict that comes twice has the same one."""

    at_once = 1  # else a server that takes few at a time would get the same again and again

    def send(self, records: Sequence[VerdictRecord]) -> None:
        for record in records:
            body = json.dumps(record.data).encode()
            post(self.name, body, {"Content-Type": "application/json", "Idempotency-Key": header_text(record.key)})


def header_text(text: str) -> str:
    """As it can stand in a header: all but visible ASCII by its bytes, as in a URL; another text is another header."""
    return quote(text, safe=_VISIBLE, errors="surrogatepass")


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Behind a redirection a POST would become a GET without its content, and look like a success."""

    def redirect_request(self, *answer: Any, **_: Any) -> None:
        _, _, code, msg, _, newurl = answer
        raise NotDeliveredError(f"answered {code} {msg}; give the address that it names, {newurl}")


_opener = urllib.request.build_opener(_NoRedirect)


def post(url: str, body: bytes, headers: Mapping[str, str]) -> None:
    """One request; anything but a success is an error."""
    named = {name: value.encode().decode("latin-1") for name, value in headers.items()}
    request = urllib.request.Request(url, body, named, method="POST")
    try:
        with _opener.open(request, timeout=TIMEOUT_S):
            pass
    except urllib.error.HTTPError as error:
        raise NotDeliveredError(f"answered {error.code} {error.reason}") from error
    except urllib.error.URLError as error:
        raise NotDeliveredError(str(error.reason)) from error
