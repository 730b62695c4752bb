"""`dualres watch`: verdicts on live streams."""

import signal
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.markup import escape

from dualres.cli import INTERRUPTED
from dualres.cli.console import complain, errors
from dualres.utils.printable import printable

if TYPE_CHECKING:
    from dualres.stream.watch import Watch, WatchSettings
    from dualres.stream.watch.agent import Status

HEARTBEAT_S = 60.0  # between two lines on how it goes, where there is no terminal
STANDARD_OUTPUT = "-"


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
    *,
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
    block: Annotated[
        float, typer.Option(metavar="SECONDS", help="Length of a block; each block gets a verdict.")
    ] = 5.0,
    events: Annotated[
        Literal["all", "windows", "blocks"], typer.Option(help="Verdicts on windows, on blocks, or on both.")
    ] = "all",
    false_alarms: Annotated[
        str | None,
        typer.Option(
            metavar="RATE",
            show_default="no alarms",
            help="Raise alarms, false ones at most at this rate: '1 per year'. Needs --healthy. For which machines it "
            "is promised is printed at the start (docs/alarms.md).",
        ),
    ] = None,
    healthy: Annotated[
        list[Path] | None,
        typer.Option(
            help="A recording of the machines running well, or a folder of them; may be repeated. A day of them "
            "promises most."
        ),
    ] = None,
    healthy_class: Annotated[
        str | None, typer.Option(show_default="good, healthy, normal ...", help="The class of machines running well.")
    ] = None,
    machines: Annotated[int, typer.Option(min=1, help="Machines that share the rate of false alarms.")] = 1,
    condition: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE", help="What is known of the machine, as load=3; part of every verdict."),
    ] = None,
    speed: Annotated[
        str | None,
        typer.Option(
            metavar="SPEED",
            help="Of the shaft, 1797 or 1797rpm or 29.95Hz, where nothing beside the samples says it; none: use none.",
        ),
    ] = None,
    carry_memory: Annotated[
        bool,
        typer.Option(
            "--carry-memory",
            help="Let the memory of the paper's network go on from window to window; other models have none.",
        ),
    ] = False,
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
            help="Where a source cannot wait (UDP, serial ports): leave samples out, and report them as missing, "
            "rather than judge later than this.",
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
            help="MQTT client group; another process with the same group and shard takes over the session.",
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
    from dualres.stream.watch import WatchSettings
    from dualres.stream.watch.paths import parsed_condition, parsed_quota, parsed_shard

    settings = WatchSettings(
        model=model,
        sources=sources,
        sinks=to or [STANDARD_OUTPUT],
        rate=rate,
        dtype=dtype,
        channels=channels,
        stamped=stamped,
        block_s=block,
        events=events,
        false_alarms=false_alarms,
        healthy=healthy or [],
        healthy_class=healthy_class,
        machines=machines,
        condition=parsed_condition(condition or []),
        speed=speed,
        carry_memory=carry_memory,
        state=state,
        quota=parsed_quota(quota),
        most_behind_s=most_behind,
        follow=follow,
        shard=parsed_shard(shard),
        group=group,
        standby=standby,
    )
    status = _run(settings)
    if status:
        raise typer.Exit(status)


def _run(settings: "WatchSettings") -> int:
    """Watch until the end or a signal; the exit status."""
    from dualres.cli.folder import loaded
    from dualres.stream.watch import start_watch

    display = WatchDisplay()
    tell = partial(complain, "watch", colour="yellow")
    with start_watch(settings, model=loaded(settings.model), say=tell, report=display) as watch:
        if watch.model_rate:
            rate = f"{float(watch.model_rate):g} Hz"
            complain("note", f"sources that do not state their rate are taken at {rate}, as learned", "yellow")
        if settings.lasting:
            complain("state", f"{watch.folder}", "cyan")
        if watch.promise:
            complain("alarms", watch.promise, "cyan")
        with display:
            stopped_by = _run_until_signal(watch)
    for name, count in watch.undelivered.items():
        kept = f"{count} verdicts to {name}; they are kept in {watch.folder}: give it as --state"
        complain("not delivered", kept, "yellow")
    if stopped_by == signal.SIGINT:
        return INTERRUPTED
    return int(bool(watch.source_errors or (stopped_by is None and (watch.stream_errors or watch.undelivered))))


def _run_until_signal(watch: "Watch") -> int | None:
    """The signal that stopped it, if one did."""
    caught: list[int] = []

    def stop(number: int, _: object) -> None:
        if caught:  # somebody is impatient
            raise KeyboardInterrupt
        caught.append(number)
        watch.stop()

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        watch.run()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    return caught[0] if caught else None


class WatchDisplay:
    """The state of the work: one line that changes on a terminal, else one now and then."""

    def __init__(self) -> None:
        self._spinner = errors.status("waiting for samples") if errors.is_terminal else None
        self._next = time.monotonic() + HEARTBEAT_S

    def __enter__(self) -> None:
        if self._spinner:
            self._spinner.start()

    def __exit__(self, *_: object) -> None:
        if self._spinner:
            self._spinner.stop()

    def __call__(self, status: "Status") -> None:
        if self._spinner:
            self._spinner.update(escape(printable(status_line(status))))
        elif time.monotonic() >= self._next:
            self._next = time.monotonic() + HEARTBEAT_S
            complain("watch", status_line(status), "cyan")


def status_line(status: "Status") -> str:
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
