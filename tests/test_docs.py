"""What the documents say is run, and what they name exists."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
import typer.main

import dualres
from dualres import cli

ROOT = Path(__file__).parents[1]
DOCUMENTS = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").glob("*.md"))]
LONGEST_LINE = 120  # characters of prose
SOURCE = ROOT / "src" / "dualres"
ROOMS = "|".join(sorted(path.name for path in SOURCE.iterdir() if path.is_dir() and not path.name.startswith("_")))
BESIDE = "docs|examples|experiments|results|speed|stress|tests|tools"  # folders of the repository itself
WRITTEN = {"demo/report.html", "bench/ledger.sqlite"}  # by a command that the document shows

every_document = pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)


def test_the_documents_are_found_and_the_citation_names_this_version():
    names = {str(path.relative_to(ROOT)) for path in DOCUMENTS}
    assert names >= {"README.md", "CHANGELOG.md", "SECURITY.md", "docs/index.md", "docs/format.md", "docs/api.md"}
    citation = (ROOT / "CITATION.cff").read_text()
    assert f"\nversion: {dualres.__version__}\n" in citation
    assert f"## [{dualres.__version__}]" in (ROOT / "CHANGELOG.md").read_text()


@every_document
def test_python_in_the_documents_runs(document, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for block in re.findall(r"```python\n(.*?)```", document.read_text(), re.DOTALL):
        exec(compile(block, str(document), "exec"), names)


def test_every_command_is_documented():
    text = "\n".join(document.read_text() for document in DOCUMENTS)
    commands = list(_commands(typer.main.get_command(cli.app)))
    assert len(commands) >= 21
    for command in commands:
        # `make demo` is how a newcomer runs `dualres demo`
        assert re.search(rf"\bdualres {command}\b", text) or f"make {command}" in text, command


@every_document
def test_commands_in_the_documents_exist(document):
    text = document.read_text()
    targets = re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    commands = re.findall(r"^make (\w+)$|`make (\w+)`", text, re.MULTILINE)
    assert {a or b for a, b in commands} <= set(targets)
    known = {command.split()[0] for command in _commands(typer.main.get_command(cli.app))}
    assert set(re.findall(r"(?:`|^\$ |^)dualres ([a-z]\w*)", text, re.MULTILINE)) <= known


@every_document
def test_files_the_documents_name_exist(document):
    text = document.read_text()
    for name in re.findall(rf"`((?:{ROOMS})/[\w/.-]*)`", text):
        assert name in WRITTEN or (SOURCE / name).exists(), name
    for name in re.findall(r"`(\w+\.py)`", text):
        assert any(SOURCE.rglob(name)), name
    for name in re.findall(rf"`((?:src|{BESIDE})/[\w/.-]+)", text):
        assert (ROOT / name).exists() or (SOURCE / name).exists(), name


@every_document
def test_links_in_the_documents_lead_somewhere(document):
    for target, _, heading in re.findall(r"\]\(([^)#\s]*)(#([^)]+))?\)", document.read_text()):
        if target.startswith(("https://", "http://")):
            continue
        linked = document.parent / target if target else document
        assert linked.exists(), target
        if heading:
            assert heading in anchors(linked.read_text()), f"{target}#{heading}"


@every_document
def test_lines_of_prose_wrap(document):
    """Tables and the targets of links cannot, and what a program prints is not prose."""
    prose = re.sub(r"^```.*?^```$", "", document.read_text(), flags=re.DOTALL | re.MULTILINE)
    for line in re.sub(r"\]\([^)]*\)", "]", prose).splitlines():
        assert len(line) <= LONGEST_LINE or line.lstrip().startswith("|"), line


@pytest.mark.subprocess
def test_the_datasets_page_is_what_the_adapters_give():
    done = generated("datasets")
    assert done.returncode == 0, done.stderr


@pytest.mark.subprocess
def test_the_session_with_ones_own_files_prints_what_the_readme_shows():
    done = generated("session")
    assert done.returncode == 0, done.stderr


def generated(page):
    """Whether a page is as its tool in tools/pages/ writes it."""
    command = [sys.executable, "-m", f"tools.pages.{page}", "--check"]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True)


def _commands(group, before=""):
    """Names of all commands, with their group's before them."""
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from _commands(command, f"{before}{name} ")
        else:
            yield before + name


def anchors(text):
    """Of the headings, as GitHub makes them."""
    prose = re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE)
    headings = re.findall(r"^#+ (.+)$", re.sub(r"\]\([^)]*\)", "]", prose), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
