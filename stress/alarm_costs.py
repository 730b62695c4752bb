"""What does an alarm in exported C take of a Cortex-M4? Writes JSON.

    python stress/alarm_costs.py [-o FILE]

The least firmware that judges a stream is linked by `arm-none-eabi-gcc -mcpu=cortex-m4 -Os`, with an alarm and without
one: all of it, libm and the arithmetic of doubles included. Healthy references are of one load and of several.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from _devices import BOARD
from _tally import this_run
from dualres.export.alarm import DeviceAlarm, table_bytes
from dualres.export.destination import write_files
from dualres.export.device_network import device_of
from dualres.export.rates import ratio_for
from dualres.export.sources import copied, made
from dualres.stream.alarm import Alarm
from dualres.utils.files import write_whole
from exported_alarms import RATE, a_model
from healthy_machines import ALIKE

ROOT = Path(__file__).parents[1]
YEAR = 6_311_520.0  # blocks of 5 s
COMPILER = ("arm-none-eabi-gcc", "-mcpu=cortex-m4", "-mthumb", "-Os", "-std=c99", "-pedantic", "-Wall", "-Wextra")
FIRMWARE = Path(__file__).with_name("device_firmware.c")


@dataclass(frozen=True)
class Reference:
    title: str
    blocks: tuple[int, ...]  # of every load


REFERENCES = (
    Reference("an hour", (720,)),
    Reference("a day", (17_280,)),
    Reference("a week", (120_960,)),
    Reference("an hour at each of five loads", (720,) * 5),
    Reference("a day at each of three loads", (17_280,) * 3),
    Reference("about two hours at each of three loads, never as long", (1440, 1500, 1380)),
)


@dataclass(frozen=True)
class Cost:
    """Bytes that a device has to have."""

    flash: int
    ram: int

    def __sub__(self, other: Cost) -> Cost:
        return Cost(self.flash - other.flash, self.ram - other.ram)


def firmware(folder: Path, alarm: DeviceAlarm | None) -> Cost:
    """Linked in an empty folder."""
    model = a_model()
    files = made(model, RATE, ratio_for(model, RATE), int16=False, alarm=alarm)
    write_files(copied(device_of(model)) | files, folder)
    sources = [FIRMWARE, *(folder / name for name in ("dualres.c", "dualres_model.c", "cortex-m/startup.c"))]
    to, script = folder / "firmware.elf", folder / "cortex-m" / "memory.ld"
    command = [*COMPILER, "-I", folder, *sources, *BOARD, "-ffunction-sections", "-T", script, "-lm", "-o", to]
    subprocess.run(command, check=True)
    said = subprocess.run(["arm-none-eabi-size", to], check=True, capture_output=True, text=True).stdout
    text, data, zeroed = map(int, said.splitlines()[1].split()[:3])
    return Cost(text + data, data + zeroed)


def learned(reference: Reference) -> DeviceAlarm:
    rng = np.random.default_rng(1)
    scores = [1 / (1 + np.exp(4 - ALIKE.scores(rng, blocks))) for blocks in reference.blocks]
    return DeviceAlarm(Alarm.learned(scores, blocks_between_false_alarms=YEAR), "1 per year", "good", 5.0)


def cost_of(reference: Reference, without: Cost) -> dict[str, Any]:
    alarm = learned(reference)
    with tempfile.TemporaryDirectory(prefix="dualres-") as folder:
        more = firmware(Path(folder), alarm) - without
    return {
        "reference": reference.title,
        "blocks": list(reference.blocks),
        "healthy": table_bytes(alarm),
        "flash": more.flash,
        "ram": more.ram,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--out", type=Path, default=ROOT / "results/measured/alarm_costs.json")
    given = parser.parse_args()
    run = this_run("stress/alarm_costs.py")
    with tempfile.TemporaryDirectory(prefix="dualres-") as folder:
        without = firmware(Path(folder), None)
    found = {"costs": [cost_of(one, without) for one in REFERENCES], "run": run}
    write_whole(given.out, (json.dumps(found, indent=1) + "\n").encode())
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
