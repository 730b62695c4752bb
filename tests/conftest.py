import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from dualres.config import ModelConfig
from dualres.kernel import compiled


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup() -> None:
    """One thread, before any fixture: two would spin on a shared machine, and round otherwise than one.

    For every test anew, because jobs that an earlier one did in this process have set their own number.
    """
    torch.set_num_threads(1)


@pytest.fixture(scope="session")
def small() -> ModelConfig:
    """A network small enough to be trained in a second."""
    return ModelConfig(rate=2000, window=256, hop=8, short=16, long=64, width=8, states=2, frequency_hz=(5.0, 100.0))


@pytest.fixture(params=compiled.able())
def variant(request, monkeypatch) -> str:
    """Each variant of the compiled library that runs here, in use."""
    monkeypatch.setenv(compiled.SETTING, request.param)
    return request.param


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder with real recordings, named by the environment variable DUALRES_DATA."""
    folder = os.environ.get("DUALRES_DATA")
    if not folder:
        pytest.skip("real recordings are not at hand: DUALRES_DATA is not set")
    return Path(folder)


@pytest.fixture(scope="session")
def phm2009(data, tmp_path_factory) -> Path:
    """The PHM2009 gearbox recordings as a store."""
    store = tmp_path_factory.mktemp("phm2009")
    subprocess.run([sys.executable, data / "phm2009" / "unpack.py", store], check=True)
    return store
