"""The notebooks among the examples run from the first cell to the last, and what they show is fit to be shown."""

import ast
import json
from pathlib import Path

import pytest

from tests.markup import shown

EXAMPLES = Path(__file__).parents[1] / "examples"
SHOWS = {
    "first_model": [
        ["Recording", "rpm, measured"],
        ["Model of 2 classes", "an unseen component"],
        ["Expected on an unseen component", "true class by row"],
        ["windows"],
        ["wear", "pitting"],
    ],
    "tables": [["radial", "axial"], ["12800 Hz", "1500 rpm"], [], ["bearing"], ["bearing"]],
}


def cells(name):
    notebook = json.loads((EXAMPLES / f"{name}.ipynb").read_text())
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    return notebook["cells"]


def test_every_notebook_is_run_and_is_kept_without_outputs():
    assert {path.stem for path in EXAMPLES.glob("*.ipynb")} == set(SHOWS)
    for name in SHOWS:
        every = cells(name)
        assert len({one["id"] for one in every}) == len(every)
        assert not any(one.get("outputs") or one.get("execution_count") for one in every)


def run_cell(source, names):
    """Run it as a notebook does; the value of its last line, if that is an expression."""
    body = ast.parse(source).body
    last = body.pop() if isinstance(body[-1], ast.Expr) else None
    exec(compile(ast.Module(body, []), "<cell>", "exec"), names)
    return last and eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", SHOWS)
def test_a_notebook_runs(name, capsys):
    names, found = {"__name__": "__main__"}, []
    for cell in cells(name):
        if cell["cell_type"] == "code":
            value = run_cell("".join(cell["source"]), names)
            if value is not None:
                ours = type(value).__module__.startswith("dualres.")
                found.append(shown(value._repr_html_()) if ours else str(value))
    for text, said in zip(found, SHOWS[name], strict=True):
        for one in said:
            assert one in text
    if name == "tables":
        assert "nothing says its sampling rate" in capsys.readouterr().out
