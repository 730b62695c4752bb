"""Simulated machines, recorded by a sensor of three axes: as recordings, or as a folder of files like a user's own.

`python -m dualres.simulated.triaxial pump` writes a folder `pump`, so that everything for one's own files can be tried.
"""

import csv
import sys
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache, partial
from io import StringIO
from itertools import product
from pathlib import Path

import numpy as np

from dualres.errors import DualResError
from dualres.recordings.labels.table import LABELS
from dualres.recordings.recording import Origin, Recording, Samples, of_axes
from dualres.recordings.speed import Speed
from dualres.simulated.machines import AXES, Machine, MachineSetting, machine, settings, simulate_axes
from dualres.utils.files import write_whole
from dualres.utils.optional_imports import need

PUMP = replace(machine(3), rate=12_800, seconds=1.5)
CLASSES = ("good", "unbalance", "inner", "outer")
UNITS = ("light_a", "light_b", "light_c")  # bearings of every class, with faults that are light


def recordings(machine: Machine, some: Sequence[MachineSetting] | None = None) -> list[Recording]:
    """A machine's recordings of three axes, of all settings or of some; simulated when they are asked for."""
    return [_recording(machine, one) for one in (settings(machine) if some is None else some)]


def pump_settings() -> list[MachineSetting]:
    """Four classes, three bearings of each, at two speeds."""
    slow, _, fast = PUMP.speeds
    return [MachineSetting(*one, PUMP.loads[1]) for one in product(CLASSES, UNITS, (slow, fast))]


def write_folder(folder: Path | str, machine: Machine = PUMP, some: Sequence[MachineSetting] | None = None) -> None:
    """Write recordings of three axes as CSV files and a labels.csv; by default a pump's 24 of 1.5 s, about 15 MB."""
    folder, table = Path(folder), StringIO()
    writer = csv.writer(table, lineterminator="\n")
    writer.writerow(["file", "label", "component", "speed"])
    for one in pump_settings() if some is None else some:
        signals, lines = simulate_axes(machine, one), StringIO()
        columns = np.column_stack([np.arange(len(signals["x"])) / machine.rate, *signals.values()])
        header = ",".join(["time", *AXES])
        np.savetxt(lines, columns, ["%.7f", *["%.5g"] * len(AXES)], ",", header=header, comments="")
        write_whole(folder / f"{one.id}.csv", lines.getvalue().encode())
        writer.writerow([f"{one.id}.csv", one.label, one.specimen, one.speed])
    write_whole(folder / LABELS, table.getvalue().encode())


def _recording(machine: Machine, setting: MachineSetting) -> Recording:
    name, rate = f"{machine.name}_{setting.id}", Fraction(machine.rate)
    known = setting.label, f"{machine.name}_{setting.specimen}", setting.condition
    axes = [
        Recording(name, partial(_signal, machine, setting, axis), rate, *known, Origin(channel=axis)) for axis in AXES
    ]
    return replace(of_axes(axes, name, aligned=True), speed=Speed.of_rpm(setting.speed))


def _signal(machine: Machine, setting: MachineSetting, axis: str) -> Samples:
    return _signals(machine, setting)[axis]


_signals = lru_cache(maxsize=1)(simulate_axes)  # who asks for one axis asks for the next one then


def main() -> None:
    """As a command: write the folder that is named, or `pump`."""
    try:
        need("the simulated pump", "scipy")
        write_folder(sys.argv[1] if len(sys.argv) > 1 else "pump")
    except DualResError as error:
        sys.exit(f"Error: {error}")


if __name__ == "__main__":
    main()
