"""Judging is light: neither PyTorch nor scikit-learn is imported where the compiled kernel serves the model."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.io import wavfile

from dualres.file import save
from dualres.judge import diagnose_recording
from dualres.kernel import compiled
from dualres.model.network import DualRes
from dualres.recordings.readers import read
from tests.model.made_views import made_views
from tests.models import model_of

SOURCE = Path(__file__).parents[1] / "src" / "dualres"
HEAVY = ("torch", "sklearn", "matplotlib", "numba", "pandas")
FOUND = f"print(json.dumps([m for m in {HEAVY!r} if m in sys.modules]))"
CLASSES = ("good", "worn", "broken")
NETWORKS = {"paper": lambda: DualRes(3, seed=0).eval(), "views": lambda: made_views(3)}

pytestmark = pytest.mark.skipif(compiled.variant() is None, reason="the compiled library is not built")


def modules() -> list[str]:
    """Of the rooms that judging needs."""
    inside = [p for p in (SOURCE / "recordings").rglob("*.py") if p.stem != "__init__"]
    names = [f"dualres.{p.relative_to(SOURCE).with_suffix('').as_posix().replace('/', '.')}" for p in inside]
    return [*sorted(names), *(f"dualres.{name}" for name in ("seal", "scorers", "file", "judge", "judge_files"))]


def run(code: str, *arguments: str, **settings: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, env=os.environ | settings, check=True
    )
    return done.stdout


def test_importing_the_rooms_is_light():
    imports = "\n".join(f"import {name}" for name in modules())
    assert json.loads(run(f"import json, sys\n{imports}\n{FOUND}")) == []


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    for name, network in NETWORKS.items():
        save(model_of(network(), CLASSES), folder / f"{name}.safetensors")
    noise = np.random.default_rng(0).standard_normal(12_800)
    wavfile.write(folder / "pump.wav", 12_800, (8000 * noise).astype(np.int16))
    return folder


@pytest.mark.parametrize("name", NETWORKS)
def test_a_verdict_is_light_and_the_same(files, name):
    code = (
        "import json, sys\nfrom dualres import diagnose_recording, load\nfrom dualres.recordings.readers import read\n"
        "verdict = diagnose_recording(load(sys.argv[1]), read(sys.argv[2]))\n"
        f"print(json.dumps(verdict.probabilities))\n{FOUND}"
    )
    said, heavy = run(code, str(files / f"{name}.safetensors"), str(files / "pump.wav")).splitlines()
    assert json.loads(heavy) == []
    here = diagnose_recording(model_of(NETWORKS[name](), CLASSES), read(files / "pump.wav"))
    assert json.loads(said) == here.probabilities


@pytest.mark.parametrize("name", NETWORKS)
@pytest.mark.parametrize("command", [["diagnose", "{}.safetensors", "pump.wav"], ["show", "{}.safetensors"]])
def test_so_are_the_commands(files, command, name):
    code = (
        "import json, sys\nfrom dualres import cli\ntry:\n    cli.app(sys.argv[1:], standalone_mode=False)\n"
        f"finally:\n    {FOUND}"
    )
    arguments = [str(files / word.format(name)) if "." in word else word for word in command]
    assert json.loads(run(code, *arguments).splitlines()[-1]) == []


@pytest.mark.parametrize("name", NETWORKS)
def test_without_the_kernel_pytorch_does_it(files, name):
    code = f"import json, sys\nfrom dualres import load\nload(sys.argv[1]).scores\n{FOUND}"
    assert json.loads(run(code, str(files / f"{name}.safetensors"), DUALRES_KERNEL="off")) == ["torch"]
