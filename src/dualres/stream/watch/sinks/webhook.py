"""A web address that gets a POST for every verdict."""

import http.client
import json
import socket
import threading
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from contextlib import suppress
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


class _InTime:
    """A connection that is cut after `TIMEOUT_S` in all, for a server may answer byte by byte without end."""

    def connect(self) -> None:
        self._create_connection = self._connection
        super().connect()  # type: ignore[misc]

    def _connection(self, *given: Any) -> socket.socket:
        made = socket.create_connection(*given)
        self._twin, self._was_cut = made.dup(), threading.Event()  # TLS takes the socket itself away
        self._cutting = threading.Timer(TIMEOUT_S, _cut, (self._twin, self._was_cut))
        self._cutting.daemon = True
        self._cutting.start()
        return made

    def getresponse(self) -> Any:
        answer = None
        try:
            answer = super().getresponse()  # type: ignore[misc]
        except (http.client.HTTPException, OSError):
            if not self._was_cut.is_set():
                raise
        finally:
            self._cutting.cancel()
            self._twin.close()
        if self._was_cut.is_set():
            raise NotDeliveredError(f"no whole answer came within {TIMEOUT_S:g} s")
        return answer


class _Http(_InTime, http.client.HTTPConnection):
    pass


class _Https(_InTime, http.client.HTTPSConnection):
    pass


class _HttpHandler(urllib.request.HTTPHandler):
    def http_open(self, request: urllib.request.Request) -> Any:
        return self.do_open(_Http, request)


class _HttpsHandler(urllib.request.HTTPSHandler):
    def https_open(self, request: urllib.request.Request) -> Any:
        return self.do_open(_Https, request)


def _cut(connection: socket.socket, was_cut: threading.Event) -> None:
    was_cut.set()
    with connection, suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)


_opener = urllib.request.build_opener(_NoRedirect, _HttpHandler, _HttpsHandler)


def post(url: str, body: bytes, headers: Mapping[str, str]) -> None:
    """One request; anything but a success within `TIMEOUT_S` is an error."""
    named = {name: value.encode().decode("latin-1") for name, value in headers.items()}
    request = urllib.request.Request(url, body, named, method="POST")
    try:
        with _opener.open(request, timeout=TIMEOUT_S):
            pass
    except urllib.error.HTTPError as error:
        raise NotDeliveredError(f"answered {error.code} {error.reason}") from error
    except urllib.error.URLError as error:
        raise NotDeliveredError(str(error.reason)) from error
    except ValueError as error:  # of an address to go to
        raise NotDeliveredError(f"answered what cannot be understood ({error})") from error
