"""`dualres watch` as processes that may be killed at any moment, and started again in no time."""

from __future__ import annotations

import json
import os
import random
import resource
import signal
import subprocess
import sys
import time
import traceback
from pathlib import Path
from typing import Any

from _mosquitto import Mosquitto

PATIENCE_S = 180.0  # with a process on a machine that has far too much to do


class Nursery:
    """A process that has imported everything, and forks agents: a start takes no time, and a kill is a kill."""

    def __enter__(self) -> Nursery:
        words = [sys.executable, __file__]
        self._process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()

    def start(self, words: list[str], log: Path) -> int:
        """The process that runs this command line; its number."""
        assert self._process.stdin
        assert self._process.stdout
        print(json.dumps([str(log), *words]), file=self._process.stdin, flush=True)
        return int(self._process.stdout.readline())


def nursery() -> None:
    import dualres.stream.watch.agent
    import dualres.stream.watch.sinks.catalogue
    import dualres.stream.watch.sources.catalogue  # noqa: F401
    from dualres.cli import main as command

    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    for line in sys.stdin:
        log, *words = json.loads(line)
        number = os.fork()
        if not number:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            errors = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            os.dup2(errors, 1)
            os.dup2(errors, 2)
            sys.argv = ["dualres", *words]
            try:
                command()
            except SystemExit:
                pass
            except BaseException:
                traceback.print_exc()  # which whoever looks at the log finds
            os._exit(0)
        print(number, flush=True)


class Watcher:
    """`dualres watch`, as a process that may die at any moment."""

    def __init__(self, words: list[str], log: Path, nursery: Nursery) -> None:
        """`words` are what stands behind `dualres watch`."""
        self._words, self._log, self._nursery = ["watch", *words], log, nursery
        self._number = 0

    def start(self) -> None:
        self._number = self._nursery.start(self._words, self._log)

    def await_word(self, word: str) -> None:
        """Until it has said that."""
        end = time.monotonic() + PATIENCE_S
        while word not in self.log:
            assert time.monotonic() < end, f"the agent does not say {word!r}: {self.log}"
            time.sleep(0.05)

    def kill(self) -> None:
        os.kill(self._number, signal.SIGKILL) if self.alive() else None
        assert self._gone(PATIENCE_S), "a killed agent does not end"  # until then it holds its spool

    def freeze(self, frozen: bool) -> None:
        """As if its machine did nothing for a while."""
        os.kill(self._number, signal.SIGSTOP if frozen else signal.SIGCONT)

    def end(self) -> None:
        """As a service is stopped."""
        os.kill(self._number, signal.SIGTERM)
        assert self._gone(PATIENCE_S), "the agent does not end"
        self.check_log()

    def check_log(self) -> None:
        assert "Traceback" not in self.log, self.log[-2000:]

    def alive(self) -> bool:
        try:
            os.kill(self._number, 0)
        except ProcessLookupError:
            return False
        return True

    def _gone(self, seconds: float) -> bool:
        end = time.monotonic() + seconds
        while self.alive() and time.monotonic() < end:
            time.sleep(0.005)
        return not self.alive()

    @property
    def log(self) -> str:
        return self._log.read_text() if self._log.exists() else ""


class Agent(Watcher):
    """One that writes what it says of a broker's streams into a file."""

    def __init__(
        self, folder: Path, model: Path, broker: Mosquitto, shard: str, nursery: Nursery, machine: int | None = None
    ) -> None:
        """With a `machine`, it stands by for those of the same shard on others."""
        name = shard.replace("/", "-of-") + (f"-on-{machine}" if machine is not None else "")
        self._out = folder / f"{name}.jsonl"
        words = [str(model), broker.url("plant/+"), "--to", str(self._out), "--state", str(folder / name)]
        words += ["--shard", shard, "--group", "storm", *(["--standby"] if machine is not None else [])]
        super().__init__(words, folder / f"{name}.log", nursery)
        self.machine, self.dead = machine, False

    def wait_a_little(self, chance: random.Random) -> None:
        """Mostly until it has told something, else any moment of its start; then a little more."""
        before, end = self._size(), time.monotonic() + (5.0 if chance.random() < 0.8 else chance.uniform(0, 0.5))
        while self._size() == before and time.monotonic() < end:
            time.sleep(0.005)
        time.sleep(chance.uniform(0, 0.3))

    def with_full_disk(self) -> None:
        """None of its files can be written to beyond a few bytes until it has said so, as on a full disk."""
        told, end = self.log.count("waits for room"), time.monotonic() + PATIENCE_S
        self._limit(self._log.stat().st_size + 65_536)  # there is room for its words
        while self.log.count("waits for room") == told:
            assert time.monotonic() < end, f"a full disk was not told of: {self.log[-500:]}"
            time.sleep(0.02)
        self._limit(resource.RLIM_INFINITY)

    def _limit(self, size: int) -> None:
        resource.prlimit(self._number, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))

    def _size(self) -> int:
        return self._out.stat().st_size if self._out.exists() else 0

    def told(self) -> list[dict[str, Any]]:
        """All verdicts so far; a line that is being written is none yet."""
        lines = self._out.read_text().splitlines(keepends=True) if self._out.exists() else []
        return [json.loads(line) for line in lines if line.endswith("\n")]


if __name__ == "__main__":
    nursery()
