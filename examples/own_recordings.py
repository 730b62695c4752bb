"""From a folder of recordings to a verdict, by the commands that you would type.

The folder is made here, from the simulated gearbox: one WAV file per recording, and a labels.csv that says which
component was recorded. Put your own files in its place.
"""

import csv
import subprocess
import sys
from pathlib import Path

import soundfile

from dualres.simulated import rig as simulated

CLASSES = ("wear", "pitting")


def main() -> None:
    folder = Path("gearbox")
    folder.mkdir(exist_ok=True)
    rows = []
    for recording in simulated.recordings():
        if recording.label in CLASSES and recording.id.endswith("torque_3000rpm_20Nm"):
            file = f"{recording.id}.wav"
            soundfile.write(folder / file, recording.signal, int(recording.rate), subtype="FLOAT")
            rows.append({"file": file, "label": recording.label, "component": recording.component})
    with (folder / "labels.csv").open("w", newline="") as lines:
        table = csv.DictWriter(lines, list(rows[0]))
        table.writeheader()
        table.writerows(rows)

    # Components are held out in turn to estimate what to expect of a new one; then the model learns from all.
    dualres("fit", folder, "--out", "gearbox.safetensors", "--windows", 3)
    dualres("show", "gearbox.safetensors")
    dualres("diagnose", "gearbox.safetensors", folder / rows[0]["file"], folder / rows[-1]["file"])


def dualres(*words: object) -> None:
    print("\n$ dualres", *words, flush=True)
    subprocess.run([sys.executable, "-m", "dualres.cli", *map(str, words)], check=True)


if __name__ == "__main__":
    main()
