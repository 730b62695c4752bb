"""What the catalog tells of the methods, and how one is added to it."""

import subprocess
import sys
from copy import copy
from dataclasses import fields, replace

import pytest

from dualres.bench import methods
from dualres.bench.campaign.rigs import PICKED
from dualres.bench.methods import catalog
from dualres.bench.methods.catalog import MethodEntry, MethodStyle, entry, names, register
from dualres.config import Recipe
from dualres.errors import ConfigError


@pytest.fixture
def another(monkeypatch):
    """A method from outside, which is gone after the test."""
    monkeypatch.setattr(catalog, "METHODS", copy(catalog.METHODS))
    register(replace(entry("patchtst"), name="another", title="Another", look=MethodStyle(), paper=False))
    return "another"


def test_a_registered_method_is_known_and_stands_last(another):
    assert names()[-1] == another
    assert methods.method(another).name == another
    assert another not in methods.NAMES  # which are the paper's


def test_a_name_is_given_once(another):
    for taken in (another, "dualres", "dualres/short"):
        with pytest.raises(ConfigError, match=f"there is a method '{taken}' already"):
            register(replace(entry("patchtst"), name=taken))


def test_only_what_trains_has_a_recipe_and_uses_a_gpu():
    for name in names():
        trains = name not in ("minirocket", "dualres/views", "dualres/orders", "dualres/orders-no-speed", *PICKED)
        assert entry(name).trains == trains
        assert entry(name).recipe(Recipe(7)) == (Recipe(7) if trains else None)
        assert entry(name).device("cuda") == ("cuda" if trains or entry(name).on_gpu else "cpu")


def test_only_dualres_and_its_controls_fit_together():
    together = [name for name in names() if entry(name).fits_together]
    assert together == [name for name in names() if name.startswith("dualres") and entry(name).trains]


def test_no_look_is_that_of_a_method_without_one():
    for part in fields(MethodStyle):
        assert getattr(MethodStyle(), part.name) not in {getattr(entry(name).look, part.name) for name in methods.NAMES}


def test_an_entry_needs_a_name_a_title_a_family_and_a_way_to_make_it():
    plain = MethodEntry("plain", "Plain", "none", lambda entry, recipe: methods.method("dualres", recipe))
    assert (plain.look, plain.trains, plain.paper, plain.control) == (MethodStyle(), True, False, False)


@pytest.mark.subprocess
def test_reading_the_catalog_loads_no_heavy_library():
    code = (
        "import sys; from dualres.bench.methods.catalog import entry, names; "
        "[entry(name).title for name in names()]; "
        "print([m for m in ('aeon', 'numba', 'sklearn', 'matplotlib', 'triton') if m in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "[]"
