"""Exported folders compiled for a device and run on it: this machine, 64-bit ARM and a Cortex-M4, both emulated.

One program serves them all (`device_stream.c`): it is told a stream, and tells logits and verdicts.
"""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from dualres.export.compiler import CORTEX_M4, STRICT

PROGRAM = Path(__file__).with_name("device_stream.c")
STREAM = "stream.bin"  # as the program calls it
MOST_FRAMES = 4096  # of a chunk, likewise
LONGEST_S = 120  # of a compilation, and of a stream on a device
# The emulated board's memory, all of it: two axes of floats take more than a common microcontroller has.
BOARD = ("-nostartfiles", "-Wl,--gc-sections,--defsym=flash_bytes=4M,--defsym=ram_bytes=4M", "--specs=rdimon.specs")

Chunk = npt.NDArray[np.float32] | npt.NDArray[np.int16]  # (frames, axes)
Told = Chunk | float | None  # samples, how fast the shaft turns in Hz, or that samples are missing
Values = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Target:
    """How to compile for a device, and how to run what was compiled."""

    name: str
    title: str
    compiler: tuple[str, ...]
    emulator: tuple[str, ...] = ()  # of which the program is the last word
    lanes: tuple[int, ...] = (1,)  # that it has instructions for
    on_a_board: bool = False  # without an operating system: start-up code and memory are the export's

    @property
    def programs(self) -> tuple[str, ...]:
        """Without these it cannot be tried."""
        return tuple(words[0] for words in (self.compiler, self.emulator) if words)


TARGETS = (
    Target("x86-64", "x86-64", ("cc",), lanes=(1, 4)),
    Target("aarch64", "64-bit ARM, emulated", ("aarch64-linux-gnu-gcc", "-static"), ("qemu-aarch64",), lanes=(1, 4)),
    Target(
        "cortex-m4",
        "a Cortex-M4, emulated",
        ("arm-none-eabi-gcc", *CORTEX_M4),
        (
            *("qemu-system-arm", "-M", "mps2-an386", "-nographic", "-monitor", "none", "-serial", "none"),
            *("-semihosting-config", "enable=on,target=native", "-kernel"),
        ),
        on_a_board=True,
    ),
)


@dataclass(frozen=True)
class Verdict:
    """On all windows so far."""

    windows: int
    refused: int  # frames that were not finite
    best: int  # the number of the class; -1 without a window
    factor: float  # of the told speed, that is found
    probabilities: Values  # (classes,)


@dataclass(frozen=True)
class Said:
    """What a device said of a stream."""

    # (n, classes): of each window, of each of its axes, of each network that judges it; none from a device that
    # searches for the speed, which has others at each.
    logits: Values
    verdicts: list[Verdict]  # whenever there were more windows; the last one at the end of the stream


class Device:
    """An exported folder on a target."""

    def __init__(self, target: Target, folder: Path, lanes: int) -> None:
        self._target, self._program = target, folder / f"stream-{target.name}-{lanes}"
        sources = [PROGRAM, folder / "dualres_model.c"]
        _compile(target, folder, sources, f"-DDUALRES_LANES={lanes}", to=self._program)

    def judge(self, stream: Sequence[Told]) -> Said:
        """Push the chunks, each in one call, and tell the rest between them."""
        folder = self._program.parent
        (folder / STREAM).write_bytes(b"".join(map(_told, stream)))
        return _understood(run_on(self._target, self._program))


def built(target: Target, folder: Path, program: Path, sources: Sequence[Path]) -> Path:
    """A program for a target, of its source and others, in an exported folder."""
    made = folder / f"{program.stem}-{target.name}"
    _compile(target, folder, [program, *sources], to=made)
    return made


def run_on(target: Target, program: Path) -> list[str]:
    """The lines that it prints; it finds files in its own folder."""
    return _run([*target.emulator, program], program.parent).splitlines()


def _compile(target: Target, folder: Path, sources: Sequence[Path], *flags: str, to: Path) -> None:
    board = [folder / "cortex-m" / "startup.c", *BOARD, "-T", folder / "cortex-m" / "memory.ld"]
    words = (*STRICT, *flags, "-I", folder, *sources, *(board if target.on_a_board else []))
    _run([*target.compiler, *words, "-lm", "-o", to], folder)


def _told(chunk: Told) -> bytes:
    if chunk is None:
        return np.int32(0).tobytes()
    if isinstance(chunk, float):
        return np.int32(-1).tobytes() + np.float32(chunk).tobytes()
    assert 0 < len(chunk) <= MOST_FRAMES
    return np.int32(len(chunk)).tobytes() + np.ascontiguousarray(chunk).tobytes()


def _understood(lines: Sequence[str]) -> Said:
    told = [line.split() for line in lines]
    logits = [words[1:] for words in told if words[0] == "logits"]
    verdicts = [
        Verdict(int(windows), int(refused), int(best), float(factor), np.array(shares, float))
        for kind, windows, refused, best, factor, *shares in (words for words in told if words[0] == "verdict")
    ]
    return Said(np.array(logits, float), verdicts)


def _run(command: Sequence[str | Path], folder: Path) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=LONGEST_S)
    if done.returncode:
        raise RuntimeError(f"{command[0]} ended with {done.returncode}: {(done.stdout + done.stderr)[-300:]}")
    return done.stdout
