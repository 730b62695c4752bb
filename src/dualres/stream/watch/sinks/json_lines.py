"""One JSON object per line, on standard output or in a file."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path

from dualres.stream.watch.records import VerdictRecord
from dualres.stream.watch.sinks.sink import ClosedError, Sink, append


class StandardOutput(Sink):
    def send(self, records: Sequence[VerdictRecord]) -> None:
        try:
            sys.stdout.write("".join(map(_line, records)))
            sys.stdout.flush()
        except BrokenPipeError as error:
            raise ClosedError("standard output is closed") from error


class JsonLines(Sink):
    def send(self, records: Sequence[VerdictRecord]) -> None:
        append(Path(self.name), "".join(map(_line, records)))


def _line(record: VerdictRecord) -> str:
    return json.dumps(record.data) + "\n"
