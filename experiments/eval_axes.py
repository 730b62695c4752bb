"""What three axes are worth on simulated machines: the mean single axis, a network each, and one for all.

    python -m experiments.eval_axes 0 1 2 3

prints, as JSON, macro-F1 on held-out loads, speeds and specimens of each of these machines, in percent, of networks of
views.
"""

import json
import sys
from dataclasses import replace
from typing import get_args

import numpy as np

from dualres.learn.estimate import evaluate
from dualres.learn.fit import fit_recordings
from dualres.learn.settings import FitSettings
from dualres.recordings.recording import Recording
from dualres.simulated import triaxial
from dualres.simulated.machines import Unit, held_out, machine


def main() -> None:
    rows = []
    for number in map(int, sys.argv[1:]):
        heard = [_in_memory(recording) for recording in triaxial.recordings(machine(number))]
        for unit in get_args(Unit):
            known, unseen = held_out(heard, unit, reverse=number % 2 == 1)
            single = [_score(_along(known, axis), _along(unseen, axis)) for axis in range(len(heard[0].axes))]
            row = {"machine": number, "held_out": unit, "single": single, "mean_single": round(np.mean(single), 1)}
            rows.append(row | {axes: _score(known, unseen, axes) for axes in ("apart", "shared")})
            print(json.dumps(rows[-1]), flush=True)
    means = {name: round(np.mean([row[name] for row in rows]), 1) for name in ("mean_single", "apart", "shared")}
    print(json.dumps({"mean": means, "tasks": len(rows)}))


def _in_memory(recording: Recording) -> Recording:
    axes = tuple(replace(axis, load=lambda signal=axis.signal: signal) for axis in recording.axes)
    return replace(recording, axes=axes)


def _along(recordings: list[Recording], axis: int) -> list[Recording]:
    return [recording.axes[axis] for recording in recordings]


def _score(known: list[Recording], unseen: list[Recording], axes: str = "apart") -> float:
    labels = [str(recording.label) for recording in known]
    model, _ = fit_recordings(known, labels, sorted(set(labels)), FitSettings(), axes=axes)
    return round(100 * evaluate(model, unseen).macro_f1, 1)


if __name__ == "__main__":
    main()
