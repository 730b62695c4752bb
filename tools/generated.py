"""A page of docs/ that a tool makes: written, or with `--check` only compared."""

import argparse
import sys
from pathlib import Path

from dualres.utils.files import write_whole

ROOT = Path(__file__).parents[1]


def only_checked(description: str | None) -> bool:
    """Whether the command line asks for a comparison and nothing more."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument(
        "--check", action="store_true", help="write nothing; fail where the page is not as it should be"
    )
    return bool(parser.parse_args().check)


def write_page(name: str, text: str, check: bool, *, source: str, target: str) -> None:
    """Write docs/NAME unless it is as it should be; `source` gives it, and `make target` writes it."""
    path = ROOT / "docs" / name
    if path.exists() and path.read_text() == text:
        return
    if check:
        sys.exit(f"docs/{name}: is not what {source} give; `make {target}` writes it again")
    write_whole(path, text.encode())
    print(f"docs/{name}: written")
