"""The page's own server: one process, this machine only, one folder."""

import asyncio
import socket
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from importlib.resources import files
from pathlib import Path
from threading import Thread
from typing import Any

import uvicorn

from dualres import __version__
from dualres.errors import ConfigError, DualResError, OutputError
from dualres.utils.files import NO_ROOM
from dualres.web.access import BodyError, Gate
from dualres.web.api import PageApi, temporary_in
from dualres.web.endpoints import Endpoint, openapi
from dualres.web.events import Events
from dualres.web.http import Application, ClientLeftError, Request, Response, Route, StreamedResponse, as_json, plain
from dualres.web.workspace import Workspace

HOST = "127.0.0.1"
PORT = 8765
CONNECTIONS = 200  # at a time
CALLS = 40  # at a time; what else is asked waits, but the page itself and its news do not

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
        self._threads = ThreadPoolExecutor(CALLS, "dualres-call")
        self.asked = PageApi(workspace, self.events)
        Thread(target=self.asked.follow, daemon=True).start()
        calls = self.asked.calls()
        self._described = openapi(calls, __version__)
        routes = [Route(path, _static(*what)) for path, what in STATIC.items()]
        routes += [Route(call.path, self._answering(call), call.method) for call in calls]
        routes += [Route("/api/openapi.json", self._openapi), Route("/api/events", self._events)]
        hosts = [f"{name}:{port}" for name in (HOST, "localhost")]
        self.gate = Gate(Application(routes, _refusal), hosts, port)

    @property
    def link(self) -> str:
        """Opens the page once, in one browser."""
        return f"http://{HOST}:{self.port}/?token={self.gate.token()}"

    def _answering(self, call: Endpoint) -> Callable[[Request], Awaitable[Response]]:
        async def answer(request: Request) -> Response:
            arguments: dict[str, Any] = {}
            try:
                body = b"" if call.raw else await request.body()
                arguments = call.arguments(request.parts, request.query, body)
                if call.raw:
                    arguments["body"] = await self._received(request)
                loop = asyncio.get_running_loop()
                found = await loop.run_in_executor(self._threads, partial(call.run, **arguments))
            except BodyError as error:
                return plain(str(error), error.status, {"connection": "close"})
            except ClientLeftError:
                return plain("", 400)
            except DualResError as error:
                return as_json({"error": str(error)}, 507 if isinstance(error, OutputError) else 400)
            except OSError as error:
                said = f"{error.filename or 'the folder'}: cannot be used ({error.strerror}); look at the disk"
                return as_json({"error": said}, 507 if error.errno in NO_ROOM else 400)
            finally:
                if call.raw and "body" in arguments:
                    arguments["body"].unlink(missing_ok=True)  # unless it was kept under another name
            return found if isinstance(found, Response) else as_json(found)

        return answer

    async def _received(self, request: Request) -> Path:
        """A body as a file; nothing stays of one that does not arrive whole."""
        target = temporary_in(self.asked.workspace.folder)
        try:
            with target.open("wb") as file:
                async for piece in request.stream():
                    await asyncio.to_thread(file.write, piece)
        except BaseException:
            target.unlink(missing_ok=True)
            raise
        return target

    async def _openapi(self, request: Request) -> Response:
        return as_json(self._described)

    async def _events(self, request: Request) -> Response:
        return StreamedResponse(self.events.listen(), "text/event-stream; charset=utf-8")


def server_of(page: Page) -> uvicorn.Server:
    """With limits for clients that are slow, many or lost."""
    config = uvicorn.Config(
        page.gate,
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        date_header=False,
        http="h11",  # whatever else is installed: what is refused and limited below is tried with this one
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
        return Response(content, kind)

    return send


def _refusal(status: int) -> Response:
    said = {
        404: "there is nothing at this address",
        405: "this address cannot be asked in this way",
        500: "this did not work; the terminal of dualres serve tells more",
    }
    return as_json({"error": said[status]}, status)
