"""Who may know whom: every import of every module, held to the table in docs/architecture.md."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "dualres"
MODULES = sorted(SOURCE.rglob("*.py"))
PUBLIC = "__init__"  # the package itself, which names what is public
NOT_THE_VERSION = "__version__"


ROOMS = {p.name.removesuffix(".py") for p in SOURCE.iterdir() if p.suffix == ".py" or (p / "__init__.py").exists()}
ROOMS -= {PUBLIC}


@cache
def table() -> dict[str, set[str]]:
    """Room -> the rooms that it may know, from the section's rows: | `room` | `other`, ... |."""
    section = (ROOT / "docs" / "architecture.md").read_text().split("## Who may know whom")[1]
    rows = re.findall(r"^\| `(\w+)` \|(.*)\|$", section, re.MULTILINE)
    found = {room.strip("` "): known for room, known in rows}
    return {
        room: ROOMS - {room} if "all" in known else set(re.findall(r"`(\w+)`", known)) for room, known in found.items()
    }


def room_of(path: Path) -> str:
    first = path.relative_to(SOURCE).parts[0]
    return first.removesuffix(".py")


def imported(path: Path) -> Iterator[str]:
    """Names of this package's modules, wherever in the file they are imported, and in strings that name one."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            names = (
                [f"{node.module}.{alias.name}" for alias in node.names] if node.module == "dualres" else [node.module]
            )
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.Call) and getattr(node.func, "id", getattr(node.func, "attr", "")) == "import_module":
            names = [
                part.value for part in ast.walk(node) if isinstance(part, ast.Constant) and isinstance(part.value, str)
            ]
        else:
            continue
        yield from (name for name in names if name.startswith("dualres.") and not name.endswith(NOT_THE_VERSION))


def known_by(path: Path) -> set[str]:
    return {name.split(".")[1] for name in imported(path)} - {room_of(path)}


def test_a_module_knows_what_its_room_may_know():
    for path in MODULES:
        if (room := room_of(path)) != PUBLIC:
            assert known_by(path) <= table()[room], path.relative_to(SOURCE)


def test_only_its_own_commands_know_the_benchmark_and_the_command_line_computes_nothing():
    for path in MODULES:
        if room_of(path) not in (PUBLIC, "bench") and "cli/bench/" not in path.as_posix():
            assert not any(name.startswith("dualres.bench") for name in imported(path)), path.relative_to(SOURCE)
    """It has nothing to compute with."""
    for path in (path for path in MODULES if room_of(path) == "cli"):
        assert not libraries(path) & {"numpy", "scipy", "torch", "sklearn", "math", "statistics", "sqlite3"}, path


def test_every_room_has_its_row_in_a_table_that_a_person_can_remember():
    assert set(table()) == ROOMS
    for room, known in table().items():
        used = set().union(*(known_by(path) for path in MODULES if room_of(path) == room))
        assert room == "cli" or known == used, room
    assert len(table()) <= 24


def test_no_room_knows_itself_by_way_of_others():
    left = {room: set(known) for room, known in table().items()}
    while left:
        free = [room for room, known in left.items() if not known & left.keys()]
        assert free, f"a cycle among {', '.join(sorted(left))}"
        for room in free:
            del left[room]


def test_the_picture_has_every_room_above_those_it_knows():
    picture = (ROOT / "docs" / "images" / "rooms.svg").read_text()
    heights = {room: int(y) for room, y in re.findall(r'id="room-(\w+)">\s*<rect x="\d+" y="(\d+)"', picture)}
    assert set(heights) == ROOMS
    for room, known in table().items():
        assert all(heights[other] > heights[room] for other in known), room


def libraries(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            found.add(node.module.split(".")[0])
        elif isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
    return found


@pytest.mark.parametrize("room", ["recordings", "audit", "model_file", "faultlines", "simulated", "metrics"])
def test_what_judges_and_what_is_data_knows_no_pytorch(room):
    for path in (path for path in MODULES if room_of(path) == room):
        assert not libraries(path) & {"torch", "sklearn", "matplotlib"}, path
