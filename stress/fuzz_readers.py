"""Does a damaged recording ever do more than to be refused? Adds up in a state file, see _tally.py.

    python stress/fuzz_readers.py 100000 --only wav --state recordings.json

Small files of every format are damaged at random and read. Of those that are refused, `lost` are the child processes
that crashed and `late` those that ran out of time. A failure is an exception that a caller would not expect.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import numpy as np

from _tally import Attack, main
from dualres.errors import RecordingError
from dualres.recordings.formats.sandbox import Guard
from dualres.recordings.readers import read

SECONDS = 2.0
SAMPLES = 200


@contextmanager
def damaged(name: str, folder: Path) -> Iterator[Callable[[int], str]]:
    """Reads a damaged file of one format."""
    intact = seeds(name, folder)
    contents = [path.read_bytes() for path in intact]
    path = folder / f"damaged{intact[0].suffix}"
    guard = Guard(seconds=SECONDS)

    def attempt(seed: int) -> str:
        rng = np.random.default_rng([seed, *name.encode()])
        path.write_bytes(damage(contents[seed % len(contents)], rng))
        lost, late = guard.lost, guard.late
        try:
            recording = read(path, rate=None if path.suffix in CARRY_A_RATE else 1000, guard=guard)
        except RecordingError:
            return "lost" if guard.lost > lost else "late" if guard.late > late else "refused"
        assert len(recording.signal) > 1
        return "read"

    try:
        yield attempt
    finally:
        guard.close()


def damage(content: bytes, rng: np.random.Generator) -> bytes:
    """A copy with a few bits flipped, bytes overwritten, or a piece missing, doubled or cut off."""
    mutant = bytearray(content)
    way = rng.integers(5)
    # Half of the blows fall on the first bytes, where most formats say what they are.
    reach = len(mutant) if rng.random() < 0.5 else min(256, len(mutant))
    begin = int(rng.integers(reach))
    piece = slice(begin, begin + int(rng.integers(1, 65)))
    if way == 0:
        for place in rng.integers(reach, size=rng.integers(1, 9)):
            mutant[place] ^= 1 << int(rng.integers(8))
    elif way == 1:
        for place in rng.integers(reach, size=rng.integers(1, 9)):
            mutant[place] = int(rng.choice([0, 1, 127, 128, 255, rng.integers(256)]))
    elif way == 2:
        del mutant[piece]
    elif way == 3:
        mutant[begin:begin] = mutant[piece]
    else:
        del mutant[begin:]
    return bytes(mutant)


def seeds(name: str, folder: Path) -> list[Path]:
    """Intact files of a format, written to the folder."""
    signal = np.random.default_rng(1).standard_normal(SAMPLES)
    SEEDS[name][1](folder, signal)
    return sorted(folder.iterdir())


def write_wav(folder: Path, signal: np.ndarray) -> None:
    import soundfile

    for subtype in ("PCM_16", "PCM_24", "FLOAT"):
        soundfile.write(folder / f"{subtype}.wav", signal / 10, 8000, subtype)


def write_flac(folder: Path, signal: np.ndarray) -> None:
    import soundfile

    for subtype in ("PCM_16", "PCM_24"):
        soundfile.write(folder / f"{subtype}.flac", signal / 10, 8000, subtype)


def write_csv(folder: Path, signal: np.ndarray) -> None:
    np.savetxt(folder / "one.csv", signal)
    np.savetxt(folder / "titled.csv", signal, header="acceleration", comments="")


def write_npy(folder: Path, signal: np.ndarray) -> None:
    np.save(folder / "float64.npy", signal)
    np.save(folder / "int16.npy", (1000 * signal).astype(np.int16))


def write_mat(folder: Path, signal: np.ndarray) -> None:
    from scipy.io import savemat

    savemat(folder / "plain.mat", {"vibration": signal})
    savemat(folder / "packed.mat", {"vibration": signal.astype(np.float32)}, do_compression=True)
    channels = np.array([("speed", signal), ("note", "idle")], dtype=[("Name", "O"), ("Data", "O")])
    savemat(
        folder / "struct.mat", {"run": {"Y": channels, "note": "a run", "cells": np.array([1, "two"], dtype=object)}}
    )


def write_mat73(folder: Path, signal: np.ndarray) -> None:
    import h5py

    for packed in (False, True):
        with h5py.File(folder / f"{'packed' if packed else 'plain'}.mat", "w", userblock_size=512) as file:
            data = file.create_dataset("run/vibration", data=signal[None], compression="gzip" if packed else None)
            data.attrs["MATLAB_class"] = np.bytes_("double")


def write_parquet(folder: Path, signal: np.ndarray) -> None:
    import pyarrow
    from pyarrow.parquet import write_table

    for compression in ("none", "snappy"):
        write_table(pyarrow.table({"vibration": signal}), folder / f"{compression}.parquet", compression=compression)


def write_tdms(folder: Path, signal: np.ndarray) -> None:
    from nptdms import ChannelObject, TdmsWriter

    with TdmsWriter(folder / "one.tdms") as writer:
        writer.write_segment([ChannelObject("group", "vibration", signal, {"wf_increment": 1 / 8000})])


def write_uff(folder: Path, signal: np.ndarray) -> None:
    from pyuff import UFF

    node = {"rsp_node": 1, "rsp_dir": 1, "ref_node": 1, "ref_dir": 1, "rsp_ent_name": "NONE", "ref_ent_name": "NONE"}
    kinds = {"abscissa_spec_data_type": 17, "ordinate_spec_data_type": 12, "orddenom_spec_data_type": 0}
    time_response = {"type": 58, "func_type": 1, "id1": "run", "x": np.arange(SAMPLES) / 8000, "data": signal}
    for binary in (0, 1):
        content = time_response | node | kinds | {"binary": binary, "abscissa_spacing": 1, "abscissa_inc": 1 / 8000}
        UFF(str(folder / f"{binary}.uff")).write_sets(content)


CARRY_A_RATE = (".wav", ".flac", ".tdms", ".uff")
SEEDS = {
    "wav": ("WAV", write_wav, ["soundfile"]),
    "flac": ("FLAC", write_flac, ["soundfile"]),
    "csv": ("CSV", write_csv, []),
    "npy": ("NPY", write_npy, []),
    "mat": ("MATLAB v5", write_mat, []),
    "mat73": ("MATLAB v7.3", write_mat73, ["h5py"]),
    "parquet": ("Parquet", write_parquet, ["pyarrow"]),
    "tdms": ("TDMS", write_tdms, ["nptdms"]),
    "uff": ("UFF", write_uff, ["pyuff"]),
}
ATTACKS = {
    name: Attack(name, f"damaged {title} files", partial(damaged, name), tuple(libraries))
    for name, (title, _, libraries) in SEEDS.items()
}


if __name__ == "__main__":
    main(__doc__, list(ATTACKS.values()))
