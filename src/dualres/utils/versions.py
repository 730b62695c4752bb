"""What computes here: versions of this package, of Python and of the libraries."""

import platform
from contextlib import suppress
from functools import cache
from pathlib import Path

from dualres import __version__

PACKAGE = Path(__file__).parents[1]
CODE = (".py", ".c", ".h")  # suffixes of this package's own code
LIBRARIES = ("numpy", "scipy", "scikit-learn")


def versions() -> dict[str, str]:
    """Of this package, Python and PyTorch, which is not imported for that; absent where it is not installed."""
    return {"dualres": __version__, "python": platform.python_version(), **_installed("torch")}


def all_versions() -> dict[str, str]:
    """The same with the hash of this package's code and the versions of the libraries that results depend on."""
    return versions() | {"source": source_hash(PACKAGE)} | _installed(*LIBRARIES)


@cache
def source_hash(package: Path) -> str:
    """SHA-256 of a package's own code, C included: a version number does not tell two states of it apart."""
    from hashlib import sha256

    digest = sha256()
    for path in sorted(path for path in package.rglob("*") if path.suffix in CODE):
        digest.update(path.relative_to(package).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()


def _installed(*packages: str) -> dict[str, str]:
    from importlib.metadata import PackageNotFoundError, version  # which takes longer to import than many a verdict

    found = {}
    for package in packages:
        with suppress(PackageNotFoundError):
            found[package] = version(package)
    return found
