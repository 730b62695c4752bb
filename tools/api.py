"""Write docs/api.md from the docstrings of the names that a user may rely on; with `--check`, only compare."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Iterator
from dataclasses import is_dataclass
from functools import cached_property
from importlib import import_module
from typing import Any, Protocol

import dualres
from generated import only_checked, write_page

WIDEST = 100  # characters of a signature on one line
BAR = "\\|"  # where a plain one would end a cell

# heading: what it is for, and the names there are, by module
PARTS: dict[str, tuple[str, dict[str, tuple[str, ...]]]] = {
    "Models and verdicts": (
        "Everything here is imported from `dualres`.",
        {"dualres": tuple(name for name in dualres.__all__ if not name.startswith("__"))},
    ),
    "Recordings": (
        "From files to recordings.",
        {"dualres.recordings.readers": ("read",), "dualres.recordings.labels.folder": ("Folder",)},
    ),
    "Datasets and folds": (
        "The simulated rig, the simulated machines, the adapters of the public datasets, and how they are split.",
        {
            "dualres.simulated.rig": ("recordings",),
            "dualres.simulated.machines": ("machine", "recordings", "held_out", "Machine", "Bearing"),
            "dualres.bench.datasets.catalog": ("release",),
            "dualres.bench.datasets.release": ("Release",),
            "dualres.bench.datasets.folds": ("load_fold", "names", "Fold"),
        },
    ),
    "Methods": (
        "DualRes, its controls and the eight methods it is compared with, behind one interface.",
        {"dualres.bench.methods": ("method", "load"), "dualres.bench.methods.method": ("Method", "Fitted", "Cost")},
    ),
    "Exports": (
        "A model for other machines.",
        {"dualres.export.c99": ("write_c99",), "dualres.export.onnx": ("write_onnx",)},
    ),
    "Results": (
        "What a campaign found out, asked one cell at a time. `load_export` opens `results/` of this repository.",
        {
            "dualres.bench.campaign.exchange.read_export": ("load_export",),
            "dualres.bench.campaign.studies": ("study",),
            "dualres.bench.report.results": ("Results", "Cell", "percent_f1", "percent_accuracy"),
        },
    ),
}


def main() -> None:
    check = only_checked(__doc__)
    write_page("api.md", page(), check, "the docstrings", "api")


def page() -> str:
    lines = ["# The API", "", "`make api` makes this page from the docstrings, and a test compares."]
    for heading, (purpose, modules) in PARTS.items():
        lines += ["", f"## {heading}", "", purpose]
        for module, names in modules.items():
            for name in names:
                lines += ["", f"### `{module}.{name}`", "", *described(getattr(import_module(module), name))]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines) + "\n")


def described(thing: Any) -> Iterator[str]:
    """Signature and docstring; of a class also its fields and its own public methods."""
    if not inspect.isclass(thing):
        yield from function_text(thing.__name__, thing)
        return
    fields = list(field_rows(thing))
    if not fields and "__init__" in vars(thing) and not issubclass(thing, Exception | Protocol):
        yield from signature(thing.__name__, thing.__init__)
    yield from as_markdown(own_doc(thing))
    if fields:
        yield from ("", "| field | type | default | |", "|---|---|---|---|", *fields)
    for name, value in vars(thing).items():
        if not name.startswith("_"):
            yield from member(name, value)


def member(name: str, value: Any) -> Iterator[str]:
    """A method or property of a class; anything else is nothing to call."""
    if isinstance(value, property | cached_property):
        function = value.fget if isinstance(value, property) else value.func
        text = " ".join(own_doc(function).split())
        line = f"**`{name}`**: `{ast.unparse(definition(function).returns)}`. {text}"
        yield from ("", *textwrap.wrap(line, 110))
    elif inspect.isfunction(value) or isinstance(value, classmethod | staticmethod):
        function = value if inspect.isfunction(value) else value.__func__
        yield from ("", f"**`{name}`**", "", *function_text(name, function))


def function_text(name: str, function: Any) -> Iterator[str]:
    yield from signature(name, function)
    yield from as_markdown(own_doc(function))


def signature(name: str, function: Any) -> Iterator[str]:
    """As it stands in the source, on one line if that is short enough."""
    found = definition(function)
    words = [word for word in parameters(found.args) if word not in ("self", "cls")]
    result = "" if found.returns is None or name[0].isupper() else f" -> {ast.unparse(found.returns)}"
    line = f"{name}({', '.join(words)}){result}"
    lines = [line] if len(line) <= WIDEST else [f"{name}(", *(f"    {word}," for word in words), f"){result}"]
    yield from ("```py", *lines, "```", "")


def parameters(found: ast.arguments) -> Iterator[str]:
    """Each with its annotation and default."""
    plain = [*found.posonlyargs, *found.args]
    without = len(plain) - len(found.defaults)
    for one, default in zip(plain, [None] * without + list(found.defaults), strict=True):
        yield parameter(one, default)
    if found.vararg or found.kwonlyargs:
        yield f"*{parameter(found.vararg, None) if found.vararg else ''}"
    for one, default in zip(found.kwonlyargs, found.kw_defaults, strict=True):
        yield parameter(one, default)
    if found.kwarg:
        yield f"**{parameter(found.kwarg, None)}"


def parameter(found: ast.arg, default: ast.expr | None) -> str:
    annotation = f": {ast.unparse(found.annotation)}" if found.annotation else ""
    return f"{found.arg}{annotation}" + (f" = {ast.unparse(default)}" if default else "")


def field_rows(kind: type) -> Iterator[str]:
    """A dataclass' fields with the comments that stand beside them."""
    if not is_dataclass(kind):
        return
    lines = source(kind).splitlines()
    for statement in definition(kind).body:
        if isinstance(statement, ast.AnnAssign):
            name, annotation = ast.unparse(statement.target), ast.unparse(statement.annotation)
            default = ast.unparse(statement.value) if statement.value else ""
            _, _, comment = lines[statement.end_lineno - 1][statement.end_col_offset :].partition("# ")
            shown = f"`{default}`" if default and not default.startswith("field(") else ""
            cells = (f"`{name}`", f"`{annotation}`", shown, comment)
            yield f"| {' | '.join(cell.replace('|', BAR) for cell in cells)} |"


def source(thing: Any) -> str:
    return textwrap.dedent(inspect.getsource(thing))


def definition(thing: Any) -> Any:
    """The function or class as the parser sees it."""
    return ast.parse(source(thing)).body[0]


def own_doc(thing: Any) -> str:
    """What it says of itself; not what a dataclass or a base class has put there."""
    text = inspect.cleandoc(thing.__doc__ or "")
    return "" if inspect.isclass(thing) and text.startswith(f"{thing.__name__}(") else text


def as_markdown(text: str) -> list[str]:
    """Sections that are underlined become bold, and the names below them a list."""
    lines: list[str] = []
    rest = text.splitlines()
    section = False
    while rest:
        line = rest.pop(0)
        if rest and rest[0] and set(rest[0]) == {"-"}:
            rest.pop(0)
            section = True
            lines += [f"**{line}**", ""]
        elif section and line and not line.startswith(" "):
            name, colon, meaning = line.partition(" : ")
            names = ", ".join(f"`{one}`" for one in name.split(", "))
            lines.append(f"* {names}{': ' + meaning if colon else ':'}")
        else:
            lines.append(f"  {line.strip()}" if section and line else line)
    return lines


if __name__ == "__main__":
    main()
