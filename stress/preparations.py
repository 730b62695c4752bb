"""Is anything half-written ever taken for whole? Adds up in a state file, see _tally.py.

    python stress/preparations.py 10 --state preparations.json

Each storm prepares a made-up release in a process that is killed with SIGKILL at random moments, 20 times, and started
again. After every kill whatever the index lists must be there, whole and with the samples of the release. In the end
the store must be that of an undisturbed preparation, to the last byte, and nothing else may lie in it.
"""

from __future__ import annotations

import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from functools import partial
from hashlib import sha256
from pathlib import Path

import numpy as np

from _hostile import gathered
from _tally import Attack, main
from dualres.bench.datasets import prepare as preparation
from dualres.bench.datasets.release import Index, Release, ReleaseEntry
from dualres.recordings.store import open_store, read_index, verify_store

PREPARE = "--prepare"  # with which this script starts itself
RECORDINGS, SAMPLES, KILLS = 40, 200_000, 20
SAVED_EVERY_S = 0.02  # the index; seconds would save it once
LONGEST_PAUSE_S = 0.1


def release() -> Release:
    return Release(
        name="made",
        short="Made",
        title="made up",
        licence="none",
        obtained_from="here",
        version="1",
        channel="x",
        rate=Fraction(12_800),
        classes=("good",),
        folds=(),
        limitations=(),
        index=index,
    )


def index(folder: Path) -> Index:
    files = sorted(folder.iterdir())
    return Index(tuple(ReleaseEntry(f.stem, "good", None, {}, f, partial(read, f)) for f in files), (), "full")


def read(file: Path) -> np.ndarray:
    seed, samples = map(int, file.read_text().split())
    return np.random.default_rng(seed).standard_normal(samples).astype(np.float32)


def prepare(source: Path, store: Path) -> None:
    preparation.SECONDS_BETWEEN_SAVES = SAVED_EVERY_S
    preparation.prepare(release(), source, store, lambda *_: print(flush=True))


@contextmanager
def storms(folder: Path) -> Iterator[Callable[[int], str]]:
    source, calm = folder / "release", folder / "calm"
    source.mkdir()
    for number in range(RECORDINGS):
        (source / f"r{number}.txt").write_text(f"{number} {SAMPLES}")
    prepare(source, calm)
    expected = digests(calm)

    def attempt(seed: int) -> str:
        store, chance = folder / f"stormy-{seed}", random.Random(seed)
        kills = 0
        while kills < KILLS:
            if not killed(source, store, chance):  # it was through before, so it begins anew
                assert digests(store) == expected
                shutil.rmtree(store)
                continue
            kills += 1
            if (store / "recordings.json").exists():
                agrees(store, expected)
        prepare(source, store)
        assert verify_store(store) == []
        assert digests(store) == expected
        shutil.rmtree(store)
        return "survived"

    yield attempt


def killed(source: Path, store: Path, chance: random.Random) -> bool:
    """Start to prepare, and kill it at some recording, or a moment later; False if it was through before that."""
    words = [sys.executable, __file__, PREPARE, str(source), str(store)]
    with subprocess.Popen(words, stdout=subprocess.PIPE) as process:
        assert process.stdout
        for _ in range(chance.randrange(1, 8)):
            process.stdout.readline()
        time.sleep(chance.uniform(0, LONGEST_PAUSE_S))
        process.kill()
    return process.returncode == -signal.SIGKILL


def agrees(store: Path, expected: dict[str, str]) -> None:
    """What is listed is whole, whatever else lies there."""
    digest = {entry["id"]: entry["sha256"] for entry in read_index(store)["recordings"]}
    for recording in open_store(store):
        name = f"signals/{recording.id}.npy"
        assert sha256(recording.signal.tobytes()).hexdigest() == digest[recording.id], f"{name} is not what is listed"
        assert sha256((store / name).read_bytes()).hexdigest() == expected[name], f"{name} is another signal"


def digests(store: Path) -> dict[str, str]:
    return {name: sha256(content).hexdigest() for name, content in gathered(store).items()}


ATTACKS = [Attack("prepare", "kills of a preparation of a dataset", storms, longest_s=600, each=KILLS)]

if __name__ == "__main__":
    if sys.argv[1:2] == [PREPARE]:
        prepare(*map(Path, sys.argv[2:4]))
    else:
        main(__doc__, ATTACKS)
