import re
import tomllib
from pathlib import Path

import pytest

from dualres.errors import ConfigError
from dualres.utils.optional_imports import LIBRARIES, TRAINING, is_extra, need, sentence

PROJECT = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
DISTRIBUTIONS = {"sklearn": "scikit-learn", "paho": "paho-mqtt", "serial": "pyserial"}


def names(requirements):
    return {re.match(r"[\w-]+", one)[0].lower() for one in requirements}


@pytest.mark.parametrize("library", LIBRARIES)
def test_an_extra_brings_what_it_is_said_to_bring(library):
    distribution = DISTRIBUTIONS.get(library, library.partition(".")[0])
    assert distribution in names(PROJECT["optional-dependencies"][LIBRARIES[library][1]])
    assert distribution not in names(PROJECT["dependencies"])


def test_the_package_itself_brings_little():
    brought = {"numpy", "safetensors", "soundfile", "typer", "rich", "starlette", "uvicorn"}
    assert names(PROJECT["dependencies"]) == brought
    assert {LIBRARIES[one][1] for one in TRAINING} == {"train"}


def test_developers_have_all_extras_but_for_one_compared_method():
    everything = PROJECT["optional-dependencies"]["dev"][0]
    extras = set(PROJECT["optional-dependencies"]) - {"dev", "peers"}
    assert set(re.findall(r"\w+", everything.partition("[")[2])) == extras


def test_one_sentence_names_what_is_missing_and_how_to_get_it():
    assert sentence("dualres fit", "torch.nn") == "dualres fit needs PyTorch: pip install 'dualres[train]'"
    assert sentence("a.mat: reading MATLAB", "scipy.io").endswith("needs SciPy: pip install 'dualres[mat]'")
    assert sentence("a.toy: reading Toy", "toylib") == "a.toy: reading Toy needs toylib: pip install toylib"


def test_what_is_there_is_no_error_and_what_is_not_is_one(monkeypatch):
    need("a test", "numpy", "torch")
    monkeypatch.setitem(LIBRARIES, "no_such_ray", LIBRARIES["ray"])
    with pytest.raises(ConfigError, match=r"^a test needs Ray: pip install 'dualres\[cluster\]'$"):
        need("a test", "numpy", "no_such_ray")


def test_other_missing_modules_are_not_explained_away():
    assert is_extra("torch.nn")
    assert not is_extra("dualres.nonsense")
    assert not is_extra(None)
