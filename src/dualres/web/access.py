"""What stands between the network and the page.

A page on the own machine can be reached by every web site that a browser shows, and by everybody on the machine. So
nothing is answered that did not come to this address by name (else a site's own name may be made to lead here), with
the cookie of the browser that opened the printed link, and for whatever changes something with a header that no other
site can send.
"""

import asyncio
import hmac
import secrets
from collections.abc import Iterable, Iterator

from starlette.datastructures import Headers, MutableHeaders, QueryParams
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

HEADER = "x-dualres"  # on every request that changes something; a form cannot send one, and a script elsewhere may not
SMALL = 1 << 20  # bytes of a body
UPLOAD = 1 << 30  # bytes of a dropped recording
MANY = 8 << 20  # bytes of a body that names recordings, each by 20 characters
LARGER = {"/api/recordings": UPLOAD, "/api/labels": MANY, "/api/pattern": MANY}
PATIENCE_S = 20.0  # for the next piece of a body
SAFE = ("GET", "HEAD")
LONGEST_TARGET = 4096  # characters of path and query

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; media-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
ALWAYS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
    "cache-control": "no-store",
}


class Gate:
    """An ASGI application before the page's own; `hosts` are names with the port, such as localhost:8000."""

    def __init__(self, app: ASGIApp, hosts: Iterable[str], port: int) -> None:
        self._app, self._hosts, self._cookie = app, frozenset(hosts), f"dualres-{port}"
        self._tokens: set[str] = set()
        self._session = secrets.token_urlsafe(32)

    def token(self) -> str:
        """A new word that opens the page once."""
        self._tokens.add(word := secrets.token_urlsafe(24))
        return word

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer for the page where a request is not let through."""
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
            return
        headers = Headers(scope=scope)
        body = _Body(receive, LARGER.get(scope["path"], SMALL))
        answer = self._foreign(scope, headers) or self._outside_session(scope, headers)
        if answer is None and (length := headers.get("content-length")) and not body.allows(length):
            answer = PlainTextResponse("the body is too large", 413)
        await (answer or self._app)(scope, body, _with_headers(send))

    def _foreign(self, scope: Scope, headers: Headers) -> Response | None:
        """The refusal of a request that no browser sends by itself from this page."""
        hosts = headers.getlist("host")
        if len(hosts) != 1 or hosts[0] not in self._hosts:
            return PlainTextResponse("this page answers to its own address only", 421)
        if len(scope.get("raw_path", b"")) + len(scope["query_string"]) > LONGEST_TARGET:
            return PlainTextResponse("the address is too long", 414)
        same_origin = headers.get("origin") in (None, f"http://{hosts[0]}")
        if not same_origin or headers.get("sec-fetch-site") not in (None, "same-origin", "none"):
            return PlainTextResponse("another site may not ask this page", 403)
        if scope["method"] not in SAFE and headers.get(HEADER) != "1":
            return PlainTextResponse("a request that changes something needs the page's own header", 403)
        return None

    def _outside_session(self, scope: Scope, headers: Headers) -> Response | None:
        """None for the browser that opened the page; a redirection while it does so; else a refusal."""
        given = QueryParams(scope["query_string"]).getlist("token")
        if scope["path"] == "/" and scope["method"] == "GET" and given:
            known = next((word for word in self._tokens if _same(word, given[0])), None)
            if known is None:
                return PlainTextResponse("this link was used already; press Enter where dualres serve runs", 401)
            self._tokens.discard(known)
            answer = RedirectResponse("/", 303)
            answer.set_cookie(self._cookie, self._session, httponly=True, samesite="strict")
            return answer
        if not any(_same(self._session, guess) for guess in self._cookies(headers)):
            return PlainTextResponse("open the link that dualres serve printed", 401)
        return None

    def _cookies(self, headers: Headers) -> Iterator[str]:
        """Every value that goes by our name: other services of this machine may have set one, too."""
        for cookie in ";".join(headers.getlist("cookie")).split(";"):
            name, _, value = cookie.partition("=")
            if name.strip() == self._cookie:
                yield value.strip()


def _same(secret: str, guess: str) -> bool:
    """In a time that says nothing of the secret; as bytes, for texts beyond ASCII cannot be compared."""
    return hmac.compare_digest(secret.encode(), guess.encode())


class BodyError(Exception):
    """A body that is not read to its end, and with which status to say so."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status


class _Body:
    """A request's body, of limited size and from a sender who is not too slow."""

    def __init__(self, receive: Receive, most: int) -> None:
        self._receive, self._most, self._seen, self._complete = receive, most, 0, False

    def allows(self, length: str) -> bool:
        return length.isascii() and length.isdigit() and len(length) < 16 and int(length) <= self._most

    async def __call__(self) -> Message:
        if self._complete:  # what comes after the body is the end of the connection, however late
            return await self._receive()
        try:
            message = await asyncio.wait_for(self._receive(), PATIENCE_S)
        except TimeoutError:
            raise BodyError(408, "the body does not arrive") from None
        self._seen += len(message.get("body", b""))
        self._complete = not message.get("more_body", False)
        if self._seen > self._most:
            raise BodyError(413, "the body is too large")
        return message


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in ALWAYS.items():
                headers.setdefault(name, value)
        await send(message)

    return sending
