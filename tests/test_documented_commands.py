"""Commands in the documents are understood: their options exist, and they take no more arguments than there are."""

import configparser
import json
import re
import shlex
from collections.abc import Iterator
from functools import cache
from itertools import takewhile
from pathlib import Path

import pytest
import typer.main
from markdown_it import MarkdownIt

from dualres import cli
from tests.test_docs import DOCUMENTS, ROOT, every_document

SESSIONS = ("console", "", "ini")  # languages of blocks that hold commands
SHELL = {"|", ">", ">>", "<", "&&", ";", "&"}
# What is done with a block of each language: run or compared, here or by the test that is named.
LANGUAGES = {
    "python": "test_docs.py runs it",
    "py": "an excerpt of a tested file (extending/test_contributing.py), or a signature (test_docs.py)",
    "console": "its commands are parsed here",
    "": "its commands are parsed here",
    "json": "parsed here",
    "ini": "parsed here",
    "c": "export/test_documented.py compiles it",
}


def blocks(document: Path) -> Iterator[tuple[str, str]]:
    """Language and text of every block of code; an indented one has no language."""
    for token in MarkdownIt("commonmark").parse(document.read_text()):
        if token.type in ("fence", "code_block"):
            yield token.info.strip(), token.content


def inline_code(document: Path) -> Iterator[str]:
    for token in MarkdownIt("commonmark").enable("table").parse(document.read_text()):
        yield from (child.content for child in token.children or () if child.type == "code_inline")


def typed(document: Path) -> Iterator[str]:
    """What a reader may type: lines of a block, those after a prompt where it shows prompts."""
    for language, text in blocks(document):
        lines = text.replace("\\\n", " ").splitlines() if language in SESSIONS else []
        prompted = [line[2:] for line in lines if line.startswith("$ ")]
        yield from prompted or lines


def words_after(program: str, line: str) -> list[str] | None:
    """The arguments of a program's call in a line of shell; None where it is not called."""
    found = re.search(rf"(?:^|[ /=]){re.escape(program)} (?=[a-z])", line)
    if not found:
        return None
    lexer = shlex.shlex(line[found.end() :], posix=True, punctuation_chars="|<>&;")
    lexer.whitespace_split = True
    return list(takewhile(lambda word: word not in SHELL, lexer))


@cache
def command_line():
    return typer.main.get_command(cli.app)


def problem(words: list[str], named: bool = False) -> str | None:
    """What the command line would say of the words, their values apart; prose that names an option may leave its
    value out."""
    command = command_line()
    while words and hasattr(command, "commands"):
        if words[0] not in command.commands:
            return f"there is no command {words[0]}"
        command, words = command.commands[words[0]], words[1:]
    if hasattr(command, "commands"):
        return None  # a group, which prose may name
    try:
        _, left, _ = command.make_parser(command.context_class(command)).parse_args(list(words))
    except Exception as error:  # of the command line's library, which is no part of what is tested
        said = str(getattr(error, "message", error))
        return None if named and said.endswith("requires an argument.") and words[-1] in said else said
    return f"too many arguments: {left}" if left else None


@every_document
def test_the_command_line_understands_what_the_documents_type(document):
    for lines, named in ((typed(document), False), (inline_code(document), True)):
        for line in lines:
            if words := words_after("dualres", line):
                assert problem(words, named) is None, line


def test_enough_commands_are_looked_at():
    lines = [line for document in DOCUMENTS for line in (*typed(document), *inline_code(document))]
    found = [words for line in lines if (words := words_after("dualres", line))]
    assert len(found) > 150
    assert sum(any(word.startswith("--") for word in words) for words in found) > 60


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("dualres fit pump --no-such-option", "No such option: --no-such-option"),
        ("dualres fit pump -o", "requires an argument"),
        ("dualres fit a b c", "too many arguments: ['b', 'c']"),
        ("dualres nonsense", "there is no command nonsense"),
        ("dualres bench nonsense", "there is no command nonsense"),
        ("/opt/bin/dualres fit pump --no-such | head", "No such option: --no-such"),
    ],
)
def test_a_command_that_is_wrong_is_noticed(line, told):
    assert told in problem(words_after("dualres", line))


def test_what_follows_in_the_shell_is_not_the_commands():
    assert words_after("dualres", "cat a | dualres watch 'x y' - --rate 5 < b > c  # --d") == [
        "watch",
        "x y",
        "-",
        "--rate",
        "5",
    ]


@every_document
def test_scripts_in_the_documents_exist_and_have_the_options(document):
    for line in (*typed(document), *inline_code(document)):
        beside = "(?:speed|stress|experiments|tools|examples)"
        scripts = re.findall(rf"python3? ({beside}/\w+\.py)(.*)", line)
        for module, rest in re.findall(rf"python3? -m ({beside}(?:\.\w+)+)(.*)", line):
            path = module.replace(".", "/")
            scripts.append((f"{path}/__main__.py" if (ROOT / path).is_dir() else f"{path}.py", rest))
        for script, rest in scripts:
            assert (ROOT / script).exists(), script
            folder = "\n".join(path.read_text() for path in (ROOT / script).parent.glob("*.py"))
            for option in re.findall(r"(?<= )--[a-z][a-z-]*", rest):
                assert f'"{option}"' in folder, f"{script} {option}"


@every_document
def test_every_block_of_code_is_looked_after(document):
    for language, text in blocks(document):
        assert language in LANGUAGES, f"{language}: nobody says whether it holds"
        if language == "json":
            json.loads(text)
        elif language == "ini":
            parsed = configparser.ConfigParser(interpolation=None)
            parsed.read_string(re.sub(r"\\\n\s*", "", text))
            assert parsed.sections()
        elif language == "py":
            assert document.name == "CONTRIBUTING.md", "Python that is not run"
