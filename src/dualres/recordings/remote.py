"""Files that lie elsewhere, such as s3://bucket/pump.wav: fetched by fsspec, then read as any other."""

import atexit
import os
import shutil
from functools import cache
from pathlib import Path

from dualres.errors import DualResError, RecordingError
from dualres.utils.optional_imports import need
from dualres.utils.printable import printable

CHUNK = 1 << 22  # bytes that are copied at a time


def is_address(given: object) -> bool:
    """Whether a text names a file elsewhere: a scheme of two letters or more, so that no drive is one."""
    if not isinstance(given, str) or "://" not in given:
        return False
    scheme = given.partition("://")[0]
    return len(scheme) > 1 and scheme.replace("+", "").replace("-", "").isalnum()


def fetched(address: str) -> Path:
    """A copy of the file, which lasts as long as this process, for long signals are read in blocks when needed."""
    need(f"{printable(address)}: reading it", "fsspec")
    import tempfile

    import fsspec  # type: ignore[import-untyped,unused-ignore]

    name = address.partition("?")[0].partition("://")[2].rpartition("/")[2] or "recording"  # a query is no part of it
    copy = Path(tempfile.mkdtemp(dir=_folder())) / name
    try:
        with fsspec.open(address, "rb") as source, copy.open("wb") as target:
            shutil.copyfileobj(source, target, CHUNK)
    except DualResError:
        raise
    except ImportError as error:  # of what fsspec needs for this kind of address
        raise RecordingError(f"{printable(address)}: cannot be read ({printable(str(error))})") from None
    except Exception as error:  # whatever a store answers
        why = printable(str(error)) or type(error).__name__
        raise RecordingError(
            f"{printable(address)}: cannot be fetched ({why}); check the address and your access"
        ) from (error)
    return copy


@cache
def _folder() -> str:
    """Removed when this process ends, and not by one that it forked."""
    import tempfile

    made, owner = tempfile.mkdtemp(prefix="dualres-"), os.getpid()

    def remove() -> None:
        if os.getpid() == owner:
            shutil.rmtree(made, ignore_errors=True)

    atexit.register(remove)
    return made
