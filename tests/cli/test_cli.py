import subprocess
import sys

import pytest

from dualres import __version__
from dualres.demo import run as demo
from tests.cli.runner import run


def test_help_reads_well():
    general, demo = (" ".join(run(*words, "--help").output.split()) for words in ([], ["demo"]))
    for said in ("Name a machine's fault", "dualres demo"):
        assert said in general
    for said in ("--out", "--fold", "--seed", "--updates", "6.144 labelled seconds"):
        assert said in demo
    for output in (general, demo):
        assert "takes less than a minute" in output.lower()


def test_version():
    assert run("--version").output.strip() == f"dualres {__version__}"


@pytest.mark.parametrize("name", ["S9", "P1"])
def test_a_mistake_is_one_sentence(name, tmp_path):
    command = [sys.executable, "-m", "dualres.cli", "demo", "--fold", name]
    result = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert result.returncode == 2
    assert f"there is no fold {name!r} of the rig; the demonstration knows S1 and S2" in result.stderr
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
