"""Does a damaged file ever do more than to be refused? Prints JSON.

Small files of every format are damaged at random and read. `read` and `refused` count how that ended, `lost` the child
processes that crashed, `late` those that ran out of time, and `escaped` the exceptions that a caller would not expect:
there must be none.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from dualres.errors import RecordingError
from dualres.recordings.guard import Guard
from dualres.recordings.readers import read

SECONDS = 2.0
SAMPLES = 200


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", type=int, help="damaged files per format")
    parser.add_argument("--formats", nargs="+", choices=SEEDS, default=list(SEEDS), help="instead of all of them")
    parser.add_argument("--mat", type=int, help="damaged MATLAB v5 files, if not as many as of the others")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    results = {}
    for name in arguments.formats:
        if all(find_spec(library) for library in SEEDS[name][1]):
            count = arguments.mat if name == "mat" and arguments.mat is not None else arguments.files
            results[name] = fuzz(name, count, arguments.seed, progress=True)
    print(json.dumps(results, indent=1))
    sys.exit(any(result["escaped"] for result in results.values()))


def fuzz(name: str, count: int, seed: int = 0, progress: bool = False) -> dict[str, object]:
    """Read so many damaged files of one format."""
    rng = np.random.default_rng([seed, *name.encode()])
    outcomes = dict.fromkeys(("read", "refused", "escaped"), 0)
    escapes: set[str] = set()
    slowest, guard = 0.0, Guard(seconds=SECONDS)
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder:
        originals = [path.read_bytes() for path in seeds(name, Path(folder))]
        suffix = next(Path(folder).iterdir()).suffix
        path = Path(folder) / f"damaged{suffix}"
        begin = time.perf_counter()
        for i in range(count):
            path.write_bytes(damage(originals[i % len(originals)], rng))
            started = time.perf_counter()
            outcome, error = attempt(path, guard)
            slowest = max(slowest, time.perf_counter() - started)
            outcomes[outcome] += 1
            if outcome == "escaped":
                escapes.add(repr(error)[:200])
            if progress and (i + 1) % 500 == 0:
                print(f"{name}: {i + 1} of {count}", file=sys.stderr)
        seconds = time.perf_counter() - begin
    guard.close()
    result = {"files": count} | outcomes | {"lost": guard.lost, "late": guard.late}
    result |= {"slowest_ms": round(1000 * slowest, 1), "files_per_s": round(count / seconds, 1)}
    return result | ({"escapes": sorted(escapes)} if escapes else {})


def attempt(path: Path, guard: Guard) -> tuple[str, Exception | None]:
    try:
        recording = read(path, rate=None if path.suffix in CARRY_A_RATE else 1000, guard=guard)
        assert len(recording.signal) > 1
    except RecordingError as error:
        return "refused", error
    except Exception as error:
        return "escaped", error
    return "read", None


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
    SEEDS[name][0](folder, signal)
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
    "wav": (write_wav, ["soundfile"]),
    "flac": (write_flac, ["soundfile"]),
    "csv": (write_csv, []),
    "npy": (write_npy, []),
    "mat": (write_mat, []),
    "mat73": (write_mat73, ["h5py"]),
    "parquet": (write_parquet, ["pyarrow"]),
    "tdms": (write_tdms, ["nptdms"]),
    "uff": (write_uff, ["pyuff"]),
}


if __name__ == "__main__":
    main()
