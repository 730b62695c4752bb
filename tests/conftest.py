import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from dualres.config import ModelConfig
from dualres.kernel import compiled
from tests.attacks.stress_scripts import script
from tests.bench.report.browser import Browser
from tests.variants import VARIANTS

PROGRAM = script("_mosquitto").PROGRAM


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup() -> None:
    """One thread, before any fixture: two would spin on a shared machine, and round otherwise than one.

    For every test anew, because jobs that an earlier one did in this process have set their own number.
    """
    torch.set_num_threads(1)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Whatever asks for a browser is marked by that; without a broker, what needs one is skipped."""
    no_broker = pytest.mark.skipif(not PROGRAM, reason="mosquitto is not installed: no broker to test against")
    for item in items:
        if "browser" in getattr(item, "fixturenames", ()):
            item.add_marker("browser")
        if item.get_closest_marker("broker"):
            item.add_marker(no_broker)


@pytest.fixture(scope="session")
def browser(tmp_path_factory) -> Iterator[Browser]:
    """One window, for all tests of a process."""
    one = Browser(tmp_path_factory.mktemp("browser"))
    yield one
    one.close()


@pytest.fixture(scope="session")
def small() -> ModelConfig:
    """A network small enough to be trained in a second."""
    return ModelConfig(rate=2000, window=256, hop=8, short=16, long=64, width=8, states=2, frequency_hz=(5.0, 100.0))


@pytest.fixture(params=VARIANTS)
def variant(request, monkeypatch) -> str:
    """Each variant of the compiled library that runs here, in use."""
    monkeypatch.setenv(compiled.SETTING, request.param)
    return request.param


@pytest.fixture(params=[*VARIANTS, compiled.OFF])
def kernel(request, monkeypatch) -> str:
    """The same, and NumPy in its place."""
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
