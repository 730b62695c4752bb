"""Joining a cluster of Ray, handing out calls, telling a lost worker from a failed call; Ray is imported only here."""

import atexit
import os
import platform
import socket
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Self, TypeVar

from dualres.errors import DualResError
from dualres.plugins import VARIABLE as PLUGINS
from dualres.plugins import load_plugins
from dualres.utils.malloc import keep_freed_memory
from dualres.utils.versions import versions

# For the Ray that is started on this machine: only model files and results pass through it.
_OBJECT_STORE = 128 * 2**20  # bytes
ANSWER_S = 10.0  # within which a cluster must answer
CHECK_S = 5.0  # between two looks at whether it is still there
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")

Ref = Any  # a call's result to come
Result = TypeVar("Result")


class ClusterError(DualResError):
    """A cluster that cannot be used as it is."""


class CallFailedError(DualResError):
    """A call ended with an error of its own; making it again would end the same way."""


class WorkerLostError(DualResError):
    """The process or the machine that made a call is gone; the call may be made again."""


@dataclass(frozen=True)
class _Answer:
    value: Any = None
    problem: str | None = None


class Cluster:
    """A connection to Ray; there can be one at a time in a process.

    A cluster that is gone is a ClusterError: after `ANSWER_S` and `CHECK_S` where it does not answer, and about 15
    seconds later where it has to find out itself that the part of it on this machine is gone.

    Without an address, Ray is started on this machine, for this process alone and with `cpus` CPUs (default: all), and
    ends with it. "auto" joins the cluster of which this machine is a part, host:port any other.
    """

    def __init__(self, address: str | None = None, cpus: int | None = None) -> None:
        try:
            self._ray: Any = import_module("ray")
        except ImportError as error:
            raise ClusterError(f"many machines need Ray ({error}); pip install 'dualres[cluster]'") from error
        if self._ray.is_initialized():
            raise ClusterError("this process has joined a Ray cluster already; leave it first (ray.shutdown())")
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": "ERROR"}
        try:
            if address is None:
                alone = {"include_dashboard": False, "object_store_memory": _OBJECT_STORE}
                self._ray.init("local", num_cpus=cpus, **alone, **quiet)
            else:
                _check_address(address)
                self._ray.init(address, **quiet)
        except Exception as error:  # a bare one, where a part of Ray dies as it starts
            self._ray.shutdown()
            reason = " ".join(str(error).split())
            if address is None:
                raise ClusterError(f"Ray does not start on this machine ({reason})") from error
            hint = "is it up (ray start --head), and does it know our token?"
            raise ClusterError(f"cannot join a Ray cluster at {address} ({reason}); {hint}") from error
        self._print_messages(False)
        self._call = self._ray.remote(_call)
        self._here = _compared_versions()
        self._own_node = self._ray.get_runtime_context().get_node_id()
        self._looked = time.monotonic()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Leave; calls under way are dropped and their workers ended."""
        try:
            self._answered(self._ray.shutdown)
        except ClusterError:  # Ray would try again when the process ends, for a minute
            atexit.unregister(self._ray.shutdown)
        self._print_messages(True)

    def _print_messages(self, wanted: bool) -> None:
        """Ray tells of lost workers on standard output, where verdicts go; it has no setting for that."""
        setattr(import_module("ray._private.worker"), "_worker_logs_enabled", wanted)  # noqa: B010

    @property
    def cpus(self) -> int:
        """Of all machines that are in the cluster now."""
        return int(self._answered(self._ray.cluster_resources).get("CPU", 0))

    @property
    def gpus(self) -> int:
        return int(self._answered(self._ray.cluster_resources).get("GPU", 0))

    @property
    def most_cpus(self) -> int:
        """Of the machine that has most."""
        nodes = self._answered(self._ray.nodes)
        return int(max((n["Resources"].get("CPU", 0) for n in nodes if n["Alive"]), default=0))

    def _answered(self, ask: Callable[[], Result]) -> Result:
        """What Ray answers. It would wait for minutes for a coordinator that is gone, and then end this process."""
        answers: list[Result | BaseException] = []

        def asking() -> None:
            try:
                answers.append(ask())
            except BaseException as error:
                answers.append(error)

        thread = threading.Thread(target=asking, daemon=True)
        thread.start()
        thread.join(ANSWER_S)
        if not answers:
            raise _lost(f"it has not answered for {ANSWER_S:.0f} s")
        (answer,) = answers
        if isinstance(answer, BaseException):
            raise _lost(" ".join(str(answer).split())) from answer
        return answer

    def _look(self) -> None:
        """An error if the cluster is gone, or this machine no longer a part of it: no call would ever come back."""
        if time.monotonic() - self._looked < CHECK_S:
            return
        nodes = self._answered(self._ray.nodes)
        if not any(node["Alive"] for node in nodes if node["NodeID"] == self._own_node):
            raise _lost("the part of it on this machine is gone")
        self._looked = time.monotonic()

    def share(self, value: object) -> Ref:
        """Send a value once, for many calls; it is given to `submit` as an argument."""
        return self._ray.put(value)

    def submit(
        self,
        function: Callable[..., Any],
        *arguments: object,
        cpus: int = 1,
        gpus: float = 0,
        retries: int = 0,
        name: str | None = None,
    ) -> Ref:
        """Call a function of this package on some machine that has these CPUs and GPUs to spare.

        `retries` says how often the call is made again by itself when its worker is lost. Libraries settle their
        number of threads when they are loaded, so a worker process is used for calls with the same number of CPUs only.
        """
        named = {PLUGINS: os.environ[PLUGINS]} if PLUGINS in os.environ else {}
        environment = {"env_vars": dict.fromkeys(_THREADS, str(cpus)) | named}
        call = self._call.options(num_cpus=cpus, num_gpus=gpus, max_retries=retries, name=name, runtime_env=environment)
        return call.remote(self._here, function, *arguments)

    def finished(self, refs: Sequence[Ref], seconds: float) -> list[Ref]:
        """Those of the calls that have ended; waits for the first, but at most `seconds`."""
        if not refs:
            return []
        some, rest = self._ray.wait(list(refs), num_returns=1, timeout=seconds, fetch_local=False)
        if not some:
            self._look()
        more = self._ray.wait(rest, num_returns=len(rest), timeout=0, fetch_local=False)[0] if some and rest else []
        return [*some, *more]

    def result(self, ref: Ref) -> Any:
        """What the call returned; waits for it. Raises CallFailedError or WorkerLostError."""
        try:
            answer = self._got(ref)
        except self._ray.exceptions.RayTaskError as error:
            last = str(error).strip().splitlines()[-1].strip()  # of its traceback; most often the package is not there
            hint = "if that is an import, install the same dualres on every machine"
            raise CallFailedError(f"a worker failed ({last}); {hint}") from error
        except self._ray.exceptions.RayError as error:
            raise WorkerLostError(next(iter(str(error).strip().splitlines()), type(error).__name__)) from error
        if answer.problem is not None:
            raise CallFailedError(answer.problem)
        return answer.value

    def _got(self, ref: Ref) -> _Answer:
        while True:
            try:
                answer: _Answer = self._ray.get(ref, timeout=CHECK_S)
            except self._ray.exceptions.GetTimeoutError:
                self._look()
            else:
                return answer


def _lost(reason: str) -> ClusterError:
    remedy = "what was finished is kept; start the cluster again and give the same command"
    return ClusterError(f"the Ray cluster is lost ({reason}); {remedy}")


def _call(expected: dict[str, str], function: Callable[..., Any], *arguments: object) -> _Answer:
    """On a worker: make the call; an error meant for the user comes back as its sentence."""
    here = _compared_versions()
    if here != expected:
        found, wanted = (", ".join(f"{k} {v}" for k, v in which.items()) for which in (here, expected))
        return _Answer(problem=f"{platform.node()} has {found}; {wanted} is needed there, too")
    keep_freed_memory()
    try:
        load_plugins()
        return _Answer(function(*arguments))
    except DualResError as error:
        return _Answer(problem=str(error))


def _compared_versions() -> dict[str, str]:
    """What must be the same on all machines; torch may be built for other devices."""
    return {name: versions()[name].partition("+")[0] for name in ("dualres", "torch")}


def _check_address(address: str) -> None:
    """Ray would try for minutes to reach what is not there."""
    if address == "auto":
        return
    host, _, port = address.rpartition(":")
    if not host or "/" in host or not port.isdecimal():
        raise ValueError("an address is auto or host:port")
    socket.create_connection((host, int(port)), timeout=ANSWER_S).close()
