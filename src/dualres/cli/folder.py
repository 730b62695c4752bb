"""What commands on a user's own files share: options, folders of recordings, and models."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, is_dataclass
from fractions import Fraction
from functools import partial, wraps
from inspect import Signature, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from dualres.cli.console import complain, progress
from dualres.errors import ConfigError, RecordingError

if TYPE_CHECKING:
    from dualres.judge.model import Model
    from dualres.model_file.card import Card
    from dualres.recordings.labels.folder import Folder
    from dualres.recordings.labels.read import LabelRow
    from dualres.recordings.speed_sources import SpeedSources


Device = Literal["cpu", "cuda"]
ChannelOption = Annotated[
    str | None,
    typer.Option(
        help="Channel to read, if files hold several: its name, or 2 for the second signal. Several axes of one "
        "measurement: x,y,z, or all."
    ),
]
BearingOption = Annotated[
    str | None,
    typer.Option(
        help="A bearing of the table in docs/explain.md, such as 6205, or its elements, their diameter, the pitch "
        "diameter and the contact angle: 9,7.94,39.04,0."
    ),
]
PooledAxesOption = Annotated[
    str | None,
    typer.Option(
        "--axis", "--channel", metavar="NAMES", help="Channel to read, or several axes to pool: x,y,z, or all."
    ),
]
BearingOrElementsOption = Annotated[
    str | None,
    typer.Option(
        help="A bearing of the table in docs/explain.md, such as 6205; its elements, their diameter, the pitch "
        "diameter and the contact angle: 9,7.94,39.04,0; or, if nothing else is known, its elements: 9, or 8-10."
    ),
]
OrdersOption = Annotated[
    str | None,
    typer.Option(
        metavar="NAME=ORDER,...",
        help="Of a bearing whose rates are known, in turns of the shaft: outer=3.585,inner=5.415,ball=4.713.",
    ),
]
GearOption = Annotated[
    str | None, typer.Option(metavar="TEETH", help="Of the gear on the shaft and of its mate: 29/95.")
]
UnitOption = Annotated[Literal["m/s2", "mm/s2", "g"] | None, typer.Option(help="Of the samples, for the velocity rms.")]
RateOption = Annotated[
    str | None, typer.Option(help="Sampling rate in Hz of files that do not state it: 12800, 12.8kHz or 200000/3.")
]
SpeedOption = Annotated[
    str | None,
    typer.Option(
        help="Of the shaft, for recordings that do not state it: 1797rpm or 29.95Hz; none, to use no speed at all. "
        "See docs/own-files.md."
    ),
]
TachoOption = Annotated[
    str | None, typer.Option(metavar="CHANNEL", help="A tachometer's channel of the same file, for the speed.")
]
PulsesOption = Annotated[int | None, typer.Option(min=1, show_default="1", help="Of the tachometer, per revolution.")]
SpeedChannelOption = Annotated[
    str | None,
    typer.Option(
        metavar="CHANNEL", help="A channel of the same file that holds the speed in rpm, or in Hz if its name says so."
    ),
]
WindowsOption = Annotated[
    int, typer.Option("--windows", min=1, help="Learn from at most this many windows of each recording.")
]
RESAMPLER = (
    "How to resample recordings to 64 kHz: polyphase-held, as live streams are; scipy.signal.resample_poly, as "
    "published results were; or soxr, with the extra dualres\\[soxr]."
)


def parsed_rate(text: str | None) -> Fraction | None:
    from dualres.utils.rates import exact_rate

    return None if text is None else exact_rate(text)


def with_options(command: Callable[..., None]) -> Callable[..., None]:
    """The command, in place of whose parameter that is a dataclass its options stand."""
    parameters = signature(command, eval_str=True).parameters
    taken = next(name for name, one in parameters.items() if is_dataclass(one.annotation))
    kind = parameters[taken].annotation
    own = signature(kind, eval_str=True).parameters

    @wraps(command)
    def whole(**given: Any) -> None:
        command(**{taken: kind(**{name: given.pop(name) for name in own})}, **given)

    shown = [one for name, given in parameters.items() for one in (own.values() if name == taken else [given])]
    whole.__signature__ = Signature(shown)  # type: ignore[attr-defined]
    return whole


@dataclass(frozen=True, kw_only=True)
class SpeedOptions:
    """How the speed of recordings is known."""

    speed: SpeedOption = None
    tacho: TachoOption = None
    pulses: PulsesOption = None
    speed_channel: SpeedChannelOption = None

    @property
    def sources(self) -> SpeedSources | None:
        """None where no option is given."""
        if sum(each is not None for each in (self.speed, self.tacho, self.speed_channel)) > 1:
            raise ConfigError("--speed, --tacho and --speed-channel all say the speed; give one of them")
        if self.pulses is not None and self.tacho is None:
            raise ConfigError("--pulses are of a tachometer; name its channel by --tacho")
        if (self.speed, self.tacho, self.speed_channel) == (None, None, None):
            return None
        from dualres.recordings.speed_sources import SpeedSources

        if self.speed is not None:
            return SpeedSources.of(self.speed)
        return SpeedSources(tacho=self.tacho, pulses=self.pulses or 1, channel=self.speed_channel)


@dataclass(frozen=True, kw_only=True)
class FolderOptions(SpeedOptions):
    """How to read a user's folder."""

    channel: ChannelOption = None
    rate: RateOption = None
    labels: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="A list to use instead of the folder's labels.csv; its files are relative to the folder.",
        ),
    ] = None
    where: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN=VALUE",
            help="Use only recordings with these values: load=0,speed=1800, or load=0|1 for either.",
        ),
    ] = None
    exclude: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Leave out a file, or all that match a pattern: 'old/*'. May be repeated."),
    ] = None

    def read(self, folder: Path, *, unlabelled: bool = False) -> Folder:
        """The folder's recordings, with those that have no label where `unlabelled` says so."""
        from dualres.recordings.labels.folder import read_folder
        from dualres.recordings.labels.selection import Selection

        chosen = Selection.parsed(self.where or (), self.exclude or ())
        read = partial(read_folder, labels=self.labels, selection=chosen, unlabelled=unlabelled, speed=self.sources)
        with progress("Nothing was written.") as report:
            return read(folder, self.channel, parsed_rate(self.rate), report)


def understood(folder: Path, options: FolderOptions, *, shown: bool = True) -> Folder:
    """A folder's recordings of two classes or more, shown; else only what is left out is told."""
    from dualres.recordings.labels.spelling import doubtful_components, doubtful_labels
    from dualres.recordings.labels.units import doubtful_speeds

    found = options.read(folder)
    (_show_folder if shown else show_left_out)(found)
    doubts = doubtful_labels(str(r.label) for r in found.recordings)
    doubts += doubtful_components(r.component for r in found.recordings if r.component)
    used = options.sources is None or options.sources.used
    doubts += doubtful_speeds(r.condition for r in found.recordings) if used else []
    for sentence in doubts:
        complain("warning", sentence, "yellow")
    if len(found.classes) < 2:
        raise RecordingError(f"{folder}: holds only one class, {found.classes[0]}; a model needs at least two")
    return found


def told_of_rows(rows: Sequence[LabelRow], options: SpeedOptions) -> SpeedSources | None:
    """The sources of the speed; speeds in another unit than they are taken for, and links, are pointed out."""
    from dualres.recordings.labels.read import told_of_links

    if links := told_of_links(rows):
        complain("links", links, "cyan")
    sources, conditions = options.sources, [row.known["condition"] for row in rows if row.known.get("condition")]
    if conditions and (sources is None or sources.used):
        from dualres.recordings.labels.units import doubtful_speeds

        for sentence in doubtful_speeds(conditions):
            complain("warning", sentence, "yellow")
    return sources


def _show_folder(found: Folder) -> None:
    from rich.markup import escape
    from rich.table import Table

    from dualres.cli.console import console

    table = Table(title="What was understood", title_justify="left")
    for column in ("Class", "Recordings", "Seconds", "Components", "Rates in Hz"):
        table.add_column(column, justify="left" if column == "Class" else "right")
    for label in found.classes:
        members = [r for r in found.recordings if r.label == label]
        components = {r.component for r in members if r.component}
        rates = sorted({r.rate for r in members})
        seconds = sum(found.seconds[r.id] for r in members)
        known = str(len(components) or "unknown")
        table.add_row(escape(label), str(len(members)), f"{seconds:.1f}", known, ", ".join(map(str, rates)))
    left_out = {**found.not_chosen, **({"cannot be used": len(found.left_out)} if found.left_out else {})}
    if left_out:
        table.add_section()
    for reason, count in left_out.items():
        table.add_row(escape(f"left out: {reason}"), str(count), style="yellow")
    console.print(table)
    show_unusable(found)


def show_left_out(found: Folder) -> None:
    """What of a folder is not used, where no table tells; an error if nothing is left."""
    for reason, count in found.not_chosen.items():
        complain("left out", f"{count} by {reason}", "yellow")
    show_unusable(found)


def show_unusable(found: Folder) -> None:
    """What of a folder could not be used, and what stands in it twice; an error if nothing is left."""
    if found.links:
        complain("links", found.links, "cyan")
    for file, reason in found.left_out:
        complain("left out", f"{file}: {reason}", "yellow")
    for names in found.same:
        complain("same content", ", ".join(names), "yellow")
    if not found.recordings:
        raise RecordingError(f"none of the {len(found.left_out)} files could be used; the reasons are above")


def loaded(path: Path) -> Model:
    """The model in a file: DualRes without PyTorch where the compiled kernel serves it, or a fitted comparator."""
    from dualres.judge.model import load_any

    accept_comparators()
    return load_any(path)


def accept_comparators() -> None:
    """Let whatever asks for any model have fitted comparators, too."""
    from dualres.judge.model import read_comparators_by

    read_comparators_by(_load_comparator)


def _load_comparator(path: Path) -> Model:
    from dualres.cli.bench.folds import load_comparator

    return load_comparator(path)


def cost_of(card: Card) -> str:
    """How the axes of a model are judged, and what a verdict takes of it."""
    axes, members = len(card.channels), f" of {card.members} members" if card.members > 1 else ""
    which = f"{axes} axes ({', '.join(card.channels)})"
    how = f"a network{members} each" if card.axes == "apart" else f"one network{members} for all"
    return f"{which}, {how}: a verdict costs {card.passes} times one axis'"
