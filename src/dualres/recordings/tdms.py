"""TDMS, as LabVIEW writes it: channels in groups."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from dualres.recordings.listing import Array, Contents, Listed, rate_of


def read_tdms(path: Path) -> Contents:
    """The channels as `group.channel`; the rate is a waveform's, where the channel is one."""
    from nptdms import TdmsFile

    contents: Contents = {}
    for group in TdmsFile.read_metadata(path).groups():
        for channel in group.channels():
            rate = rate_of(float(channel.properties.get("wf_increment", 0)), digits=15)
            listed = Listed(f"{group.name}.{channel.name}", len(channel), channel.dtype.kind, rate)
            contents[listed] = partial(_channel, path, group.name, channel.name)
    return contents


def _channel(path: Path, group: str, channel: str) -> Array:
    from nptdms import TdmsFile

    with TdmsFile.open(path) as file:
        samples: Array = file[group][channel][:]
    return samples
