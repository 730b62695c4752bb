"""A Python process of this package beside this one: with its own number of threads, and a pipe to talk through."""

import os
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection, Pipe
from pathlib import Path
from queue import SimpleQueue
from signal import Signals
from typing import Any

from dualres.errors import DualResError
from dualres.plugins import load_plugins
from dualres.utils.malloc import keep_freed_memory
from dualres.utils.progress import Progress
from dualres.utils.versions import PACKAGE

PAUSE_S = 0.25  # between two reports of progress
END_S = 5.0  # for a process whose pipe is closed to be gone

_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


class Child:
    """A running process, seen from outside. Its first argument is the descriptor of its end of the pipe."""

    remedy = "free some"  # where memory is short

    def __init__(self, code: str, arguments: Sequence[str], threads: int) -> None:
        self.threads = threads
        self.pipe, other_end = Pipe()
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed by `end`
        descriptor = other_end.fileno()
        # Modules are found where this one was found, and never in the working directory (-P).
        search = [str(PACKAGE.parent), *filter(None, [os.environ.get("PYTHONPATH")])]
        settings = dict.fromkeys(_THREADS, str(threads)) | {"PYTHONPATH": os.pathsep.join(search)}
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", code, str(descriptor), *arguments],
            pass_fds=[descriptor],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=self._errors,
            env=os.environ | settings,
            start_new_session=True,  # an interrupt from the keyboard is for the coordinator
        )
        other_end.close()

    def last_words(self) -> str:
        """Why the process is gone."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(END_S)
        status = self._process.returncode
        if status is not None and status < 0:
            return f"its worker process was ended by {Signals(-status).name}; if memory is short, {self.remedy}"
        self._errors.seek(0)
        printed = self._errors.read().decode(errors="replace").strip().splitlines()
        return f"its worker process ended with status {status}{': ' + printed[-1] if printed else ''}"

    def end(self) -> None:
        self._process.kill()
        self._process.wait()
        self.pipe.close()
        self._errors.close()


def inbox(pipe: Connection) -> SimpleQueue[Any]:
    """In that process: what comes through its pipe; it ends with the process at the other end, however that died."""
    received: SimpleQueue[Any] = SimpleQueue()

    def listen() -> None:
        try:
            while True:
                received.put(pipe.recv())
        except (EOFError, OSError):
            os._exit(0)

    threading.Thread(target=listen, daemon=True).start()
    return received


class Sparing:
    """Reports progress, but not every step of it."""

    def __init__(self, send: Progress) -> None:
        self._send = send
        self._stage, self._sent = "", 0.0

    def __call__(self, stage: str, done: int, total: int, remark: str) -> None:
        now = time.monotonic()
        if stage != self._stage or now - self._sent >= PAUSE_S:
            self._stage, self._sent = stage, now
            self._send(stage, done, total, remark)


def failure(error: BaseException) -> str:
    """Why a job failed, in one line: an error meant for the user as it is, any other with its kind and place."""
    text = " ".join(str(error).split())
    if isinstance(error, DualResError):
        return text
    frames = [f for f in traceback.extract_tb(error.__traceback__) if Path(f.filename).is_relative_to(PACKAGE)]
    place = f" ({Path(frames[-1].filename).relative_to(PACKAGE)}, line {frames[-1].lineno})" if frames else ""
    return f"{type(error).__name__}: {text}{place}"


_SERVE = "import sys; from dualres.bench.campaign.workers import serve; serve(int(sys.argv[1]))"


class FreshProcessError(DualResError):
    """What went wrong in the other process."""


def in_fresh_process(work: Callable[..., Any], *arguments: Any, threads: int, tell: Progress) -> Any:
    """What `work(*arguments, tell)`, a module's own function, gives; whatever befalls it is an error that says what."""
    child = Child(_SERVE, [], threads)
    try:
        child.pipe.send((work, arguments))
        while True:
            kind, content = child.pipe.recv()
            if kind == "progress":
                tell(*content)
            elif kind == "result":
                return content
            else:
                raise FreshProcessError(content)
    except (EOFError, OSError):
        raise FreshProcessError(child.last_words()) from None
    finally:
        child.end()


def serve(descriptor: int) -> None:
    pipe = Connection(descriptor)
    keep_freed_memory()
    load_plugins()
    work, arguments = pipe.recv()
    inbox(pipe)  # nothing more comes through it but its end
    tell = Sparing(lambda *progress: pipe.send(("progress", progress)))
    try:
        answer = "result", work(*arguments, tell)
    except Exception as error:
        answer = "failure", failure(error)
    with suppress(OSError):
        pipe.send(answer)
