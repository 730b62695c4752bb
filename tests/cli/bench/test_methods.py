import json

from typer.testing import CliRunner

from dualres.bench.methods.catalog import entry, names
from dualres.cli import app
from dualres.utils.optional_imports import is_there


def test_the_table_names_every_method_and_the_paper_s_figures_and_says_what_is_not_the_paper_s():
    result = CliRunner().invoke(app, ["methods"], env={"COLUMNS": "80"})
    assert result.exit_code == 0
    table, lines = result.stdout, result.stdout.splitlines()
    for name in names():
        assert (name in table) == all(map(is_there, entry(name).needs))
    (place,) = [i for i, line in enumerate(lines) if "crossformer" in line]
    assert lines[place].split()[2:4] == ["189,576", "66,440"]
    assert lines[place + 1].split() == ["the", "paper", "prints", "189,576", "66,440", "4.782"]
    (place,) = [i for i, line in enumerate(lines) if line.split()[:1] == ["minirocket"]]
    assert lines[place + 1].split() == ["the", "paper", "prints", "n/a", "n/a", "0.802"]
    said = " ".join(table.split())
    assert "9,996 fixed features" in said
    assert "dualres/orders, the default of dualres fit" in said
    assert "…" not in table
    there = [name for name in names() if not (entry(name).paper or name.startswith("dualres"))]
    there = [name for name in there if all(map(is_there, entry(name).needs))]
    marked = [lines[i - 1].split()[0] for i, line in enumerate(lines) if line.strip() == "not in the paper"]
    assert marked == ["dualres/no-memory", "dualres/views", "dualres/orders", "dualres/orders-no-speed", *there]


def test_as_json():
    rows = json.loads(CliRunner().invoke(app, ["methods", "--json", "--classes", "5"]).stdout)
    assert [row["name"] for row in rows] == [name for name in names() if all(map(is_there, entry(name).needs))]
    assert rows[0]["registered"] == 39_528 + 5 * 65
    assert rows[0]["paper"] is None
    assert all(row["settings"] == entry(row["name"]).settings for row in rows)
