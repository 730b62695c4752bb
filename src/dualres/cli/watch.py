"""`dualres watch`: verdicts on live streams."""

from __future__ import annotations

import shutil
import signal
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from copy import deepcopy
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.markup import escape
from rich.status import Status as Spinner

from dualres.cli.console import INTERRUPTED, complain, errors
from dualres.cli.folder import parsed_rate
from dualres.utils.printable import printable

if TYPE_CHECKING:
    from dualres.stream.watch.agent import Agent, Status
    from dualres.stream.watch.failover.checkpoint import Checkpoints
    from dualres.stream.watch.failover.standby import Standby
    from dualres.stream.watch.sources.source import Source

HEARTBEAT_S = 60.0  # between two lines on how it goes, where there is no terminal
PIPE = "-"


def watch(
    model: Annotated[Path, typer.Argument(help="A model file, from dualres fit.")],
    sources: Annotated[
        list[str],
        typer.Argument(
            metavar="SOURCE...",
            help="- for standard input, a growing file, a folder that fills with recordings, udp://0.0.0.0:5005, "
            "serial:///dev/ttyUSB0?baud=921600, or mqtt://host/topic, where + and # stand for many streams.",
        ),
    ],
    to: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SINK",
            show_default="- , JSON lines on standard output",
            help="Where verdicts go: -, a file (.jsonl, .csv, .prom for Prometheus, .lp for line protocol), "
            "mqtt://host/topic/{stream}, https://... for a webhook, or influx+http://... May be repeated.",
        ),
    ] = None,
    rate: Annotated[
        str | None,
        typer.Option(help="Sampling rate in Hz of sources that do not state it: 12800, 12.8kHz or 200000/3."),
    ] = None,
    dtype: Annotated[
        Literal["f32", "i16"], typer.Option(help="Raw samples: little-endian float32, or int16 counts.")
    ] = "f32",
    channels: Annotated[
        int,
        typer.Option(
            min=1, help="Interleaved channels of raw samples: the axes that the model judges, or a stream each."
        ),
    ] = 1,
    stamped: Annotated[
        bool,
        typer.Option(
            "--stamped", help="Raw datagrams and messages begin with a start and a sample index (docs/live.md)."
        ),
    ] = False,
    block: Annotated[float, typer.Option(metavar="SECONDS", help="A verdict on every so many seconds.")] = 5.0,
    events: Annotated[
        Literal["all", "windows", "blocks"], typer.Option(help="Verdicts on windows, on blocks, or on both.")
    ] = "all",
    false_alarms: Annotated[
        str | None,
        typer.Option(
            metavar="RATE",
            show_default="no alarms",
            help="Raise alarms, false ones at most at this rate: '1 per year' (docs/alarms.md). Needs --healthy.",
        ),
    ] = None,
    healthy: Annotated[
        list[Path] | None,
        typer.Option(help="A recording of the machines running well, or a folder of them; may be repeated."),
    ] = None,
    healthy_class: Annotated[
        str | None, typer.Option(show_default="good, healthy, normal ...", help="The class of machines running well.")
    ] = None,
    machines: Annotated[int, typer.Option(min=1, help="How many keep the rate of false alarms together.")] = 1,
    condition: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE", help="What is known of the machine, as load=3; told with every verdict."),
    ] = None,
    state: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            show_default="a folder of this user for this model and these sources; none for -",
            help="Where samples and verdicts are safe until they are judged and delivered. The same folder goes on "
            "where it was.",
        ),
    ] = None,
    quota: Annotated[str, typer.Option(metavar="SIZE", help="Most bytes to keep there.")] = "2G",
    most_behind: Annotated[
        float,
        typer.Option(
            metavar="SECONDS",
            min=1.0,
            help="Where a source cannot wait (UDP, serial ports): leave samples out, and tell them as missing, rather "
            "than judge later than this.",
        ),
    ] = 30.0,
    follow: Annotated[
        bool, typer.Option("--follow/--no-follow", help="Wait for more at the end of a file or folder.")
    ] = True,
    shard: Annotated[
        str, typer.Option(metavar="K/N", help="Take the K-th of N parts of all MQTT streams; others take the rest.")
    ] = "1/1",
    group: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            show_default="one for the state folder",
            help="By what the broker knows this watch: whoever comes with the same name and shard takes over.",
        ),
    ] = None,
    standby: Annotated[
        bool,
        typer.Option(
            "--standby", help="Wait while another process has this MQTT --group and --shard; go on when it dies."
        ),
    ] = False,
) -> None:
    """Judge live streams: a verdict per window and per block, as the samples come.

    Samples are safe on disk before they are acknowledged, and verdicts until they are delivered. Ctrl-C and the same
    command again go on where it was. Standard input ends with its last verdict, and the exit status is then 0.

    [bold]Examples[/]

    arecord -f S16_LE -r 48000 -t wav | dualres watch pump.safetensors -

    dualres watch pump.safetensors - --rate 12.8kHz --dtype i16 < samples.raw

    dualres watch pump.safetensors 'mqtt://localhost/plant/+/vibration' --to verdicts.csv --events blocks

    docs/live.md shows a gateway with Mosquitto and systemd.
    """
    from dualres.cli.models import loaded
    from dualres.errors import ConfigError
    from dualres.stream import Monitor
    from dualres.stream.watch.agent import Agent
    from dualres.stream.watch.alarms import alarms_at
    from dualres.stream.watch.failover.mqtt_failover import MqttFailover
    from dualres.stream.watch.failover.standby import Standby
    from dualres.stream.watch.paths import (
        default_folder,
        default_group,
        parsed_condition,
        parsed_quota,
        parsed_shard,
        spool_in,
    )
    from dualres.stream.watch.sinks.catalogue import sink_of
    from dualres.stream.watch.sources.catalogue import source_of
    from dualres.stream.watch.sources.source import SourceOptions
    from dualres.stream.watch.spool import patient_spool, undelivered_beside

    part, most, known = parsed_shard(shard), parsed_quota(quota), parsed_condition(condition or [])
    if (healthy or healthy_class or machines > 1) and not false_alarms:
        raise ConfigError("--healthy, --healthy-class and --machines are for alarms; give --false-alarms '1 per year'")
    if standby and (not group or len(sources) > 1 or not sources[0].startswith(("mqtt://", "mqtts://"))):
        raise ConfigError("--standby is for one mqtt:// source, and needs the --group that processes share")
    for given in (sources, to or []):
        if len(set(given)) < len(given):
            raise ConfigError(f"{max(given, key=given.count)}: was given twice; name it once")
    judge = loaded(model)
    hz, remembered = parsed_rate(rate), judge.training_profile
    if hz is None and remembered and remembered.rate:
        hz = remembered.rate
        complain("note", f"sources that do not state their rate are taken at {float(hz):g} Hz, as learned", "yellow")
    if hz is not None:
        Monitor(judge, hz, block_s=block)  # an error now, not when the first samples come
    tell = partial(complain, "watch", colour="yellow")
    lasting = bool(state) or PIPE not in sources
    with ExitStack() as stack:
        folder = state or (default_folder(model, sources, part) if lasting else Path(tempfile.mkdtemp("-dualres")))
        agents: list[Agent | Standby] = []
        if not lasting:
            stack.callback(_remove, folder, agents)
        told = SourceOptions(judge, hz, dtype, channels, stamped, follow, part, group or default_group(folder))
        opened = [source_of(source, told) for source in sources]
        for sink in to or []:
            sink_of(sink)  # a wrong one is told of before anything is opened, or waited for
        place = spool_in(folder, model, block, standby)
        spool = stack.enter_context(patient_spool(place, most, tell))
        if lasting:
            complain("state", f"{folder}", "cyan")
            for other, count in undelivered_beside(place).items():
                tell(f"{other}: holds {count} verdicts of another model or --block; that command delivers them")
        alarms = None
        if false_alarms:
            alarms = alarms_at(
                false_alarms, judge, healthy or [], block_s=block, machines=machines, label=healthy_class, hz=hz
            )
            complain("alarms", alarms.learned.state.promise or alarms.learned.state.reason, "cyan")
        kinds = {"all": ("window", "block"), "windows": ("window",), "blocks": ("block",)}[events]
        display = stack.enter_context(_displayed())

        def agent_of(opened: Sequence[Source], checkpoints: Checkpoints | None = None) -> Agent:
            return Agent(
                judge,
                opened,
                [sink_of(sink) for sink in to or [PIPE]],
                spool,
                block_s=block,
                condition=known,
                kinds=kinds,
                alarms=deepcopy(alarms),
                lasting=lasting,
                checkpoints=checkpoints,
                most_behind_s=most_behind,
                say=tell,
                report=display,
            )

        agent: Agent | Standby
        if standby:
            agent = Standby(
                lambda: MqttFailover(sources[0], told), spool, lambda one, kept: agent_of([one], kept), tell
            )
        else:
            agent = agent_of(opened)
        agents.append(agent)
        stopped_by = _run(agent)
    for name, count in agent.undelivered.items():
        complain(
            "not delivered", f"{count} verdicts to {name}; they are kept in {folder}: give it as --state", "yellow"
        )
    if stopped_by == signal.SIGINT:
        raise typer.Exit(INTERRUPTED)
    if agent.failed or (stopped_by is None and (agent.refused or agent.undelivered)):
        raise typer.Exit(1)


def _remove(folder: Path, agents: Sequence[Agent | Standby]) -> None:
    """Unless it holds verdicts that were not delivered."""
    if not any(agent.undelivered for agent in agents):
        shutil.rmtree(folder, ignore_errors=True)


def _run(agent: Agent | Standby) -> int | None:
    """The signal that stopped it, if one did."""
    caught: list[int] = []

    def stop(number: int, _: object) -> None:
        if caught:  # somebody is impatient
            raise KeyboardInterrupt
        caught.append(number)
        agent.stop()

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        agent.run()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    return caught[0] if caught else None


@contextmanager
def _displayed() -> Iterator[WatchDisplay]:
    if not errors.is_terminal:
        yield WatchDisplay(None)
        return
    with errors.status("waiting for samples") as spinner:
        yield WatchDisplay(spinner)


class WatchDisplay:
    """How it goes: one line that changes on a terminal, else one now and then."""

    def __init__(self, spinner: Spinner | None) -> None:
        self._spinner, self._next = spinner, time.monotonic() + HEARTBEAT_S

    def __call__(self, status: Status) -> None:
        if self._spinner:
            self._spinner.update(escape(printable(told(status))))
        elif time.monotonic() >= self._next:
            self._next = time.monotonic() + HEARTBEAT_S
            complain("watch", told(status), "cyan")


def told(status: Status) -> str:
    """In a line."""
    parts = [
        f"{status.streams} stream{'s' * (status.streams != 1)}",
        f"{status.windows:,} windows",
        f"{status.blocks:,} blocks",
        f"{status.behind_s:.0f} s behind" if status.behind_s >= 1 else "",
        f"{status.waiting:,} verdicts wait for a sink" if status.waiting > 1 else "",
        f"{status.missing:,} samples missing" if status.missing else "",
        f"{status.duplicates:,} samples came twice" if status.duplicates else "",
        f"last: {status.latest}" if status.latest else "",
    ]
    return " · ".join(part for part in parts if part)
