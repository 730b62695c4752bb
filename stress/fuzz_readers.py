"""Does a damaged recording ever do more than to be refused? Adds up in a state file, see _tally.py.

    python stress/fuzz_readers.py 100000 --only wav --state recordings.json

Small files of every format are damaged at random and read. Of those that are refused, `lost` are the child processes
that crashed and `late` those that ran out of time. A failure is an exception that a caller would not expect.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from io import BytesIO
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile
from zlib import crc32

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
        content = contents[seed % len(contents)]
        # Checksums would turn most damage away at the door, so half of the files are sealed again.
        harm = SEALED[name] if name in SEALED and rng.random() < 0.5 else damage
        path.write_bytes(harm(content, rng))
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


def damage_member(content: bytes, rng: np.random.Generator) -> bytes:
    """A copy of a zip archive with one damaged member, whose checksum fits."""
    with ZipFile(BytesIO(content)) as archive:
        members = {member: archive.read(member) for member in archive.namelist()}
    chosen = list(members)[int(rng.integers(len(members)))]
    members[chosen] = damage(members[chosen], rng)
    out = BytesIO()
    with ZipFile(out, "w", ZIP_DEFLATED) as archive:
        for member, inside in members.items():
            archive.writestr(member, inside)
    return out.getvalue()


def damage_pages(content: bytes, rng: np.random.Generator) -> bytes:
    """A damaged copy of an Ogg file, in which the checksum of every page fits."""
    mutant = damage(content, rng)
    first, *pages = mutant.split(OGG)
    return first + b"".join(map(with_checksum, pages))


def with_checksum(page: bytes) -> bytes:
    """A page of Ogg without its first four letters, and whole: bytes 22 to 25 are the checksum."""
    blank = OGG + page[:18] + bytes(4) + page[22:]
    return blank[:22] + ogg_checksum(blank).to_bytes(4, "little") + blank[26:] if len(page) > 22 else OGG + page


def ogg_checksum(page: bytes) -> int:
    """CRC-32 by the usual polynomial, neither reflected nor inverted: zlib's, of bytes whose bits are turned around."""
    return int(f"{crc32(page.translate(TURNED), 0xFFFFFFFF) ^ 0xFFFFFFFF:032b}"[::-1], 2)


def seeds(name: str, folder: Path) -> list[Path]:
    """Intact files of a format, written to the folder."""
    signal = np.random.default_rng(1).standard_normal(SAMPLES)
    SEEDS[name][1](folder, signal)
    return sorted(folder.iterdir())


def write_sound(suffix: str, subtypes: tuple[str, ...], folder: Path, signal: np.ndarray) -> None:
    import soundfile

    for subtype in subtypes:
        soundfile.write(folder / f"{subtype}{suffix}", signal / 10, 8000, subtype)


def write_csv(folder: Path, signal: np.ndarray) -> None:
    np.savetxt(folder / "one.csv", signal)
    np.savetxt(folder / "titled.csv", signal, header="acceleration", comments="")


def write_npy(folder: Path, signal: np.ndarray) -> None:
    np.save(folder / "float64.npy", signal)
    np.save(folder / "int16.npy", (1000 * signal).astype(np.int16))


def write_npz(folder: Path, signal: np.ndarray) -> None:
    np.savez(folder / "plain.npz", vibration=signal)
    np.savez_compressed(folder / "packed.npz", vibration=signal.astype(np.float32))


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


def write_hdf5(folder: Path, signal: np.ndarray) -> None:
    """As programs other than MATLAB write it, which say the rate beside the samples."""
    import h5py

    for packed in (False, True):
        with h5py.File(folder / f"{'packed' if packed else 'plain'}.h5", "w") as file:
            data = file.create_dataset("run/vibration", data=signal, compression="gzip" if packed else None)
            (data if packed else file).attrs["sample_rate"] = 8000.0
            data.attrs["unit"] = "m/s2"


def write_xlsx(folder: Path, signal: np.ndarray) -> None:
    from openpyxl import Workbook

    for titled in (False, True):
        book = Workbook()
        sheet = book.active
        for row in ([["acceleration"]] if titled else []) + [[value] for value in signal.round(4).tolist()]:
            sheet.append(row)
        book.save(folder / f"{'titled' if titled else 'plain'}.xlsx")


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


OGG = b"OggS"  # how every page begins
TURNED = bytes(int(f"{byte:08b}"[::-1], 2) for byte in range(256))
SEALED = {"ogg": damage_pages, "xlsx": damage_member, "npz": damage_member}
CARRY_A_RATE = (".wav", ".flac", ".ogg", ".aiff", ".w64", ".h5", ".tdms", ".uff")
SEEDS = {
    "wav": ("WAV", partial(write_sound, ".wav", ("PCM_16", "PCM_24", "FLOAT")), ["soundfile"]),
    "flac": ("FLAC", partial(write_sound, ".flac", ("PCM_16", "PCM_24")), ["soundfile"]),
    "ogg": ("Ogg", partial(write_sound, ".ogg", ("VORBIS", "OPUS")), ["soundfile"]),
    "aiff": ("AIFF", partial(write_sound, ".aiff", ("PCM_16", "FLOAT")), ["soundfile"]),
    "w64": ("W64", partial(write_sound, ".w64", ("PCM_16", "FLOAT")), ["soundfile"]),
    "csv": ("CSV", write_csv, []),
    "npy": ("NPY", write_npy, []),
    "npz": ("NPZ", write_npz, []),
    "mat": ("MATLAB v5", write_mat, []),
    "mat73": ("MATLAB v7.3", write_mat73, ["h5py"]),
    "hdf5": ("HDF5", write_hdf5, ["h5py"]),
    "xlsx": ("Excel", write_xlsx, ["openpyxl"]),
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
