"""Modules from outside that add to this package."""

import subprocess
import sys
from importlib.metadata import EntryPoint

import pytest

from dualres.errors import ConfigError
from dualres.plugins import VARIABLE, load_plugins


@pytest.fixture(autouse=True)
def fresh(monkeypatch, tmp_path):
    """Nothing is loaded, and modules in `tmp_path` can be."""
    load_plugins.cache_clear()
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delenv(VARIABLE, raising=False)
    yield
    load_plugins.cache_clear()
    for name in ("first_plugin", "second_plugin", "broken_plugin"):
        sys.modules.pop(name, None)


def test_modules_that_the_variable_names_are_imported_once(monkeypatch, tmp_path):
    for name in ("first_plugin", "second_plugin"):
        (tmp_path / f"{name}.py").write_text("print(__name__)")
    monkeypatch.setenv(VARIABLE, "first_plugin, second_plugin,")
    load_plugins()
    assert "second_plugin" in sys.modules
    del sys.modules["first_plugin"]
    load_plugins()
    assert "first_plugin" not in sys.modules


def test_entry_points_are_imported(monkeypatch, tmp_path):
    (tmp_path / "first_plugin.py").write_text("")
    point = EntryPoint("any", "first_plugin", "dualres.plugins")
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: [point] if group == "dualres.plugins" else [])
    load_plugins()
    assert "first_plugin" not in sys.modules, "no package says that it has one"
    load_plugins.cache_clear()
    (tmp_path / "some-1.dist-info").mkdir()
    (tmp_path / "some-1.dist-info" / "entry_points.txt").write_text("[dualres.plugins]\nany = first_plugin\n")
    load_plugins()
    assert "first_plugin" in sys.modules


@pytest.mark.parametrize("code", ["1 / 0", "import nowhere_to_be_found", "not Python"])
def test_a_plugin_that_fails_is_named_with_a_way_out(monkeypatch, tmp_path, code):
    (tmp_path / "broken_plugin.py").write_text(code)
    monkeypatch.setenv(VARIABLE, "broken_plugin")
    with pytest.raises(ConfigError, match=f"plugin broken_plugin cannot be loaded .*; .* out of {VARIABLE}"):
        load_plugins()
    with pytest.raises(ConfigError, match="broken_plugin"):  # and not only the first time
        load_plugins()


def test_the_command_line_says_so_in_one_sentence(monkeypatch, tmp_path):
    monkeypatch.setenv(VARIABLE, "broken_plugin")
    ended = subprocess.run([sys.executable, "-m", "dualres.cli", "data", "list"], capture_output=True, text=True)
    assert ended.returncode == 2
    assert "plugin broken_plugin cannot be loaded" in " ".join(ended.stderr.split())
    assert "Traceback" not in ended.stderr
