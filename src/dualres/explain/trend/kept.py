"""What was found in files, kept in a file that somebody names, so that the next look reads only new ones."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dualres.errors import MISFIT, OutputError
from dualres.explain.trend.levels import RecordingLevels
from dualres.recordings.labels.read import LabelRow
from dualres.utils.files import check_output, write_whole
from dualres.utils.json_text import json_text, json_value

FORMAT = "dualres-trend-1"


class KeptLevels:
    """Levels by file, as long as neither the file nor what is asked of it changes."""

    def __init__(self, path: Path, asked: str) -> None:
        """`asked` is all that levels depend on besides their file and its row."""
        self._path, self._asked = path, asked
        self._found: dict[str, Any] = {}
        self._new = False
        check_output(path)
        if path.exists():
            self._found = _parsed(path)

    def of(self, row: LabelRow) -> dict[str, RecordingLevels] | None:
        """Of each axis, if they are known."""
        known = self._found.get(self._key(row))
        try:
            return {axis: RecordingLevels.parsed(one) for axis, one in known.items()} if known else None
        except MISFIT:
            return None  # it is read again

    def keep(self, row: LabelRow, found: Mapping[str, RecordingLevels]) -> None:
        self._found[self._key(row)] = {axis: one.as_data() for axis, one in found.items()}
        self._new = True

    def write(self) -> None:
        """What is known so far, if anything is new."""
        if self._new:
            write_whole(self._path, json_text({"format": FORMAT, "levels": self._found}).encode())
            self._new = False

    def _key(self, row: LabelRow) -> str:
        try:
            status = row.file.stat()
            stamp = [status.st_size, status.st_mtime_ns]
        except OSError:
            stamp = []  # reading it says why
        known = [str(row.file.absolute()), stamp, str(row.rate), row.which, dict(row.known.get("condition", {}))]
        return json.dumps([*known, self._asked], sort_keys=True)


def _parsed(path: Path) -> dict[str, Any]:
    """An error for a file that is something else, which must not be replaced."""
    try:
        data = json_value(path.read_bytes())
        if data["format"] != FORMAT:
            raise ValueError(data["format"])
        return dict(data["levels"])
    except OSError as error:
        raise OutputError(f"{path}: cannot be read ({error.strerror}); name another file") from None
    except MISFIT:
        raise OutputError(
            f"{path}: is there already, and holds no levels of dualres trend; name another file"
        ) from None
