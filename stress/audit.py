"""Does the audit find altered copies, and nothing else? Adds up in a state file, see _tally.py.

    python stress/audit.py 1000 --only clean --state audit.json
    python stress/audit.py 100 --state audit.json

Splits are drawn from random simulated machines, from the embedded rig and, where DUALRES_DATA names the folder of the
real recordings, from PHM2009, CWRU and UESTC. A clean split fails if the audit takes two of its recordings for one
measurement. For each kind of copy, a learned recording is altered and put in the place of a judged one; that fails
if it is not found.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from functools import cache, partial
from io import BytesIO
from pathlib import Path

import numpy as np
import numpy.typing as npt
from scipy.signal import butter, fftconvolve, resample, resample_poly, sosfilt

from _tally import Attack, main
from dualres.audit import Finding, Split, audit
from dualres.bench.datasets import catalog
from dualres.recordings.recording import Recording
from dualres.recordings.store import open_store
from dualres.simulated import machines
from dualres.simulated import rig as simulated

Signal = npt.NDArray[np.float64]
Random = np.random.Generator
# What becomes of a learned signal, with the one it takes the place of, their rate in Hz; and at what rate it is, if at
# another one.
Alteration = Callable[[Signal, Signal, float, Random], "Signal | tuple[Signal, Fraction]"]

SAME = ("copied-signal", "identical-content", "same-recording", "same-file")
CLEAN_EACH, COPY_EACH = 12, 4  # recordings on either side of a clean split, and of one with a copy
REAL = ("phm2009", "cwru", "cwru_12k", "uestc")


def noisy(x: Signal, decibels: float, rng: Random) -> Signal:
    return x + rng.standard_normal(len(x)) * x.std() * 10 ** (-decibels / 20)


def counts(x: Signal, bits: int = 16) -> Signal:
    return np.round(x / np.abs(x).max() * (2 ** (bits - 1) - 1))


def filtered(x: Signal, kind: str, rate: float) -> Signal:
    """As a converter would give it: what is filtered out lies below its last bit."""
    return counts(sosfilt(butter(8, 1000, kind, fs=rate, output="sos"), x))


def played(x: Signal, stretch: float) -> Signal:
    """So much longer."""
    fine = resample_poly(x, 8, 1)
    return np.interp(np.arange(int(len(x) * (1 + stretch))) * 8 / (1 + stretch), np.arange(len(fine)), fine)


def part(x: Signal, low: float, high: float, rng: Random) -> Signal:
    """A stretch of it, from so much to so much of its length."""
    length = int(len(x) * rng.uniform(low, high))
    first = int(rng.integers(len(x) - length + 1))
    return x[first : first + length]


def path(x: Signal, rate: float, rng: Random) -> Signal:
    """Through a structure that rings for some milliseconds."""
    t = np.arange(int(0.02 * rate)) / rate
    answer = rng.standard_normal(len(t)) * np.exp(-t / 0.003)
    answer *= 0.5 / np.linalg.norm(answer)
    answer[0] += 1
    return fftconvolve(x, answer)[: len(x)]


def rescaled(x: Signal, rng: Random) -> Signal:
    return x * 10 ** rng.uniform(-3, 3)


def resampled(x: Signal, rate: float, share: float) -> tuple[Signal, Fraction]:
    count = round(len(x) * share)
    return resample(x, count), Fraction(rate).limit_denominator(1000) * Fraction(count, len(x))


def overlapping(x: Signal, y: Signal, rate: float) -> Signal:
    """It begins with the last half second of the other."""
    half = int(rate / 2)
    return np.concatenate([x[-half:], y[: len(y) - half]])


def spliced(x: Signal, y: Signal, rate: float, rng: Random) -> Signal:
    half = int(rate / 2)
    first, at = rng.integers(len(x) - half), rng.integers(len(y) - half)
    return np.concatenate([y[:at], x[first : first + half], y[at + half :]])


def unit(x: Signal) -> Signal:
    return (x - x.mean()) / x.std()


def wobbling(x: Signal, rate: float, share: float, rng: Random) -> Signal:
    """At a speed that is up to so much faster and slower, in turn, once in 0.2 to 5 s."""
    hertz, t = 10 ** rng.uniform(np.log10(0.2), np.log10(5)), np.arange(len(x)) / rate
    at = t + share / (2 * np.pi * hertz) * np.sin(2 * np.pi * (hertz * t + rng.random()))
    fine = resample_poly(x, 8, 1)
    return np.interp(at * rate * 8, np.arange(len(fine)), fine)


# By name: format, subtype, and the rates in Hz that it has.
CODECS: dict[str, tuple[str, str, tuple[int, ...]]] = {
    "MP3": ("MP3", "MPEG_LAYER_III", (8000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000)),
    "Vorbis": ("OGG", "VORBIS", ()),
    "Opus": ("OGG", "OPUS", (8000, 12_000, 16_000, 24_000, 48_000)),
}


def coded(x: Signal, rate: float, codec: str, effort: float) -> tuple[Signal, Fraction]:
    """By a lossy codec, the smaller the nearer the effort to save is to 1, at the next rate that it has."""
    import soundfile

    format, subtype, rates = CODECS[codec]
    hertz = next((one for one in rates if one > 0.95 * rate), rates[-1]) if rates else round(rate)
    loud = resample(x, round(len(x) * hertz / rate)) if hertz != rate else x
    file = BytesIO()
    loud = 0.9 * loud / np.abs(loud).max()
    soundfile.write(file, loud, hertz, format=format, subtype=subtype, compression_level=effort)
    file.seek(0)
    return soundfile.read(file)[0], Fraction(hertz)


KINDS: dict[str, Alteration] = {
    "renamed": lambda x, y, rate, rng: x,
    "scaled": lambda x, y, rate, rng: rescaled(x, rng),
    "inverted": lambda x, y, rate, rng: -x,
    "offset": lambda x, y, rate, rng: x + 5 * x.std(),
    "shifted": lambda x, y, rate, rng: x[int(len(x) * rng.uniform(0.1, 0.4)) :],
    "trimmed": lambda x, y, rate, rng: part(x, 0.4, 0.8, rng),
    "rotated": lambda x, y, rate, rng: np.roll(x, rng.integers(len(x))),
    "in counts of 16 bits": lambda x, y, rate, rng: counts(x),
    "clipped at 1.5 deviations": lambda x, y, rate, rng: np.clip(x, *(x.mean() + x.std() * np.array([-1.5, 1.5]))),
    "resampled to a higher rate": lambda x, y, rate, rng: resampled(x, rate, rng.uniform(1.1, 2)),
    "resampled to a lower rate": lambda x, y, rate, rng: resampled(x, rate, rng.uniform(0.5, 0.9)),
    "with noise at 20 dB": lambda x, y, rate, rng: noisy(x, 20, rng),
    "with noise at 10 dB": lambda x, y, rate, rng: noisy(x, 10, rng),
    "low-passed at 1 kHz": lambda x, y, rate, rng: filtered(x, "low", rate),
    "high-passed at 1 kHz": lambda x, y, rate, rng: filtered(x, "high", rate),
    "through another path": lambda x, y, rate, rng: path(x, rate, rng),
    "backwards": lambda x, y, rate, rng: x[::-1],
    "stretched by 1 %": lambda x, y, rate, rng: played(x, 0.01),
    "squeezed by 1 %": lambda x, y, rate, rng: played(x, -0.01),
    "half a second of overlap": lambda x, y, rate, rng: overlapping(x, y, rate),
    "half a second in another": lambda x, y, rate, rng: spliced(x, y, rate, rng),
    "built into a longer one": lambda x, y, rate, rng: np.concatenate([y, x, y]),
    "faded": lambda x, y, rate, rng: unit(x) * np.linspace(1, 0.1, len(x)),
    "mixed with half as much of another": lambda x, y, rate, rng: unit(x[: len(y)]) + unit(y[: len(x)]),
    "stretched by 3 %": lambda x, y, rate, rng: played(x, 0.03),
    "squeezed by 3 %": lambda x, y, rate, rng: played(x, -0.03),
    "at a speed that wobbles by 0.3 %": lambda x, y, rate, rng: wobbling(x, rate, 0.003, rng),
    "by MP3 at its smallest": lambda x, y, rate, rng: coded(x, rate, "MP3", 0.98),
    "by Vorbis at its smallest": lambda x, y, rate, rng: coded(x, rate, "Vorbis", 0.98),
    "by Opus at 32 kbit a second": lambda x, y, rate, rng: coded(x, rate, "Opus", 0.9),
    "all at once": lambda x, y, rate, rng: noisy(5 * x.std() - rescaled(part(x, 0.5, 0.8, rng), rng), 20, rng),
}


Draw = Callable[[int, Random], "list[Recording]"]


def of_a_machine(count: int, rng: Random) -> list[Recording]:
    return pick(
        machines.recordings(machines.machine(int(rng.integers(10**6)), seed=int(rng.integers(10**6)))), count, rng
    )


def of_the_rig(count: int, rng: Random) -> list[Recording]:
    return pick(simulated.recordings(), count, rng)


def pick(recordings: Sequence[Recording], count: int, rng: Random) -> list[Recording]:
    """So many, half of the time of one speed: these are the most alike."""
    speeds = ("speed", "rpm", "shaft_hz", "load_hp", "speed_rpm")
    of = {r.id: next((r.condition[key] for key in speeds if key in r.condition), "") for r in recordings}
    if rng.random() < 0.5:
        speed = of[recordings[rng.integers(len(recordings))].id]
        recordings = [r for r in recordings if of[r.id] == speed]
    count = min(count, len(recordings))
    return [kept(recordings[i]) for i in rng.choice(len(recordings), count, replace=False)]


def kept(recording: Recording) -> Recording:
    """It is read or simulated once."""
    return replace(recording, load=cache(recording.load))


@contextmanager
def sources(folder: Path, data: Path | None) -> Iterator[list[Draw]]:
    """Where splits are drawn from: half of them simulated machines, the others the rig and real machines in turn."""
    drawn: list[Draw] = [of_the_rig]
    for name in REAL if data else ():
        assert data
        if name == "phm2009":
            subprocess.run([sys.executable, data / name / "unpack.py", folder / name], check=True, capture_output=True)
            recordings = list(open_store(folder / name))
        else:
            release = catalog.release(name)
            entries = release.index(data / name).entries
            recordings = [Recording(e.id, e.read, release.rate, e.label, e.component, e.condition) for e in entries]
        drawn.append(partial(pick, recordings))
    yield [one for other in drawn for one in (of_a_machine, other)]


@contextmanager
def clean(folder: Path) -> Iterator[Callable[[int], str]]:
    with sources(folder, data_folder()) as drawn:

        def attempt(seed: int) -> str:
            rng = np.random.default_rng(seed)
            recordings = drawn[seed % len(drawn)](2 * CLEAN_EACH, rng)
            refuse(shared(recordings))
            return "clean"

        yield attempt


@contextmanager
def copied(folder: Path, kind: str) -> Iterator[Callable[[int], str]]:
    with sources(folder, data_folder()) as drawn:

        def attempt(seed: int) -> str:
            rng = np.random.default_rng(seed)
            recordings = drawn[seed % len(drawn)](2 * COPY_EACH, rng)
            recordings[-1] = altered(kind, recordings[0], recordings[-1], rng)
            pair = {recordings[0].id, recordings[-1].id}
            found = shared(recordings)
            refuse([f for f in found if set(f.recordings) != pair])
            if not found:
                raise AssertionError(f"{kind}: {recordings[0].id} was not found")
            return "found"

        yield attempt


def altered(kind: str, learned: Recording, judged: Recording, rng: Random) -> Recording:
    """The judged recording, in truth an altered copy of the learned one."""
    x, y = (r.signal.astype(np.float64) for r in (learned, judged))
    made = KINDS[kind](x, y, float(learned.rate), rng)
    signal, rate = made if isinstance(made, tuple) else (made, learned.rate)
    return replace(judged, load=partial(np.asarray, signal.astype(np.float32)), rate=rate)


def shared(recordings: Sequence[Recording]) -> list[Finding]:
    """What the audit takes for one measurement on both sides; the first half is learned from."""
    ids = [r.id for r in recordings]
    half = len(ids) // 2
    return [f for f in audit(recordings, Split(tuple(ids[:half]), tuple(ids[half:]))) if f.kind in SAME]


def refuse(findings: Sequence[Finding]) -> None:
    if findings:
        raise AssertionError(f"false alarm: {findings[0].message}")


def data_folder() -> Path | None:
    return Path(os.environ["DUALRES_DATA"]) if os.environ.get("DUALRES_DATA") else None


ATTACKS = [
    Attack("clean", "the audit of a split without a copy", clean, longest_s=120),
    *(
        Attack(
            kind.replace(" ", "-"),
            f"a copy {kind} is audited",
            partial(copied, kind=kind),
            ("soundfile",) if kind.startswith("by ") else (),
            longest_s=120,
        )
        for kind in KINDS
    ),
]

if __name__ == "__main__":
    main(__doc__, ATTACKS)
