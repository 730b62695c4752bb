"""A model as C99, compiled and run on a recording, beside what Python says of it.

The export checks itself with a C compiler. Without one it is written unchecked, and `make check` is left to whoever
compiles it.
"""

import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

from dualres import DualResClassifier, diagnose_recording
from dualres.export.c99 import write_c99
from dualres.recordings.speed import Speed
from dualres.simulated import rig as simulated


def main() -> None:
    rig = {r.id: r for r in simulated.recordings()}
    known = [rig[f"{name}_torque_3000rpm_20Nm"] for name in ("healthy", "missing_teeth", "wear_H", "pitting_H")]
    unseen = rig["wear_H_speed_3000rpm_20Nm"]
    hz = unseen.speed.mean_hz  # of the shaft; a board is told it, and takes it as it is
    unseen = replace(unseen, speed=Speed((hz,), source="measured"))
    classifier = DualResClassifier(windows_per_signal=3).fit(known, [r.label for r in known])

    compiler = shutil.which("cc")
    exported = write_c99(classifier.model_, "board", rate=unseen.rate, overwrite=True, unchecked=compiler is None)
    print(f"{exported.folder.name}/ holds", ", ".join(sorted(p.name for p in Path("board").glob("*.[ch]"))))

    verdict = diagnose_recording(classifier.model_, unseen)
    print(f"Python says {verdict.label} from {verdict.windows} windows")
    if compiler and shutil.which("make"):
        subprocess.run(["make", "-s", "-C", "board", "example"], check=True)
        samples = "\n".join(f"{sample:.9g}" for sample in unseen.signal)
        command = ["board/build/example", "--speed", f"{hz:.9g}"]
        judged = subprocess.run(command, input=samples, capture_output=True, text=True, check=True)
        print("C says", judged.stdout.strip().splitlines()[-1])


if __name__ == "__main__":
    main()
