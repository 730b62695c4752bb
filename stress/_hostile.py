"""What several attacks share: hostile texts, changes at random, the command line as a victim, what lies in a folder."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

HUGE = int("9" * 400)  # no float holds it
TEXTS = (
    *(
        "",
        " ",
        "a",
        "good",
        "\0",
        "a\0b",
        "\x1b[2J\x1b]0;owned\x07",
        "\ud800",
        "9" * 5000,
        "x" * 300,
        "-",
        "--help",
        "NaN",
    ),
    *(
        "../../x",
        "/x",
        "..",
        ".",
        "a/b",
        "a\\b",
        "~",
        "CON",
        "models",
        "con.safetensors",
        "file:///x",
        "%s%n",
        "${HOME}",
    ),
    *(
        '"',
        '\\"',
        "\\",
        "\\\\",
        "\\n",
        "\n",
        "\r\n",
        "\t",
        "*/",
        "/*",
        "//",
        "??/",
        "??=",
        "??/\n",
        "?",
        "'",
        "`x`",
        "$(x)",
    ),
    *(
        "\\x41",
        "\\101",
        "\\u0041",
        "%",
        "\u00e4\u00f6\u00fc",
        "\u8f74\u627f",
        "\U0001f600",
        "\u202egood",
        "\u200b",
        "\ufeff",
    ),
    *(
        "<script>alert(1)</script>",
        "[bold]",
        "[/]",
        "=1+1",
        ",",
        ";",
        '"; DROP TABLE jobs; --',
        '";}',
        "#define main",
        "1e999",
    ),
)
VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 2, 3, 7, 64, 2**16, 2**31, 2**53, 2**63, 2**64, 2**70, -(2**70), HUGE, 0.5, 1e-300),
    *(
        1e300,
        float("nan"),
        float("inf"),
        -float("inf"),
        [],
        {},
        [[]],
        [[], [1]],
        [1, 2],
        ["a", "b"],
        {"a": 1},
        {"": None},
    ),
    *([0.0] * 100, [HUGE] * 3, [float("nan")] * 3),
    *TEXTS,
)


def pick(choices: Any, rng: np.random.Generator) -> Any:
    """One of a sequence, as it is: NumPy's own choice would make an array of it."""
    return copy.deepcopy(choices[int(rng.integers(len(choices)))])


def with_change(data: Any, values: tuple[Any, ...], rng: np.random.Generator) -> Any:
    """A copy with one value replaced, removed, doubled or added, at any depth."""
    data = copy.deepcopy(data)
    places = list(_places(data))
    value = pick(values, rng)
    if not places or rng.random() < 0.01:
        return value
    inner, key = places[rng.integers(len(places))]
    way = rng.random()
    if way < 0.7:
        inner[key] = value
    elif way < 0.8:
        del inner[key]
    elif isinstance(inner, dict):
        inner["surprise"] = value
    else:
        inner.append(inner[key] if way < 0.9 else value)
    return data


def _places(data: Any) -> Iterator[tuple[Any, Any]]:
    """Every container and key in nested lists and tables."""
    keys = data.keys() if isinstance(data, dict) else range(len(data)) if isinstance(data, list) else ()
    for key in keys:
        yield data, key
        yield from _places(data[key])


def commanded(*words: object) -> str:
    """Run a command of `dualres`: "done", or "refused" in one of our own errors. Its text must not steer a terminal."""
    from typer.testing import CliRunner

    from dualres import cli
    from dualres.errors import DualResError

    result = CliRunner().invoke(cli.app, [str(word) for word in words])
    error = result.exception
    if error is not None and not isinstance(error, DualResError | SystemExit):
        raise error
    steering = {c for c in result.output if not c.isprintable()} - set("\n\t")
    assert not steering, f"it printed {steering}"
    assert result.exit_code in (0, 1, 2), f"it ended with {result.exit_code}"
    return "done" if result.exit_code == 0 else "refused"


def laid_out(files: dict[str, bytes], folder: Path) -> None:
    """Files by their names below a folder."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def gathered(folder: Path) -> dict[str, bytes]:
    """The reverse."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()
    }


def seen(folder: Path, *but: Path) -> dict[str, str]:
    """Hashes of all files below a folder, and where links lead, to tell later whether one was touched.

    Those in `but` may be.
    """
    paths = (path for path in folder.rglob("*") if path.is_file() and not any(path.is_relative_to(one) for one in but))
    return {str(path): str(path.readlink()) if path.is_symlink() else _digest(path) for path in paths}


def _digest(path: Path) -> str:
    return sha256(path.read_bytes()).hexdigest()
