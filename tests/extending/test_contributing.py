"""What CONTRIBUTING.md walks through is there, to the letter."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "CONTRIBUTING.md").read_text()
TOYS = {path: path.read_text() for path in sorted(Path(__file__).parent.glob("toy_*.py"))}


def test_every_file_it_names_exists_and_its_python_is_in_the_toys():
    named = re.findall(r"`((?:tests|docs)/[\w/.]+|\w+/\w+\.(?:py|toml))`", TEXT)
    assert len(named) >= 8
    for name in named:
        assert (ROOT / name).exists() or (ROOT / "src" / "dualres" / name).exists(), name
    blocks = re.findall(r"```py\n(.*?)```", TEXT, re.DOTALL)
    assert len(blocks) >= 4
    for block in blocks:
        assert any(block in text for text in TOYS.values()), block


def test_every_toy_is_walked_through_and_registers_once():
    for path in TOYS:
        assert path.relative_to(ROOT).as_posix() in TEXT
    for path, text in TOYS.items():
        assert len(re.findall(r"^(?:\w+ = )?register\w*\(", text, re.MULTILINE)) == 1, path


def test_every_step_is_under_a_heading_of_its_own():
    things = ("A format", "A dataset", "A method", "A network kind", "An augmentation", "A table")
    for thing in (*things, "An option of `dualres fit`"):
        assert f"### {thing}\n" in TEXT
