"""What the documents say is run."""

import re
from pathlib import Path

import pytest

from dualres import cli
from dualres.cli import bench, data

ROOT = Path(__file__).parents[1]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda d: d.name)
def test_python_in_the_documents_runs(document, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for block in re.findall(r"```python\n(.*?)```", document.read_text(), re.DOTALL):
        exec(compile(block, str(document), "exec"), names)


def test_every_command_is_in_the_readme():
    text = DOCUMENTS[0].read_text() + (ROOT / "Makefile").read_text()
    commands = [c.name or c.callback.__name__ for c in cli.app.registered_commands]
    for name, group in (("data", data), ("bench", bench)):
        commands += [f"{name} {c.name or c.callback.__name__}" for c in group.app.registered_commands]
    assert len(commands) == 21
    for command in commands:
        assert f"dualres {command}" in text, command


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda d: d.name)
def test_commands_in_the_documents_exist(document):
    targets = re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    commands = re.findall(r"^make (\w+)$|`make (\w+)`", document.read_text(), re.MULTILINE)
    assert {a or b for a, b in commands} <= set(targets)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda d: d.name)
def test_files_the_documents_name_exist(document):
    text = document.read_text()
    for name in re.findall(r"`((?:model|recordings|datasets|methods|benchmark|kernel|gpu|export)/[\w/.]+)`", text):
        assert (ROOT / "src" / "dualres" / name).exists(), name
    for link in re.findall(r"\]\(([\w/.]+)\)", text):
        assert (document.parent / link).exists(), link
