"""How long does `dualres fit` take by default, with its estimate? Prints JSON.

The recordings are 65 of a simulated machine, of 2 s each, in seven classes of two specimens.
"""

import argparse
import json
import time
from dataclasses import replace

import torch

from dualres.learn.workflow import fit_model
from dualres.simulated.machines import machine, recordings
from dualres.utils.malloc import keep_freed_memory

RECORDINGS, CLASSES, SECONDS = 65, 7, 2


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--held-out", action="append", help="a unit; without it, what is the default")
    arguments = parser.parse_args()
    keep_freed_memory()  # as the command line does
    torch.set_num_threads(arguments.threads)
    some = short_recordings()
    begin = time.perf_counter()
    fitted = fit_model(some, held_out=arguments.held_out)
    seconds = round(time.perf_counter() - begin, 1)
    done = [{name: one[name] for name in ("unit", "rounds", "fits")} for one in fitted.model.card.estimates]
    print(json.dumps({"recordings": len(some), "threads": arguments.threads, "fit_s": seconds, "estimates": done}))


def short_recordings():
    """The first seconds of each, kept in memory: what is timed is the fit."""
    of_machine = recordings(machine(10))
    classes = sorted({str(r.label) for r in of_machine})[:CLASSES]
    chosen = [r for r in of_machine if r.label in classes]
    while len(chosen) > RECORDINGS:  # from all classes alike
        most = max(classes, key=[r.label for r in chosen].count)
        chosen.remove(next(r for r in reversed(chosen) if r.label == most))
    signals = [r.signal[: int(SECONDS * r.rate)] for r in chosen]
    return [replace(r, load=lambda signal=signal: signal) for r, signal in zip(chosen, signals, strict=True)]


if __name__ == "__main__":
    main()
