"""The examples run as they are, and say what they are there to say."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"
# Where several tests run at once, threads that wait for each other would take most of the time.
ENVIRONMENT = os.environ | {"OMP_NUM_THREADS": "1"}
SAYS = {
    "compare_methods": "patchtst",
    "cross_validation": "macro-F1 on held-out gears",
    "export_to_c": "dualres_model.c",
    "own_recordings": "Expected on an unseen component",
}


def test_every_example_is_run():
    assert {path.stem for path in EXAMPLES.glob("*.py")} == set(SAYS)


@pytest.mark.subprocess
@pytest.mark.parametrize("name", SAYS)
def test_an_example_runs(name, tmp_path):
    command = [sys.executable, "-W", "error", EXAMPLES / f"{name}.py"]
    done = subprocess.run(command, cwd=tmp_path, env=ENVIRONMENT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert SAYS[name] in done.stdout
    # The export prints what Python says and, where it could be compiled, what the C code says.
    assert len({line.split()[2] for line in done.stdout.splitlines() if " says " in line}) <= 1, done.stdout
