"""An option of `dualres fit` from outside: one file, one registration."""

from copy import copy

import numpy as np
import pytest

from dualres import load
from dualres.errors import ConfigError
from dualres.learn import fit_options
from dualres.learn.workflow import FitOption, register_option
from tests.cli.runner import RATE, done, run


@pytest.fixture
def toy(monkeypatch):
    """The toy's registration, for the time of a test."""
    monkeypatch.setattr(fit_options, "_OPTIONS", copy(fit_options._OPTIONS))
    from tests.extending.toy_fit_option import OPTION

    fit_options._OPTIONS.setdefault(OPTION.name, OPTION)  # the module registers at its first import only
    return OPTION


@pytest.fixture
def folder(tmp_path):
    rng = np.random.default_rng(0)
    for label in ("good", "worn"):
        (tmp_path / "machines" / label).mkdir(parents=True)
        np.save(tmp_path / "machines" / label / "a.npy", rng.standard_normal(2 * RATE).astype(np.float32))
    return tmp_path / "machines"


def fit(folder, out, *more):
    done("fit", folder, "-o", out, "--rate", RATE, "--updates", 1, "--no-estimate", *more)
    return load(out).card.exposure_s


def test_it_is_explained_beside_the_others(toy):
    shown = " ".join(run("fit", "--help").output.split())
    assert "Leave out the first seconds of each recording" in shown
    assert "--trim" in shown
    assert "--members" in shown


def test_it_changes_what_is_learned_from(toy, folder, tmp_path):
    whole, trimmed = fit(folder, tmp_path / "whole"), fit(folder, tmp_path / "trimmed", "--trim", 1.2)
    assert whole["good"] == pytest.approx(1.792)  # all half-overlapping windows of 0.512 s in 2 s
    assert trimmed["good"] == pytest.approx(0.768)  # and in the last 0.8 s


def test_at_its_default_it_changes_nothing(toy, folder, tmp_path):
    with_it = fit(folder, tmp_path / "with")
    fit_options._OPTIONS.clear()
    assert with_it == fit(folder, tmp_path / "without")
    assert (tmp_path / "with").read_bytes() == (tmp_path / "without").read_bytes()


def test_names_that_cannot_be_are_refused(toy):
    option = FitOption("trim", float, 0.0, "", lambda fit_settings, value: fit_settings)
    with pytest.raises(ConfigError, match="a name such as --trim"):
        register_option(option)
    with pytest.raises(ConfigError, match="there are two options --trim"):
        register_option(FitOption("--trim", int, 0, "", option.apply))
    register_option(FitOption("--seed", int, 0, "", option.apply))
    with pytest.raises(ConfigError, match="--seed is an option of dualres fit itself"):
        raise run("fit", "--help").exception
