"""`dualres trend`: how machines change over weeks."""

from __future__ import annotations

import csv
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dualres.cli.check import given_limits
from dualres.cli.console import complain, echo, progress, say
from dualres.cli.folder import (
    BearingOrElementsOption,
    GearOption,
    OrdersOption,
    PooledAxesOption,
    RateOption,
    SpeedOptions,
    UnitOption,
    loaded,
    parsed_rate,
    with_options,
)
from dualres.errors import ConfigError
from dualres.utils.json_text import json_text
from dualres.utils.printable import table_cell

if TYPE_CHECKING:
    from dualres.explain.trend.kept import KeptLevels
    from dualres.explain.trend.series import Trend, TrendPoint

MOST_ROWS = 16  # of a series that are told on a terminal
PAGE_SUFFIXES = (".html", ".htm")


@with_options
def trend(
    folder: Annotated[
        Path, typer.Argument(help="A folder with recordings of one machine, or of several that a labels.csv names.")
    ],
    axis: PooledAxesOption = None,
    by_axis: Annotated[
        bool, typer.Option("--by-axis", help="A series for each axis, instead of pooling them.")
    ] = False,
    rate: RateOption = None,
    *,
    speeds: SpeedOptions,
    bearing: BearingOrElementsOption = None,
    orders: OrdersOption = None,
    gear: GearOption = None,
    unit: UnitOption = None,
    zones: Annotated[
        str | None,
        typer.Option(
            metavar="LIMITS", help="With --unit: your limits in mm/s between zones A, B, C and D: 1.1,2.2,3.3."
        ),
    ] = None,
    model: Annotated[
        Path | None, typer.Option(metavar="MODEL", help="A model file, for its verdict on every recording.")
    ] = None,
    time: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            show_default="time or date, else dates in file names, else file times",
            help="Of labels.csv: when a recording was made.",
        ),
    ] = None,
    healthy: Annotated[
        str | None,
        typer.Option(
            metavar="N|LABEL",
            show_default="baselines of more and more recordings are tried",
            help="How many of the first recordings are healthy, or the label that they have.",
        ),
    ] = None,
    adjust: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMNS",
            show_default="speed, load, temperature, power, torque, where they are known and vary",
            help="What explains levels and is no change: load,temperature; or none.",
        ),
    ] = None,
    error: Annotated[
        float,
        typer.Option(help="Share of healthy machines that are ever said to have changed, however often one looks."),
    ] = 0.05,
    keep: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Remember here what was read, so that the next look reads only new files."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object per machine and line.")] = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Comma-separated values: a row per recording.")] = False,
    picture: Annotated[Path | None, typer.Option(metavar="PNG", help="Draw the series.")] = None,
    page: Annotated[Path | None, typer.Option(metavar="HTML", help="Write a page that holds everything.")] = None,
) -> None:
    """Follow machines over time: levels, fault lines, distance from health, and when a machine changed.

    The columns component or machine, time or date, speed, bearing, orders, gear, unit and load of a folder's labels.csv
    are used. A file that cannot be used is reported and left out; the exit status is then 1.
    """
    from dualres.explain.check import CheckedMachine
    from dualres.explain.trend.folder import TrendSettings, trend_folder

    if as_json and as_csv:
        raise ConfigError("--json and --csv are two formats; give one of them")
    machine = CheckedMachine(bearing, orders, gear, unit, given_limits(zones, unit))
    _ = machine.known  # what cannot be understood is told before any file is read
    if not 0 < error < 1:
        raise ConfigError(f"--error {error:g}: give a share between 0 and 1, such as 0.05")
    _check_written(picture, page)
    settings = TrendSettings(
        machine=machine,
        channel=axis,
        rate=parsed_rate(rate),
        speed=speeds.sources,
        by_axis=by_axis,
        model=loaded(model) if model else None,
        time=time,
        error=error,
        healthy=_healthy(healthy),
        adjust=_columns(adjust),
    )
    kept = _kept(keep, settings, model)
    told = (
        f"What was read so far is kept in {keep}." if keep else "Nothing was written; --keep FILE keeps what was read."
    )
    try:
        with progress(told) as report:
            trends = trend_folder(folder, settings, kept=kept, progress=report)
    finally:
        if kept:
            kept.write()
    if as_csv:
        _table(trends)
    for one in trends:
        if as_json:
            typer.echo(json_text(one.as_data()))
        elif not as_csv:
            _text(one, folder)
    if picture:
        from dualres.explain.trend.picture import draw_trends

        draw_trends(trends, picture)
        complain("picture", str(picture), "cyan")
    if page:
        from dualres.explain.trend.page import write_trend_page

        write_trend_page(trends, page, folder.resolve().name)
        complain("page", str(page), "cyan")
    left_out = dict.fromkeys(each for one in trends for each in one.left_out)
    for file, reason in left_out:
        complain("left out", f"{file}: {reason}", "yellow")
    if left_out:
        raise typer.Exit(1)


def _check_written(picture: Path | None, page: Path | None) -> None:
    """An error now rather than after an hour of files."""
    from dualres.utils.files import check_output
    from dualres.utils.html import check_page
    from dualres.utils.optional_imports import need

    if picture:
        need("--picture", "matplotlib")
        if picture.suffix.lower() != ".png":
            raise ConfigError(f"--picture {picture}: the picture is a PNG; name a file that ends in .png")
        check_output(picture)
    if page:
        if page.suffix.lower() not in PAGE_SUFFIXES:
            raise ConfigError(f"--page {page}: a page ends in .html")
        check_output(page)
        check_page(page)


def _healthy(text: str | None) -> int | str | None:
    if text is None or not text.isdecimal():
        return text
    if int(text) < 1:
        raise ConfigError("--healthy 0: give how many of the first recordings are healthy, or their label")
    return int(text)


def _columns(text: str | None) -> tuple[str, ...] | None:
    if text is None:
        return None
    names = tuple(name.strip().lower() for name in text.split(","))
    return () if names == ("none",) else names


def _kept(keep: Path | None, settings: Any, model: Path | None) -> KeptLevels | None:
    if keep is None:
        return None
    from dualres.explain.trend.kept import KeptLevels

    judge = settings.model.fingerprint if settings.model else None
    asked = [settings.machine, settings.channel, settings.rate, settings.speed, settings.by_axis, judge]
    return KeptLevels(keep, repr(asked))


def _text(one: Trend, folder: Path) -> None:
    echo(f"{one.name or folder.resolve().name}  {one.sentence}")
    adjusted = f"; adjusted for {', '.join(one.explaining)}" if one.explaining else ""
    say(f"  times from {one.times}; distances from the first {one.baseline} recordings{adjusted}")
    if one.severity:
        say(f"  severity {one.severity}")
    for change in one.search.changes:
        found, began = one.points[change.found], one.points[change.began]
        say(
            f"  {one.what(change)}: {change.healthy:.1f}{one.unit(change)} when healthy, "
            f"{change.level:.1f} at {found.time}, limit {change.limit:.1f}; since about {began.time}"
        )
    names = [point.time for point in one.points]
    wide = max([4, *map(len, names)])
    columns = _columns_shown(one)
    say(f"  {'time':<{wide}}" + "".join(f"  {title:>{size}}" for title, size, _ in columns))
    change_at = one.change
    for number in shown_rows(one):
        cells = "".join(f"  {cell(number, one.points[number]):>{size}}" for _, size, cell in columns)
        mark = ""
        if change_at:
            mark = "  < found" if number == change_at.found else "  < began" if number == change_at.began else ""
        say(f"  {names[number]:<{wide}}{cells}{mark}")


def shown_rows(one: Trend) -> list[int]:
    """Recordings that are told: evenly spread, the last one, and those of the change."""
    count = len(one.points)
    if count <= MOST_ROWS:
        return list(range(count))
    spread = {round(place * (count - 1) / (MOST_ROWS - 1)) for place in range(MOST_ROWS)}
    return sorted(spread | ({one.change.found, one.change.began} if one.change else set()))


def _columns_shown(one: Trend) -> list[tuple[str, int, Any]]:
    """Title, width and how a cell is written."""

    def number(value: float | None, digits: str) -> str:
        return "-" if value is None else format(value, digits)

    levels = [point.levels for point in one.points]
    shown: list[tuple[str, int, Any]] = [
        ("rms", 9, lambda _, point: number(point.levels.rms, ".4g")),
        ("rise dB", 7, lambda at, _: number(one.rise_db(at), "+.1f")),
        ("kurtosis", 8, lambda _, point: number(point.levels.kurtosis, ".1f")),
        ("crest", 5, lambda _, point: number(point.levels.crest, ".1f")),
        ("distance dB", 11, lambda _, point: number(point.distance_db, ".1f")),
    ]
    if any(each.velocity_mm_s is not None for each in levels):
        shown.append(("mm/s", 6, lambda _, point: number(point.levels.velocity_mm_s, ".3g")))
    if any(each.zone for each in levels):
        shown.append(("zone", 4, lambda _, point: point.levels.zone or "-"))
    if any(each.answer for each in levels):
        shown.append(("strongest line", 22, lambda _, point: _strongest(point)))
        shown.append(("check", 15, lambda _, point: point.levels.answer or "-"))
    if any(each.verdict for each in levels):
        shown.append(("verdict", 16, lambda _, point: f"{point.levels.verdict} {point.levels.probability:.2f}"))
    return shown


def _strongest(point: TrendPoint) -> str:
    lines = point.levels.lines
    if not lines:
        return "-"
    name = max(lines, key=lines.__getitem__)
    return f"{name} {lines[name]:.1f}"


def _table(trends: list[Trend]) -> None:
    """Comma-separated values below a header."""
    from dualres.explain.trend.levels import BANDS

    lines = sorted({name for one in trends for point in one.points for name in point.levels.lines})
    plain = (
        "rms",
        "kurtosis",
        "crest",
        "impulsiveness",
        "velocity_mm_s",
        "zone",
        "speed_rpm",
        "answer",
        "verdict",
        "probability",
    )
    bands = [f"band_{number + 1}" for number in range(BANDS)]
    scores = [f"score_{name.replace(' ', '_')}" for name in lines]
    heads = ["machine", "axis", "file", "time", "mark", "rise_db", "distance_db", *plain, *bands, *scores, "error"]
    table = csv.DictWriter(sys.stdout, heads, restval="")
    table.writeheader()
    for one in trends:
        for number, point in enumerate(one.points):
            mark = ""
            if one.change:
                mark = "found" if number == one.change.found else "began" if number == one.change.began else ""
            row: dict[str, Any] = {"machine": one.machine, "axis": one.axis, "file": point.file, "time": point.time}
            row |= {"mark": mark, "rise_db": one.rise_db(number), "distance_db": point.distance_db}
            row |= {name: getattr(point.levels, name) for name in plain}
            row |= dict(zip(bands, point.levels.bands, strict=True))
            row |= {f"score_{name.replace(' ', '_')}": score for name, score in point.levels.lines.items()}
            table.writerow({name: _cell(value) for name, value in row.items()})
        for file, reason in one.left_out:
            row = {"machine": one.machine, "axis": one.axis, "file": file, "error": reason}
            table.writerow({name: _cell(value) for name, value in row.items()})


def _cell(value: object) -> str:
    if value is None:
        return ""
    return f"{value:.6g}" if isinstance(value, float) else table_cell(str(value))
