"""Things by name: each name once, the package's own when they are needed."""

import pytest

from dualres.errors import ConfigError
from dualres.utils.registry import Registry


def test_a_name_is_given_once_and_one_that_nobody_gave_is_refused_with_those_there_are():
    toys = Registry("toy")
    with pytest.raises(ConfigError, match="there is no toy 'ball'; there are none"):
        toys.find("ball")
    toys.register("ball", 1)
    toys.register("kite", 2)
    assert (toys.find("ball"), toys.names()) == (1, ("ball", "kite"))
    with pytest.raises(ConfigError, match="there is a toy 'ball' already; choose another name"):
        toys.register("ball", 3)
    with pytest.raises(ConfigError, match="there is no toy 'doll'; there are ball, kite"):
        toys.find("doll")


def test_a_kind_has_sentences_of_its_own():
    toys = Registry("toy", dict, taken="two {kind}s {name}", unknown="{name!r} is none of {known}")
    toys.register("ball", 1)
    with pytest.raises(ConfigError, match="two toys ball"):
        toys.register("ball", 1)
    with pytest.raises(ConfigError, match="'doll' is none of ball"):
        toys.find("doll")


def test_its_own_things_come_first_and_are_asked_for_once():
    asked = []
    toys = Registry("toy", lambda: asked.append(1) or {"ball": 1})
    assert not asked
    toys.register("kite", 2)
    assert toys.names() == ("ball", "kite")
    with pytest.raises(ConfigError, match="already"):
        toys.register("ball", 3)
    assert asked == [1]


def test_modules_that_register_theirs_are_imported_for_a_name_that_is_not_known(monkeypatch, tmp_path):
    (tmp_path / "toybox").mkdir()
    made = "from dualres.utils.registry import Registry\nTOYS = Registry('toy', package=__name__)"
    (tmp_path / "toybox" / "__init__.py").write_text(made)
    (tmp_path / "toybox" / "ball.py").write_text("from toybox import TOYS\nTOYS.register('ball', 1)")
    monkeypatch.syspath_prepend(tmp_path)
    from toybox import TOYS

    assert not TOYS
    assert TOYS.find("ball") == 1
    with pytest.raises(ConfigError, match="there is no toy 'doll'; there are ball"):
        TOYS.find("doll")
