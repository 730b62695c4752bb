"""Long work for the page: commands in processes of their own, so that they can be stopped and harm nothing else.

What the page does is what the command does, because it is the command.
"""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dualres.errors import ConfigError
from dualres.web.words import plain

AT_ONCE = 3  # commands that run side by side
KEPT = 50  # finished ones that are remembered
GRACE_S = 10.0  # after an interrupt, before a process is killed
LAST_WORDS_S = 2.0  # after its end, for what it has said to be heard
MOST_STEPS = 4000  # of a training curve
PROGRESS = "DUALRES_PROGRESS"  # how a command is asked to tell of its progress; "json" for us


@dataclass
class BackgroundCommand:
    """One that runs or has run."""

    number: int
    kind: str  # fit, advise, audit, export
    title: str
    state: str = "running"  # or done, failed, cancelled
    stage: str = ""
    done: int = 0
    total: int = 0
    left_s: float | None = None
    losses: list[float] = field(default_factory=list)  # of the stage at hand, where it has any
    messages: list[str] = field(default_factory=list)
    result: Any = None
    process: subprocess.Popen[str] | None = field(default=None, repr=False)
    cancelled: bool = False

    def as_data(self) -> dict[str, Any]:
        shown = ("number", "kind", "title", "state", "stage", "done", "total", "left_s", "losses", "messages", "result")
        return {name: getattr(self, name) for name in shown}


class Commands:
    """Starts commands and tells of them; `publish` is called from other threads."""

    def __init__(self, folder: Path, publish: Callable[[str, Any], None]) -> None:
        self._folder, self._publish = folder, publish
        self._all: dict[int, BackgroundCommand] = {}
        self._lock, self._ended = threading.Lock(), False

    def start(
        self, kind: str, title: str, arguments: Sequence[str], then: Callable[[BackgroundCommand], None] | None = None
    ) -> BackgroundCommand:
        """`dualres` with these arguments; what it prints is the result, JSON or text. `then` follows a good end."""
        with self._lock:
            running = [one for one in self._all.values() if one.state == "running"]
            if self._ended:
                raise ConfigError("the page is ending; start dualres serve again")
            if len(running) >= AT_ONCE:
                raise ConfigError(f"{running[0].title} is still going on; wait for it or cancel it")
            number = max(self._all, default=0) + 1
            search = filter(None, [str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH")])  # this package first
            try:
                process = subprocess.Popen(
                    [sys.executable, "-P", "-m", "dualres.cli", *arguments],
                    cwd=self._folder,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    text=True,
                    errors="replace",
                    env=os.environ | {PROGRESS: "json", "PYTHONPATH": os.pathsep.join(search), "COLUMNS": "100"},
                    start_new_session=True,
                )
            except OSError as error:
                raise ConfigError(
                    f"{title} could not be started: {error.filename or self._folder}: {error.strerror}; try again"
                ) from error
            command = self._all[number] = BackgroundCommand(number, kind, title, process=process)
            for old in [one.number for one in self._all.values() if one.state != "running"][:-KEPT]:
                del self._all[old]
        threading.Thread(target=self._follow, args=(command, then), daemon=True).start()
        return command

    def described(self) -> list[dict[str, Any]]:
        return [command.as_data() for command in list(self._all.values())]

    def is_running(self, title: str) -> bool:
        return any(one.title == title and one.state == "running" for one in list(self._all.values()))

    def get(self, number: int) -> BackgroundCommand:
        if number not in self._all:
            raise ConfigError(f"there is no command number {number}")
        return self._all[number]

    def cancel(self, number: int) -> None:
        """As Ctrl-C would; what it had finished stays."""
        command = self.get(number)
        if command.state == "running" and command.process:
            command.cancelled = True
            command.process.send_signal(signal.SIGINT)
            threading.Timer(GRACE_S, command.process.kill).start()

    def end(self) -> None:
        with self._lock:
            self._ended = True
            running = [one for one in self._all.values() if one.state == "running"]
        for one in running:
            self.cancel(one.number)
        for one in running:
            if one.process:
                try:
                    one.process.wait(GRACE_S)
                except subprocess.TimeoutExpired:
                    one.process.kill()

    def _follow(self, command: BackgroundCommand, then: Callable[[BackgroundCommand], None] | None) -> None:
        """Until it has ended, which is its own end alone: what it leaves behind may hold its channels open."""
        process, printed = command.process, list[str]()
        assert process
        assert process.stdout
        assert process.stderr
        output = process.stdout
        listeners = [
            threading.Thread(target=lambda: printed.append(output.read()), daemon=True),
            threading.Thread(target=self._listen, args=(command,), daemon=True),
        ]
        for one in listeners:
            one.start()
        status = process.wait()
        for one in listeners:
            one.join(LAST_WORDS_S)
        if any(one.is_alive() for one in listeners):
            with suppress(OSError):
                os.killpg(process.pid, signal.SIGKILL)
            for one in listeners:
                one.join(LAST_WORDS_S)
        if not any(one.is_alive() for one in listeners):
            output.close()
            process.stderr.close()
        text = "".join(printed).strip()
        try:
            command.result = json.loads(text)
        except (ValueError, RecursionError):
            command.result = text
        command.state = "cancelled" if command.cancelled else "done" if status in (0, 1) and text else "failed"
        if command.state == "done" and then:
            then(command)
        self._publish("command", command.as_data())

    def _listen(self, command: BackgroundCommand) -> None:
        """To its error channel, line by line."""
        assert command.process
        assert command.process.stderr
        told = 0.0
        for line in command.process.stderr:
            with suppress(ValueError, TypeError, KeyError, RecursionError):  # a line that only looks like ours
                _understand(command, line)
            if time.monotonic() - told > 0.1:
                told = time.monotonic()
                self._publish("command", command.as_data())


def _understand(command: BackgroundCommand, line: str) -> None:
    """A line of the error channel: progress as JSON, or a sentence."""
    try:
        news = json.loads(line)
    except ValueError:
        news = None
    if not isinstance(news, dict) or "stage" not in news:
        if news is None and line.strip():
            command.messages = [*command.messages, plain(line.strip())][-30:]
        return
    if news["stage"] != command.stage:
        command.losses = []
    command.stage, command.done, command.total = news["stage"], news["done"], news["total"]
    command.left_s = news.get("left_s")
    word, _, value = str(news.get("remark", "")).partition(" ")
    if word == "loss":
        command.losses = [*command.losses, float(value)][-MOST_STEPS:]
