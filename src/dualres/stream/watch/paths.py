"""Where an agent keeps its spool, so that the same command goes on where it was."""

import os
import platform
import re
import sys
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

from dualres.errors import ConfigError
from dualres.stream.watch.spool import STANDBY

HOME = "XDG_STATE_HOME"
_UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}
LEAST_QUOTA = 1 << 20


def default_folder(model: Path, sources: Sequence[str], shard: tuple[int, int]) -> Path:
    """In the folder where programs of this user keep their state; the same for the same model and sources."""
    if os.environ.get(HOME):
        home = Path(os.environ[HOME])
    elif sys.platform == "win32":
        home = Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local"))
    else:
        home = Path.home() / ".local" / "state"
    which = sha256(
        "\n".join([str(model.resolve()), *sources, f"{shard}"]).encode(errors="surrogateescape")
    ).hexdigest()[:12]
    return home / "dualres" / "watch" / f"{model.stem}-{which}"


def spool_in(
    folder: Path,
    model: Path,
    block_s: float,
    standby: bool = False,
    *,
    speedless: bool = False,
    carry_memory: bool = False,
) -> Path:
    """The spool of this very model and kind; one that stands by is emptied when another process had its turn."""
    content = sha256(model.read_bytes()).hexdigest()
    ways = " no speed" * speedless + " carried memory" * carry_memory
    name = sha256(f"{content} {block_s}{ways}".encode()).hexdigest()[:12]
    return folder / f"{name}{STANDBY * standby}.sqlite"


def default_group(folder: Path) -> str:
    """What a broker knows us by: the same for the same folder on the same machine."""
    which = f"{platform.node()} {folder.resolve()}".encode(errors="surrogateescape")
    return f"dualres-{sha256(which).hexdigest()[:10]}"


def parsed_quota(text: str) -> int:
    """Bytes: 500M, 2GB, 2GiB."""
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]?)i?b?\s*", text.lower())
    quota = int(float(found[1]) * _UNITS[found[2]]) if found else 0
    if quota < LEAST_QUOTA:
        raise ConfigError(f"--quota {text}: write a size of 1M or more, such as 500M or 2G")
    return quota


def parsed_shard(text: str) -> tuple[int, int]:
    """2/3 is the second of three."""
    found = re.fullmatch(r"(\d+)/(\d+)", text)
    if not found or not 1 <= int(found[1]) <= int(found[2]):
        raise ConfigError(f"--shard {text}: write 1/3 for the first of three parts, up to 3/3")
    return int(found[1]), int(found[2])


def parsed_condition(texts: Sequence[str]) -> dict[str, str]:
    """load=3, several with commas between them."""
    found = {}
    for text in ",".join(texts).split(",") if texts else ():
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise ConfigError(f"--condition {text}: write NAME=VALUE, as load=3")
        found[name.strip()] = value.strip()
    return found
