import subprocess
import sys

import pytest
from typer.testing import CliRunner

from dualres import __version__, cli
from dualres.demo import run as demo


def run(*arguments):
    return CliRunner(env={"COLUMNS": "100"}).invoke(cli.app, arguments)


def test_help_reads_well_and_so_does_the_version():
    output = run("--help").output
    assert "Name a machine's fault" in output
    assert "demo" in output
    assert "dualres demo" in output
    assert run("--version").output.strip() == f"dualres {__version__}"


def test_options_of_the_demo_are_explained_and_its_time_is_the_same_in_every_help():
    output = " ".join(run("demo", "--help").output.split())
    for option in ("--out", "--fold", "--seed", "--updates"):
        assert option in output
    assert "6.144 labelled seconds" in output
    for arguments in (["--help"], ["demo", "--help"]):
        assert "takes less than a minute" in " ".join(run(*arguments).output.split()).lower(), arguments


def dualres(*arguments, **options):
    return subprocess.run([sys.executable, "-m", "dualres.cli", *arguments], capture_output=True, text=True, **options)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["demo", "--fold", name], f"there is no fold {name!r} of the rig; the demonstration knows S1 and S2")
        for name in ("S9", "P1")
    ],
)
def test_a_mistake_is_one_sentence(arguments, reason, tmp_path):
    result = dualres(*arguments, cwd=tmp_path)
    assert result.returncode == 2
    assert reason in result.stderr
    assert "Traceback" not in result.stderr
    assert not list(tmp_path.iterdir())


def test_ctrl_c_leaves_nothing_behind(tmp_path, monkeypatch):
    def interrupt(*arguments, progress, **options):
        progress("Learn", 1, 300, "loss 2.000")
        raise KeyboardInterrupt

    monkeypatch.setattr(demo, "fit_support", interrupt)
    result = run("demo", "--out", str(tmp_path / "demo"))
    assert result.exit_code == 130
    assert "Stopped. Nothing was written." in result.output
    assert not list(tmp_path.iterdir())
