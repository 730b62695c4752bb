import json

from typer.testing import CliRunner

from dualres.cli import app
from dualres.methods import CONTROL_NAMES, NAMES


def test_the_table_names_every_method_and_the_paper_s_figures():
    result = CliRunner().invoke(app, ["methods"], env={"COLUMNS": "160"})
    assert result.exit_code == 0
    for name in (*NAMES, *CONTROL_NAMES):
        assert name in result.stdout
    (row,) = [line for line in result.stdout.splitlines() if "crossformer" in line]
    assert row.count("189,576") == row.count("66,440") == 2
    assert "4.782" in row


def test_as_json():
    rows = json.loads(CliRunner().invoke(app, ["methods", "--json", "--classes", "5"]).stdout)
    assert [row["name"] for row in rows] == [*NAMES, *CONTROL_NAMES]
    assert rows[0]["registered"] == 39_528 + 5 * 65
    assert rows[0]["paper"] is None
