"""A watcher put together: model, sources, spool, sinks and alarms, from one set of settings."""

import logging
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from itertools import chain, count
from pathlib import Path
from typing import Literal, Self, TypeVar

from dualres.errors import ConfigError
from dualres.judge.carried_memory import memory_of
from dualres.judge.model import Model, load
from dualres.recordings.speed import SpeedGiven
from dualres.recordings.speed_sources import SpeedSources
from dualres.stream.monitor.check import check_rate, check_stream
from dualres.stream.monitor.event import BLOCK, WINDOW
from dualres.stream.watch.agent import MOST_BEHIND_S, Agent, Status
from dualres.stream.watch.alarms import Alarms, alarms_at
from dualres.stream.watch.failover.checkpoint import Checkpoints
from dualres.stream.watch.failover.mqtt_failover import MqttFailover
from dualres.stream.watch.failover.standby import Standby
from dualres.stream.watch.paths import default_folder, default_group, spool_in
from dualres.stream.watch.sinks.catalogue import OUTPUT, sink_of
from dualres.stream.watch.sources.catalogue import PIPE, source_of
from dualres.stream.watch.sources.source import Source, SourceOptions
from dualres.stream.watch.spool import QUOTA, patient_spool, undelivered_beside
from dualres.utils.rates import Rate, exact_rate

KINDS = {"all": (WINDOW, BLOCK), "windows": (WINDOW,), "blocks": (BLOCK,)}
T = TypeVar("T")
_log = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class WatchSettings:
    """What to watch, and how: the arguments and options of `dualres watch`, with the same defaults."""

    model: Path  # a model file
    sources: Sequence[str]
    sinks: Sequence[str] = (OUTPUT,)
    rate: Rate | None = None  # Hz, of sources that do not state it; None for that of the model's recordings
    dtype: str = "f32"
    channels: int = 1
    stamped: bool = False
    block_s: float = 5.0
    events: Literal["all", "windows", "blocks"] = "all"
    false_alarms: str | None = None  # a rate such as "1 per year"; no alarms without one
    healthy: Sequence[Path] = ()  # recordings of the machines running well, or folders of them
    healthy_class: str | None = None
    machines: int = 1
    condition: Mapping[str, str] = field(default_factory=dict)
    speed: SpeedGiven | None = None  # of shafts where nothing beside the samples says it; "none" for no speed at all
    carry_memory: bool = False  # of the paper's network, from window to window
    state: Path | None = None  # folder of the spool; a restart with the same folder continues
    quota: int = QUOTA  # bytes of the spool
    most_behind_s: float = MOST_BEHIND_S
    follow: bool = True
    shard: tuple[int, int] = (1, 1)
    group: str | None = None
    standby: bool = False

    def __post_init__(self) -> None:
        if self.events not in KINDS:
            raise ConfigError(f"--events {self.events}: there are {', '.join(KINDS)}")
        if (self.healthy or self.healthy_class or self.machines > 1) and not self.false_alarms:
            raise ConfigError(
                "--healthy, --healthy-class and --machines are for alarms; give --false-alarms '1 per year'"
            )
        over_mqtt = len(self.sources) == 1 and self.sources[0].startswith(("mqtt://", "mqtts://"))
        if self.standby and not (self.group and over_mqtt):
            raise ConfigError("--standby is for one mqtt:// source, and needs the --group that processes share")
        for names in (self.sources, self.sinks):
            if len(set(names)) < len(names):
                raise ConfigError(f"{max(names, key=names.count)}: was given twice; name it once")

    @property
    def lasting(self) -> bool:
        """Whether the spool is for a later start, too; a pipe cannot be read twice."""
        return bool(self.state) or PIPE not in self.sources


@dataclass
class Watch:
    """A watcher whose sources, sinks and spool are open. Only `stop` may be called from another thread."""

    folder: Path  # of the spool
    model_rate: Fraction | None  # Hz taken from the model, for sources that do not state it
    promise: str | None  # the rate of false alarms, or why none is promised; None without alarms
    _worker: Agent | Standby
    _resources: ExitStack

    def run(self) -> None:
        """Judge until all sources have ended, or until `stop`."""
        self._worker.run()

    def stop(self) -> None:
        """End soon, and in good order; also for a signal's handler."""
        self._worker.stop()

    def close(self) -> None:
        """Close the spool; a temporary one is removed unless it holds undelivered verdicts."""
        self._resources.close()

    @property
    def undelivered(self) -> dict[str, int]:
        """The number of verdicts that wait in `folder`, by sink."""
        return self._worker.undelivered

    @property
    def source_errors(self) -> Sequence[Exception]:
        """Why sources ended before their end."""
        return self._worker.source_errors

    @property
    def stream_errors(self) -> Sequence[Exception]:
        """Why streams could not be judged."""
        return self._worker.stream_errors

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def start_watch(
    settings: WatchSettings,
    *,
    model: Model | None = None,
    say: Callable[[str], None] = _log.warning,
    report: Callable[[Status], None] = lambda status: None,
) -> Watch:
    """Open all that the settings name. A mistake in them is an error here, before any sample is read.

    `model` is the content of the model file where the caller has it. `say` gets sentences about trouble, and `report`
    about once a second the state of the work.
    """
    judge, speed = model or load(settings.model), SpeedSources.of(settings.speed)
    profile = judge.training_profile if settings.rate is None else None
    model_rate = profile.rate if profile else None
    rate = model_rate if settings.rate is None else exact_rate(settings.rate)
    if rate is not None:
        check_stream(judge, rate, settings.block_s)
        check_rate(judge, rate)
    if settings.carry_memory:
        memory_of(judge)
    with ExitStack() as stack:
        workers: list[Agent | Standby] = []
        if settings.lasting:
            folder = settings.state or default_folder(settings.model, settings.sources, settings.shard)
        else:
            folder = Path(tempfile.mkdtemp("-dualres"))
            stack.callback(_remove, folder, workers)
        options = SourceOptions(
            model=judge,
            rate=rate,
            dtype=settings.dtype,
            channels=settings.channels,
            stamped=settings.stamped,
            follow=settings.follow,
            shard=settings.shard,
            client=settings.group or default_group(folder),
        )
        turns = _supply(lambda: MqttFailover(settings.sources[0], options)) if settings.standby else None
        sources = [] if turns else [source_of(name, options) for name in settings.sources]
        sinks = _supply(lambda: [sink_of(name) for name in settings.sinks])
        path = spool_in(
            folder,
            settings.model,
            settings.block_s,
            settings.standby,
            speedless=not speed.used,
            carry_memory=settings.carry_memory,
        )
        spool = stack.enter_context(patient_spool(path, settings.quota, say))
        for other, waiting in undelivered_beside(path).items() if settings.lasting else ():
            say(f"{other}: holds {waiting} verdicts of another model or --block; that command delivers them")
        alarms: Alarms | None = None
        if settings.false_alarms:
            alarms = alarms_at(
                settings.false_alarms,
                judge,
                settings.healthy,
                block_s=settings.block_s,
                machines=settings.machines,
                label=settings.healthy_class,
                hz=rate,
                speed=speed,
                carry_memory=settings.carry_memory,
            )

        def new_agent(sources: Sequence[Source], checkpoints: Checkpoints | None = None) -> Agent:
            return Agent(
                judge,
                sources,
                next(sinks),
                spool,
                block_s=settings.block_s,
                condition=settings.condition,
                speed=speed,
                carry_memory=settings.carry_memory,
                kinds=KINDS[settings.events],
                alarms=alarms.unused() if alarms else None,
                lasting=settings.lasting,
                checkpoints=checkpoints,
                most_behind_s=settings.most_behind_s,
                say=say,
                report=report,
            )

        if turns:
            workers.append(Standby(partial(next, turns), spool, lambda source, to: new_agent([source], to), say))
        else:
            workers.append(new_agent(sources))
        return Watch(folder, model_rate, alarms.promise if alarms else None, workers[0], stack.pop_all())


def _remove(folder: Path, workers: Sequence[Agent | Standby]) -> None:
    if not any(worker.undelivered for worker in workers):
        shutil.rmtree(folder, ignore_errors=True)


def _supply(make: Callable[[], T]) -> Iterator[T]:
    """What `make` gives, the first at once: a mistake is an error now. Processes that stand by need more later."""
    return chain([make()], (make() for _ in count()))
