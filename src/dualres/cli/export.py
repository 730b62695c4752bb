"""`dualres export`: a model for other machines."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

import typer

from dualres.cli.console import complain, progress, say
from dualres.config import POLYPHASE
from dualres.errors import ConfigError

if TYPE_CHECKING:
    from dualres.export.alarm import DeviceAlarm
    from dualres.judge.model import Model
    from dualres.utils.progress import Progress

BLOCK_S = 5.0
MUCH = 3000  # bytes of flash for healthy blocks; recordings of the same length never take as many


def export(
    model: Annotated[Path, typer.Argument(help="A model file, from dualres fit.")],
    target: Annotated[Path, typer.Argument(help="The folder (source code, hub) or file (onnx) to write.")],
    *,
    to: Annotated[
        Literal["c99", "arduino", "platformio", "esp-idf", "zephyr", "cmsis-pack", "onnx", "hub"],
        typer.Option(
            help="c99: source code for devices. arduino, platformio, esp-idf, zephyr, cmsis-pack: the same as a "
            "library that these take, with an example that reads an accelerometer. onnx: a network for ONNX Runtime. "
            "hub: the model with a card in Markdown, for a hub of models."
        ),
    ],
    rate: Annotated[
        str | None,
        typer.Option(help="C: sampling rate of the device in Hz, 12800, 12.8kHz or 200000/3; by default 64000."),
    ] = None,
    int16: Annotated[
        bool, typer.Option("--int16", help="C: samples are 16-bit counts; halves the memory of the window.")
    ] = False,
    search: Annotated[
        int,
        typer.Option(
            help="C: speeds of the shaft at which the device judges, around the one that it is told, an odd number "
            "such as 11 or 21; 0 for the told one alone."
        ),
    ] = 0,
    alarm: Annotated[
        str | None,
        typer.Option(
            "--alarm",
            "--false-alarms",
            metavar="RATE",
            show_default="no alarms",
            help="c99: raise alarms on the device, false ones at most at this rate: '1 per year'. Needs --healthy; "
            "these options are as dualres watch has them.",
        ),
    ] = None,
    healthy: Annotated[
        list[Path] | None,
        typer.Option(help="c99: a recording of the machines running well, or a folder of them; may be repeated."),
    ] = None,
    healthy_class: Annotated[
        str | None,
        typer.Option(show_default="good, healthy, normal ...", help="c99: the class of machines running well."),
    ] = None,
    machines: Annotated[int, typer.Option(min=1, help="c99: machines that share the rate of false alarms.")] = 1,
    block: Annotated[
        float, typer.Option(metavar="SECONDS", help="c99: length of a block, after which an alarm may come.")
    ] = BLOCK_S,
    speed: Annotated[
        str | None,
        typer.Option(
            metavar="SPEED",
            help="c99: of the shaft of healthy recordings, 1797 or 1797rpm or 29.95Hz, where nothing beside the "
            "samples says it; none: use none, for a device that is never told one.",
        ),
    ] = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace an earlier export; other files are never replaced.")
    ] = False,
    unchecked: Annotated[
        bool, typer.Option("--unchecked", help="C: export even without a C compiler, unchecked.")
    ] = False,
) -> None:
    """Export a model to other machines, and check that it computes the same there.

    The C99 folder holds everything a device needs: three functions, one more
    that tells the speed of a shaft, no allocation, and a Makefile with a check. As a library for Arduino, PlatformIO,
    ESP-IDF, Zephyr or CMSIS-Pack it has the same C, and a README that says how to build it. The ONNX file takes windows
    at 64 kHz. A model of several axes takes them together, one of several
    networks averages them.
    """
    from dualres.cli.folder import loaded as load

    of_alarms = (
        (bool(healthy), "--healthy"),
        (healthy_class is not None, "--healthy-class"),
        (machines != 1, "--machines"),
        (block != BLOCK_S, "--block"),
        (speed is not None, "--speed"),
    )
    if to not in ("onnx", "hub"):
        for given, name in of_alarms:
            if given and alarm is None:
                raise ConfigError(f"{name} only applies with --alarm RATE, such as --alarm '1 per year'")
        asked = alarm and AlarmAsked(alarm, healthy or [], healthy_class, machines, block, speed)
        options = {"int16": int16, "overwrite": overwrite, "unchecked": unchecked}
        _export_c99(load(model), target, rate, asked or None, layout=to, search=search, **options)
        return
    of_c99 = (
        *((rate is not None, "--rate"), (int16, "--int16"), (search != 0, "--search"), (unchecked, "--unchecked")),
        *((alarm is not None, "--alarm"), *of_alarms),
    )
    for given, name in of_c99:
        if given:
            takes = "an ONNX file takes float windows at 64 kHz" if to == "onnx" else "a hub gets the model as it is"
            raise ConfigError(f"{name} does not apply with --to {to}; {takes}")
    if to == "hub":
        from dualres.export.hub import write_hub

        say(f"Folder  {write_hub(load(model), target, overwrite=overwrite)}")
        return
    from dualres.export.onnx import write_onnx

    known = load(model)
    with progress("Nothing was written.") as report:
        report("Export", 0, 1, "")
        off = write_onnx(known, target, overwrite=overwrite)
        report("Export", 1, 1, "")
    say(f"check windows: same verdicts, logits off by {off:.2g}")
    say(f"File  {target}")


class AlarmAsked(NamedTuple):
    """The options that `dualres watch` has for alarms, too."""

    rate: str
    healthy: list[Path]
    healthy_class: str | None
    machines: int
    block_s: float
    speed: str | None


def _alarm(asked: AlarmAsked, model: "Model", hz: str | None, report: "Progress") -> "DeviceAlarm":
    from dualres.export.learned_alarm import alarm_for
    from dualres.recordings.speed_sources import SpeedSources
    from dualres.utils.rates import exact_rate

    if not asked.healthy:
        raise ConfigError(
            f"--alarm {asked.rate!r}: a rate is promised by recordings of the machine running well; give --healthy"
        )
    return alarm_for(
        model,
        asked.rate,
        asked.healthy,
        block_s=asked.block_s,
        machines=asked.machines,
        label=asked.healthy_class,
        hz=None if hz is None else exact_rate(hz),
        speed=SpeedSources.of(asked.speed),
        progress=report,
    )


def _export_c99(
    model: "Model", folder: Path, hz: str | None, asked: AlarmAsked | None, *, layout: str, **options: Any
) -> None:
    from dualres.export.c99 import costs, write_c99
    from dualres.export.layouts.catalogue import layout_called
    from dualres.utils.rates import exact_rate

    rate = "64000" if hz is None else hz
    if model.card.resampler == POLYPHASE and exact_rate(rate) != model.card.config.rate:
        differs = "near the ends of a recording a device differs a little from dualres diagnose"
        earlier = "the model is of an earlier version, or of the benchmark"
        complain("note", f"{earlier}: {differs}; fit it again for none of this", "yellow")
    with progress("Nothing was written.") as report:
        alarm = _alarm(asked, model, hz, report) if asked else None
        result = write_c99(model, folder, rate, alarm=alarm, layout=layout, **options, progress=report)
    if alarm:
        complain("alarms", f"{alarm.learned.state.promise}", "cyan")
    if result.healthy > MUCH:
        several = "healthy recordings of different lengths take tables of their own"
        complain("note", f"{several}, {result.healthy} bytes in all: record every load for the same time", "yellow")
    for check in result.checks:
        say(f"{check.build}:")
        for line in check.lines:
            say(f"  {line}")
    for line in costs(result):
        say(line)
    if not result.checks:
        complain(
            "not checked", f"there is no C compiler here; {layout_called(layout).checking} where there is one", "yellow"
        )
    say(f"Folder  {folder}")
