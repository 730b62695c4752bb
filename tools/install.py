"""Install what this project is developed with: the files of requirements.lock, then the package itself.

An index may hold other files of the same versions, for example PyTorch with GPU libraries. Then this says so and
installs by constraints.txt, without hashes. A file that the lock names and whose bytes are others stops it. It needs
nothing but Python and pip.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

LOCK, CONSTRAINTS = "requirements.lock", "constraints.txt"
PIP = (sys.executable, "-m", "pip", "install", "-qq", "--disable-pip-version-check")


def main() -> None:
    locked = pip("--require-hashes", "-r", LOCK)
    if not locked.returncode:
        sys.exit(pip("--no-deps", "--no-build-isolation", "-e", ".").returncode)
    if names := altered(locked.stderr, Path(LOCK).read_text()):
        sys.exit(f"set-up: stopped, because the bytes are not those that {LOCK} names: {', '.join(names)}")
    print(
        f"set-up: the index at hand does not have the very files of {LOCK} (pip's reason is above). "
        f"Versions are installed by {CONSTRAINTS} instead, without hashes.",
        file=sys.stderr,
    )
    sys.exit(pip("-c", CONSTRAINTS, "-e", ".[dev]").returncode)


def pip(*arguments: str) -> subprocess.CompletedProcess[str]:
    done = subprocess.run((*PIP, *arguments), stderr=subprocess.PIPE, text=True)
    sys.stderr.write(done.stderr)
    return done


def altered(errors: str, lock: str) -> list[str]:
    """Files that pip found to have another hash than the lock has for this name; other names are other files."""
    _, _, refused = errors.partition("DO NOT MATCH THE HASHES")
    return sorted(
        set(re.findall(r"[^\s/]+\.whl", refused.replace("%2B", "+"))) & set(re.findall(r"^# (\S+\.whl)$", lock, re.M))
    )


if __name__ == "__main__":
    main()
