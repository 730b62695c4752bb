"""The kinds of sources: a path, `-`, or a URL whose scheme is listed here."""

from collections.abc import Callable
from pathlib import Path

from dualres.errors import ConfigError
from dualres.stream.watch.sources.growing_file import GrowingFile
from dualres.stream.watch.sources.mqtt import Mqtt
from dualres.stream.watch.sources.pipe import Pipe
from dualres.stream.watch.sources.recordings_folder import RecordingsFolder
from dualres.stream.watch.sources.serial_port import SerialPort
from dualres.stream.watch.sources.source import Source, SourceOptions
from dualres.stream.watch.sources.udp import Udp

PIPE = "-"
SourceMaker = Callable[[str, SourceOptions], Source]
SCHEMES: dict[str, SourceMaker] = {"udp": Udp, "serial": SerialPort, "mqtt": Mqtt, "mqtts": Mqtt}


def source_of(text: str, options: SourceOptions) -> Source:
    if text == PIPE:
        return Pipe("stdin", options)
    scheme, separator, _ = text.partition("://")
    if separator:
        if scheme not in SCHEMES:
            raise ConfigError(f"{text}: there is no source {scheme}://; there are {', '.join(SCHEMES)}, paths and -")
        return SCHEMES[scheme](text, options)
    path = Path(text)
    if path.is_dir():
        return RecordingsFolder(text, options)
    if not path.is_file():
        raise ConfigError(f"{text}: there is no such file or folder; a source may also be {', '.join(SCHEMES)}:// or -")
    return GrowingFile(text, options)
