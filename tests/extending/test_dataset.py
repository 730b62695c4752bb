"""A dataset from outside: listed, split, prepared, and learned from by a method and a study from outside."""

import json
from pathlib import Path

import numpy as np
import pytest

from tests.extending.outside import dualres

HERE = Path(__file__).parent
PLUGINS = ["toy_dataset", "toy_method", "toy_study"]
SECONDS, RATE = 2, 32_000


@pytest.fixture(scope="module")
def download(tmp_path_factory):
    """Eight recordings: a tone in noise, and the same with its overtones."""
    folder = tmp_path_factory.mktemp("download")
    rng, t = np.random.default_rng(0), np.arange(SECONDS * RATE) / RATE
    for unit in range(1, 5):
        tones = {"hum": [1], "buzz": range(1, 12)}
        for state, orders in tones.items():
            tone = sum(np.sin(2 * np.pi * 97 * k * t + unit) / k for k in orders)
            np.save(folder / f"{state}_{unit}.npy", np.float32(tone + 0.1 * rng.standard_normal(len(t))))
    return folder


def test_the_list_tells_of_it():
    listed = dualres("data", "list", plugins=["toy_dataset"])
    assert listed.returncode == 0, listed.stderr
    assert "a machine that hums or buzzes" in listed.stdout
    folds = json.loads(dualres("data", "folds", "--json", plugins=["toy_dataset"]).stdout)
    assert (folds[-1]["fold"], folds[-1]["dataset"], folds[-1]["held_out"]) == ("T1", "toy", "unit")


def test_its_fold_is_what_the_table_says(tmp_path):
    said = ("--name", "T1", "--dataset", "toy", "--held-out", "unit", "--windows", 5)
    frozen = dualres(
        "data", "fold", HERE / "toy_fold.csv", *said, "-o", tmp_path, plugins=["toy_dataset"], folder=tmp_path
    )
    assert frozen.returncode == 0, frozen.stderr
    assert (tmp_path / "T1.json").read_bytes() == (HERE / "folds" / "T1.json").read_bytes()
