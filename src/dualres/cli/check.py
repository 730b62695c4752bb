"""`dualres check`: a first verdict without a model and without any label."""

from __future__ import annotations

import csv
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dualres.cli.console import complain, counted, echo, say
from dualres.cli.folder import (
    BearingOrElementsOption,
    GearOption,
    OrdersOption,
    PooledAxesOption,
    RateOption,
    SpeedOptions,
    UnitOption,
    parsed_rate,
    told_of_rows,
    with_options,
)
from dualres.errors import ConfigError
from dualres.utils.json_text import json_text
from dualres.utils.optional_imports import need
from dualres.utils.printable import table_cell

if TYPE_CHECKING:
    from dualres.explain.check import CheckedRecording
    from dualres.recordings.labels.read import LabelRow

SHOWN = 3  # findings of a recording that are told beside its answer
LINES = 4  # of a finding that are told
CELLS = ("file", "answer", "said", "p", "reason", "speed_rpm", "velocity_mm_s", "zone", "error")


@with_options
def check(
    files: Annotated[
        list[Path],
        typer.Argument(readable=False, help="Recordings, or folders with recordings and perhaps a labels.csv."),
    ],
    axis: PooledAxesOption = None,
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
            metavar="LIMITS",
            help="With --unit: the limits in mm/s between zones A, B, C and D that ISO 20816 has for the class and the "
            "mounting of the machine: 1.1,2.2,3.3.",
        ),
    ] = None,
    healthy: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            help="Of the same machine, or of sisters, while they ran well: a file or a folder, may be repeated; three "
            "recordings or more. The shaft is then judged by what has grown.",
        ),
    ] = None,
    error: Annotated[
        float, typer.Option(help="Share of recordings of healthy machines in which a fault may be named.")
    ] = 0.05,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object per line.")] = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Comma-separated values with a header.")] = False,
    picture: Annotated[
        Path | None, typer.Option(metavar="PNG", help="Draw the spectrum of one recording, with its lines.")
    ] = None,
) -> None:
    """Say which part of a machine is damaged, by its geometry and its speed: no model, no labels.

    Columns speed, bearing, orders, gear and unit of a folder's labels.csv are used; labels are not.
    """
    from dualres.explain.check import CheckedMachine, check_rows, healthy_machine, row_name
    from dualres.faultlines.check import check_error
    from dualres.recordings.labels.read import read_row, to_judge

    if as_json and as_csv:
        raise ConfigError("--json and --csv are two formats; give one of them")
    check_error(error)
    machine = CheckedMachine(bearing, orders, gear, unit, given_limits(zones, unit))
    _ = machine.known  # what cannot be understood is told before any file is read
    rows = list(to_judge(files))
    if picture:
        need("--picture", "matplotlib")
        if len(rows) > 1:
            raise ConfigError(f"--picture draws one recording, and {len(rows)} are given; give one file")
    well = list(to_judge(healthy or ()))
    speed = told_of_rows([*rows, *well], speeds)
    read = partial(read_row, channel=axis, rate=parsed_rate(rate), speed=speed)
    known = None
    if healthy:
        known = healthy_machine((replace(read(row), id=row_name(row)) for row in well), machine)
    write = _json if as_json else _Table() if as_csv else partial(_text, error=error)
    failed = 0
    for row, found, problem in counted(
        check_rows(rows, machine, read, error=error, healthy=known), len(rows), "checked"
    ):
        if found is None:
            failed += 1
            complain("not checked", problem)
        write(row, found, problem)
        if picture and found:
            from dualres.explain.check_picture import draw_check

            draw_check(found, picture)
            complain("picture", str(picture), "cyan")
    if failed:
        raise typer.Exit(1)


def given_limits(zones: str | None, unit: str | None) -> tuple[float, ...] | None:
    from dualres.faultlines.severity import limits_of

    if zones is None:
        return None
    if unit is None:
        raise ConfigError("--zones judge the velocity, for which the unit of the samples is needed; give --unit")
    return limits_of(zones)


def _text(row: LabelRow, found: CheckedRecording | None, problem: str, *, error: float) -> None:
    if found is None:
        return
    check = found.check
    echo(f"{found.file}  {check.sentence}")
    if found.speed and check.spectra and check.evidence:
        hz = check.spectra.shaft_hz * check.evidence.speed_factor
        refined = f", refined by {100 * (check.evidence.speed_factor - 1):+.2f} %" if check.evidence.speed_found else ""
        say(f"  speed     {hz:.2f} Hz, {60 * hz:.0f} rpm, {found.speed.source}{refined}")
        low, high = check.spectra.bands[0]
        axes = f", axes {', '.join(found.axes)}" if found.axes else ""
        say(f"  envelope  {len(check.spectra.bands)} bands from {low:,.0f} to {high:,.0f} Hz, pooled{axes}")
    if found.velocity_mm_s is not None:
        zone = f", zone {found.zone} by the limits given" if found.zone else ""
        say(f"  velocity  {found.velocity_mm_s:.3g} mm/s rms from 10 to 1,000 Hz{zone}")
    for one in check.findings[:SHOWN]:
        told = ", ".join(f"{order:.3f} x ({height:.1f})" for order, height in _strongest(one.lines))
        word = "found" if one.named else "weak" if one.adjusted <= error else "not found"
        rises = ", ".join(f"{name} {rise:+.0f} dB" for name, rise in (one.rises_db or {}).items())
        told = f"since healthy: {rises}" if rises else told
        say(f"  {word:<9} {one.said}: p {one.adjusted:.2g}, score {one.score:.1f}; {told}")


def _strongest(lines: tuple[tuple[float, float], ...]) -> list[tuple[float, float]]:
    return sorted(sorted(lines, key=lambda line: -line[1])[:LINES])


def _json(row: LabelRow, found: CheckedRecording | None, problem: str) -> None:
    said = found.as_data() if found else {"file": f"{row.file}{row.which}", "error": problem}
    typer.echo(json_text(said))


class _Table:
    """Comma-separated values below a header."""

    def __init__(self) -> None:
        self._table = csv.writer(sys.stdout)
        self._table.writerow(CELLS)

    def __call__(self, row: LabelRow, found: CheckedRecording | None, problem: str) -> None:
        cells: dict[str, str] = {"file": f"{row.file}{row.which}", "error": problem}
        if found:
            check = found.check
            cells |= {"answer": check.answer, "said": check.said, "reason": check.reason, "zone": found.zone or ""}
            cells["p"] = "" if check.p is None else f"{check.p:.4g}"
            cells["speed_rpm"] = f"{found.speed.rpm:.1f}" if found.speed else ""
            cells["velocity_mm_s"] = "" if found.velocity_mm_s is None else f"{found.velocity_mm_s:.4g}"
        self._table.writerow([table_cell(cells.get(name, "")) for name in CELLS])
