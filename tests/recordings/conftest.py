import numpy as np
import pytest

from dualres.recordings.formats.sandbox import Guard
from tests.recordings.few import X


@pytest.fixture
def guard():
    guard = Guard(seconds=5)
    yield guard
    guard.close()


@pytest.fixture
def npy(tmp_path):
    np.save(tmp_path / "a.npy", X)
    return tmp_path / "a.npy"
