"""Formats whose libraries come with the extra `formats`: Parquet, TDMS and universal files (UFF, UNV)."""

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from dualres.recordings.formats.contents import Array, Contents, Vector, rate_of
from dualres.recordings.formats.rate_detection import with_time

_FUNCTION_AT_NODE, _TIME_RESPONSE, _TIME = 58, 1, 17  # numbers of universal files


def read_parquet(path: Path) -> Contents:
    """The columns of a Parquet file by name; a column of time says the rate."""
    from pyarrow.parquet import ParquetFile

    file = ParquetFile(path)
    rows = file.metadata.num_rows
    contents: Contents = {}
    for field in file.schema_arrow:
        try:
            kind = np.dtype(field.type.to_pandas_dtype()).kind
        except (NotImplementedError, TypeError):
            kind = "O"
        contents[Vector(field.name, rows, kind)] = partial(_column, file, field.name)
    return with_time(contents, table=True)


def _column(file: Any, name: str) -> Array:
    return np.asarray(file.read(columns=[name], use_threads=False).column(name).to_numpy())  # a null becomes NaN


def read_tdms(path: Path) -> Contents:
    """The channels of a TDMS file, LabVIEW's format, as `group.channel`; a channel that is a waveform has a rate."""
    from nptdms import TdmsFile

    contents: Contents = {}
    for group in TdmsFile.read_metadata(path).groups():
        for channel in group.channels():
            rate = rate_of(float(channel.properties.get("wf_increment", 0)), digits=15)
            unit = _unit(channel.properties.get("unit_string"))
            listed = Vector(f"{group.name}.{channel.name}", len(channel), channel.dtype.kind, rate, unit=unit)
            contents[listed] = partial(_channel, path, group.name, channel.name)
    return with_time(contents)


def _unit(said: object) -> str | None:
    text = said.strip() if isinstance(said, str) else ""
    return None if text.upper() in ("", "NONE", "UNKNOWN") else text


def _channel(path: Path, group: str, channel: str) -> Array:
    from nptdms import TdmsFile

    with TdmsFile.open(path) as file:
        return np.asarray(file[group][channel][:])


def read_uff(path: Path) -> Contents:
    """The time responses among the sets of a universal file, as `set 1`, `set 2` ... by their place in the file."""
    from pyuff import UFF

    file = UFF(str(path))
    contents: Contents = {}
    for i, number in enumerate(file.get_set_types()):
        found = file.read_sets(i) if number == _FUNCTION_AT_NODE else {}
        if not found or (found["func_type"] != _TIME_RESPONSE and found["abscissa_spec_data_type"] != _TIME):
            continue
        if found["abscissa_spacing"] != 1:
            raise ValueError(f"set {i + 1} is not sampled at even steps of time")
        samples = np.asarray(found["data"])
        if len(samples) != found["num_pts"]:
            raise ValueError(f"set {i + 1} holds {len(samples)} samples instead of {found['num_pts']:.0f}")
        rate = rate_of(found["abscissa_inc"], digits=6)  # the format writes 13.5E
        unit = _unit(found.get("ordinate_axis_units_lab"))
        listed = Vector(f"set {i + 1}", len(samples), samples.dtype.kind, rate, unit=unit)
        contents[listed] = partial(np.asarray, samples)
    return contents
