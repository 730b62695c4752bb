"""Names of streams that are files: text, whatever bytes the system allows in a name."""

import os
from hashlib import sha256
from pathlib import Path


def stream_name(path: Path) -> str:
    """The path. Parts of it that are not UTF-8 are shown by their bytes, with a hash of them, so that no other file has
    the same name: spools, brokers and databases take nothing but text."""
    return str(Path(*map(_as_text, path.parts)))


def _as_text(part: str) -> str:
    content = os.fsencode(part)
    try:
        return content.decode()
    except UnicodeDecodeError:
        return f"{content.decode(errors='backslashreplace')}~{sha256(content).hexdigest()[:8]}"
