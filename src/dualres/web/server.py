"""The page's own server: one process, this machine only, one folder."""

import logging
import socket
from collections.abc import Awaitable, Callable
from importlib.resources import files
from pathlib import Path
from threading import Thread
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from dualres import __version__
from dualres.errors import ConfigError, DualResError, OutputError
from dualres.machinery.files import NO_ROOM
from dualres.web.asked import Asked, temporary_in
from dualres.web.calls import Call, openapi
from dualres.web.events import Events
from dualres.web.gate import BodyError, Gate
from dualres.web.workspace import Workspace

HOST = "127.0.0.1"
PORT = 8765
CONNECTIONS = 200  # at a time

# Every file that is sent as it is, and as what. There is no other.
STATIC = {
    "/": ("index.html", "text/html; charset=utf-8"),
    **{
        f"/{name}": (name, "text/javascript; charset=utf-8")
        for name in (
            "api.js",
            "fit.js",
            "judge.js",
            "label.js",
            "look.js",
            "main.js",
            "plots.js",
            "results.js",
            "watch.js",
        )
    },
    "/uplot.js": ("uplot.js", "text/javascript; charset=utf-8"),
    "/uplot.css": ("uplot.css", "text/css; charset=utf-8"),
    "/style.css": ("style.css", "text/css; charset=utf-8"),
    "/icon.svg": ("icon.svg", "image/svg+xml"),
}


class Page:
    """A folder's page, ready to be served at a port."""

    def __init__(self, workspace: Workspace, port: int) -> None:
        self.port, self.events = port, Events()
        self.asked = Asked(workspace, self.events)
        Thread(target=self.asked.follow, daemon=True).start()
        calls = self.asked.calls()
        self._described = openapi(calls, __version__)
        routes = [Route(path, _static(*what)) for path, what in STATIC.items()]
        routes += [Route(call.path, self._answering(call), methods=[call.method]) for call in calls]
        routes += [Route("/api/openapi.json", self._openapi), Route("/api/events", self._events)]
        app = Starlette(routes=routes, exception_handlers={Exception: _broken, HTTPException: _refused})
        hosts = [f"{name}:{port}" for name in (HOST, "localhost")]
        self.gate = Gate(app, hosts, port)

    @property
    def link(self) -> str:
        """Opens the page once, in one browser."""
        return f"http://{HOST}:{self.port}/?token={self.gate.token()}"

    def _answering(self, call: Call) -> Callable[[Request], Awaitable[Response]]:
        async def answer(request: Request) -> Response:
            arguments: dict[str, Any] = {}
            try:
                body = b"" if call.raw else await request.body()
                arguments = call.arguments(request.path_params, request.query_params, body)
                if call.raw:
                    arguments["body"] = await self._received(request)
                found = await run_in_threadpool(call.run, **arguments)
            except BodyError as error:
                return PlainTextResponse(str(error), error.status, {"connection": "close"})
            except ClientDisconnect:
                return PlainTextResponse("", 400)
            except DualResError as error:
                return JSONResponse({"error": str(error)}, 507 if isinstance(error, OutputError) else 400)
            except OSError as error:
                said = f"{error.filename or 'the folder'}: cannot be used ({error.strerror}); look at the disk"
                return JSONResponse({"error": said}, 507 if error.errno in NO_ROOM else 400)
            finally:
                if call.raw and "body" in arguments:
                    arguments["body"].unlink(missing_ok=True)  # unless it was kept under another name
            return found if isinstance(found, Response) else JSONResponse(found)

        return answer

    async def _received(self, request: Request) -> Path:
        """A body as a file; nothing stays of one that does not arrive whole."""
        target = temporary_in(self.asked.workspace.folder)
        try:
            with target.open("wb") as file:
                async for piece in request.stream():
                    await run_in_threadpool(file.write, piece)
        except BaseException:
            target.unlink(missing_ok=True)
            raise
        return target

    async def _openapi(self, request: Request) -> Response:
        return JSONResponse(self._described)

    async def _events(self, request: Request) -> Response:
        return StreamingResponse(self.events.listen(), media_type="text/event-stream")


def server_of(page: Page) -> uvicorn.Server:
    """With limits for clients that are slow, many or lost."""
    config = uvicorn.Config(
        page.gate,
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        date_header=False,
        ws="none",
        lifespan="off",
        limit_concurrency=CONNECTIONS,
        timeout_keep_alive=10,
        timeout_graceful_shutdown=1,
        h11_max_incomplete_event_size=16 << 10,
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
    """Until Ctrl-C."""
    try:
        server_of(page).run(sockets=[listening])
    finally:
        page.asked.end()


def listen(port: int | None) -> socket.socket:
    """At this port; without one, at the usual one or any that is free."""
    for number in (port,) if port is not None else (PORT, 0):
        one = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
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


def _static(name: str, kind: str) -> Callable[[Request], Awaitable[Response]]:
    content = files("dualres.web").joinpath("static", name).read_bytes()

    async def send(request: Request) -> Response:
        return Response(content, media_type=kind)

    return send


async def _refused(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 400
    return JSONResponse({"error": "there is nothing at this address"}, status)


async def _broken(request: Request, error: Exception) -> Response:
    """A mistake of ours: told in a word, with what happened in the log of the command."""
    logging.getLogger("dualres.web").error("%s %s", request.method, request.url.path, exc_info=error)
    return JSONResponse({"error": "this did not work; the terminal of dualres serve tells more"}, 500)
