"""What the coordinator of a run asks of whatever does the jobs, here or on many machines."""

from dataclasses import dataclass
from typing import Protocol

from dualres.bench.campaign.job import Job
from dualres.bench.campaign.ledger import Outcome

JOBS_ON_A_GPU = 4  # processes, unless their number is given; one reads and judges while another fits
FITS_TOGETHER = 12  # jobs of one shape at most
START = "start"  # the stage of a job that was begun, and no more is known of it


@dataclass(frozen=True)
class JobAdvance:
    """A job in flight began or got on: "start", "fit" or "judge", `done` of `total` steps."""

    key: str
    stage: str
    done: int
    total: int
    sharing: int = 1  # jobs that their worker does at once, this one included


def begun(key: str, sharing: int = 1) -> JobAdvance:
    return JobAdvance(key, START, 0, 0, sharing)


@dataclass(frozen=True)
class JobSuccess:
    key: str
    outcome: Outcome


@dataclass(frozen=True)
class JobFailure:
    """The job itself cannot be done; trying again would end the same way."""

    key: str
    reason: str


@dataclass(frozen=True)
class JobLoss:
    """Its worker died or its machine went away; the job may be tried elsewhere."""

    key: str
    reason: str


ExecutorEvent = JobAdvance | JobSuccess | JobFailure | JobLoss


class Executor(Protocol):
    """Does jobs side by side. It never touches the ledger: the coordinator alone writes."""

    @property
    def slots(self) -> int:
        """How many jobs it takes at a time; those that no worker has begun yet wait in it."""

    @property
    def workers(self) -> int:
        """How many work side by side; one of them may do several jobs together."""

    def start(self, job: Job) -> None:
        """Take a job, to be begun as soon as a worker is free; at most `slots` at a time."""

    def wait(self, seconds: float) -> list[ExecutorEvent]:
        """What happened since the last call, of a job first that it was `begun`; waits at most `seconds` for it."""

    def close(self) -> None:
        """Stop everything at once; jobs in flight are dropped."""
