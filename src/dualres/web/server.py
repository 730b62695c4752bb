"""The page's own server: one process, this machine only, one folder."""

import asyncio
import os
import socket
import sys
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from importlib.resources import files
from pathlib import Path, PurePath
from threading import Thread
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from dualres import __version__
from dualres.errors import ConfigError, DualResError, OutputError
from dualres.recordings.labels.edit import LabelConflictError
from dualres.utils.files import NO_ROOM
from dualres.utils.json_text import json_text
from dualres.web.access import BodyError, Gate
from dualres.web.api import PageApi
from dualres.web.connections import PatientProtocol
from dualres.web.dropped import temporary_in
from dualres.web.endpoints import Endpoint, openapi
from dualres.web.events import Events
from dualres.web.words import plain
from dualres.web.workspace import Workspace

Responder = Callable[[Request], Awaitable[Response]]

HOST = "127.0.0.1"
PORT = 8765
CONNECTIONS = 200  # at a time
HEAD = 64 << 10  # bytes; a browser sends the cookies of all services of this machine, whatever their port
TURN_S = 0.0005  # of a thread before another one's; a label that was at the disk does not wait 5 ms for each picture
CALLS = 40  # at a time; what else is asked waits, but the page itself and its news do not

# The files in static/ that are sent, by their suffixes, and as what.
KINDS = {".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
START = "index.html"


class AsciiJson(JSONResponse):
    """Data in ASCII."""

    def render(self, content: Any) -> bytes:
        return json_text(content).encode()


class Page:
    def __init__(self, workspace: Workspace, port: int) -> None:
        self.port, self.events = port, Events()
        self._threads = ThreadPoolExecutor(CALLS, "dualres-call")
        self.api = PageApi(workspace, self.events)
        Thread(target=self.api.follow_streams, daemon=True).start()
        hosts = [f"{name}:{port}" for name in (HOST, "localhost")]
        self.gate = Gate(self._application(), hosts, port)

    @property
    def link(self) -> str:
        """Opens the page once, in one browser."""
        return f"http://{HOST}:{self.port}/?token={self.gate.token()}"

    def _application(self) -> Starlette:
        """The page's files, its calls and its events; a slash more or less makes another address."""
        endpoints = self.api.endpoints()
        by_path: dict[str, dict[str, Responder]] = {}
        for one in endpoints:
            by_path.setdefault(one.path, {})[one.method] = self._answer(one)
        routes = [Route(path, response, methods=["GET"]) for path, response in static_files().items()]
        routes += [
            Route(path, partial(_by_method, answers), methods=list(answers)) for path, answers in by_path.items()
        ]
        routes.append(Route("/api/openapi.json", AsciiJson(openapi(endpoints, __version__)), methods=["GET"]))
        routes.append(Route("/api/events", self._events))
        errors = (BodyError, ClientDisconnect, DualResError, HTTPException, OSError, Exception)
        application = Starlette(routes=routes, exception_handlers=dict.fromkeys(errors, refusal))
        application.router.redirect_slashes = False
        return application

    def _answer(self, endpoint: Endpoint) -> Responder:
        async def answer(request: Request) -> Response:
            body = b"" if endpoint.raw else await request.body()
            arguments = endpoint.arguments(request.path_params, request.query_params, body)
            if not endpoint.raw:
                return await self._run(endpoint, arguments)
            file = await self._received(request)
            try:
                return await self._run(endpoint, arguments | {"body": file})
            finally:
                file.unlink(missing_ok=True)  # unless it was kept under another name

        return answer

    async def _run(self, endpoint: Endpoint, arguments: dict[str, Any]) -> Response:
        loop = asyncio.get_running_loop()
        found = await loop.run_in_executor(self._threads, partial(endpoint.run, **arguments))
        return found if isinstance(found, Response) else AsciiJson(found)

    async def _received(self, request: Request) -> Path:
        """A body as a file; nothing stays of one that does not arrive whole."""
        target = temporary_in(self.api.workspace.folder)
        try:
            with target.open("wb") as file:
                async for piece in request.stream():
                    await asyncio.to_thread(file.write, piece)
                file.flush()
                await asyncio.to_thread(os.fsync, file.fileno())
        except BaseException:
            target.unlink(missing_ok=True)
            raise
        return target

    async def _events(self, request: Request) -> Response:
        kind = "text/event-stream"
        if request.method == "HEAD":
            return Response(media_type=kind)
        return StreamingResponse(self.events.listen(), media_type=kind)


def static_files() -> dict[str, Response]:
    """Every file that is sent as it is, by its address; there is no other."""
    sent = [file for file in files("dualres.web").joinpath("static").iterdir() if PurePath(file.name).suffix in KINDS]
    return {
        "/" if file.name == START else f"/{file.name}": Response(
            file.read_bytes(), media_type=KINDS[PurePath(file.name).suffix]
        )
        for file in sent
    }


async def refusal(request: Request, error: Exception) -> Response:
    """What a client hears of an error: a sentence of its own mistake, and one word of ours."""
    match error:
        case BodyError():
            return PlainTextResponse(str(error), error.status, {"connection": "close"})
        case ClientDisconnect():
            return Response(status_code=400)
        case HTTPException():
            words = {404: "there is nothing at this address", 405: "this address does not take this method"}
            said = words.get(error.status_code, error.detail)
            return AsciiJson({"error": said}, error.status_code, error.headers)
        case LabelConflictError():
            return AsciiJson({"error": str(error)}, 409)
        case DualResError():
            return AsciiJson({"error": plain(str(error))}, 507 if isinstance(error, OutputError) else 400)
        case OSError():
            said = f"{error.filename or 'the folder'}: cannot be used ({error.strerror}); look at the disk"
            return AsciiJson({"error": said}, 507 if error.errno in NO_ROOM else 400)
    return AsciiJson({"error": "this did not work; the terminal of dualres serve tells more"}, 500)


def server_of(page: Page) -> uvicorn.Server:
    """With limits for clients that are slow, many or lost."""
    config = uvicorn.Config(
        page.gate,
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        date_header=False,
        http=PatientProtocol,
        ws="none",
        lifespan="off",
        limit_concurrency=CONNECTIONS,
        timeout_keep_alive=10,
        timeout_graceful_shutdown=1,
        h11_max_incomplete_event_size=HEAD,
    )
    return _Server(config, page.events)


class _Server(uvicorn.Server):
    """Lets open pages go before it waits for them."""

    def __init__(self, config: uvicorn.Config, events: Events) -> None:
        super().__init__(config)
        self._events = events

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._events.end()
        await super().shutdown(sockets)


def serve(page: Page, listening: socket.socket) -> None:
    sys.setswitchinterval(TURN_S)
    try:
        server_of(page).run(sockets=[listening])
    finally:
        page.api.end()


def listen(port: int | None) -> socket.socket:
    """At this port; without one, at the usual one or any that is free."""
    for number in (port,) if port is not None else (PORT, 0):
        # Named as TCP, or asyncio lets small answers wait 40 ms for what the browser has received before.
        one = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            one.bind((HOST, number))
        except OSError as error:
            one.close()
            if port is not None:
                raise ConfigError(f"port {port} cannot be used ({error.strerror}); choose another by --port") from error
            continue
        one.listen(CONNECTIONS)  # from now on a browser may ask, and waits for the answer
        return one
    raise ConfigError("no port of this machine is free; close another program")


async def _by_method(answers: dict[str, Responder], request: Request) -> Response:
    """One route for a whole address, so that another method hears of all that there are."""
    return await answers["GET" if request.method == "HEAD" else request.method](request)
