"""Pipes, devices and the system's own files in place of files: each is refused at once, and none is waited for."""

import os
import signal
from pathlib import Path

import pytest

from dualres.audit.finding import read_split
from dualres.bench.campaign.ledger import Ledger
from dualres.bench.datasets.folds import read_fold
from dualres.bench.datasets.folds.freeze import read_table
from dualres.bench.methods.model_file import load as load_any
from dualres.bench.profile.measurements import read as read_measurement
from dualres.errors import DualResError
from dualres.judge import model as file
from dualres.learn.trained.tune_plan import read_recipe
from dualres.recordings.labels.folder import read_folder
from dualres.recordings.readers import read
from dualres.recordings.store import read_index


@pytest.fixture(autouse=True)
def _impatient():
    """A test that waits is ended, and fails."""
    signal.alarm(60)
    yield
    signal.alarm(0)


READERS = {
    "model.safetensors": (file.load, load_any),
    "recording.wav": (read,),
    "labels.csv": (lambda path: read_folder(path.parent),),
    "list.csv": (lambda path: read_folder(path.parent, labels=path), read_split, read_table),
    "recipe.json": (read_recipe,),
    "fold.json": (read_fold,),
    "ledger.sqlite": (Ledger, lambda path: Ledger(path, create=False)),
    "measurement.json": (read_measurement,),
    "recordings.json": (lambda path: read_index(path.parent),),
}


@pytest.mark.parametrize("kind", ["pipe", "device", "system"])
@pytest.mark.parametrize("name", READERS)
def test_it_is_refused_at_once(tmp_path, name, kind):
    path = tmp_path / name
    if kind == "pipe":
        os.mkfifo(path)
    else:
        target = Path("/dev/zero" if kind == "device" else "/proc/self/maps")
        if not target.exists():
            pytest.skip("there is none here")
        path.symlink_to(target)
    for reader in READERS[name]:
        with pytest.raises(DualResError, match=r"not a regular file|the system's"):
            reader(path)
