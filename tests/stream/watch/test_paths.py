from pathlib import Path

import pytest

from dualres.errors import ConfigError
from dualres.stream.watch import paths as state


def test_the_same_model_and_sources_have_the_same_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    model = tmp_path / "pump.safetensors"
    one = state.default_folder(model, ["a"], (1, 1))
    assert one == state.default_folder(model, ["a"], (1, 1))
    others = [(model, ["b"], (1, 1)), (model, ["a"], (1, 2)), (tmp_path / "x" / model.name, ["a"], (1, 1))]
    assert one not in {state.default_folder(*other) for other in others}
    assert one.is_relative_to(tmp_path / "dualres" / "watch")
    assert one.name.startswith("pump-")
    monkeypatch.delenv("XDG_STATE_HOME")
    assert state.default_folder(model, ["a"], (1, 1)).is_relative_to(Path.home())


def test_names_that_are_no_text_have_a_folder_too(tmp_path):
    one, other = (state.default_folder(tmp_path / "m\udcfe", [name], (1, 1)) for name in ("a\udcff", "a"))
    assert one != other
    assert state.default_group(one).isascii()


def test_another_model_of_the_same_name_begins_anew(tmp_path):
    model = tmp_path / "pump.safetensors"
    model.write_bytes(b"one")
    first = state.spool_in(tmp_path, model, 5.0)
    assert first == state.spool_in(tmp_path, model, 5.0)
    assert first != state.spool_in(tmp_path, model, 2.0)
    assert first != state.spool_in(tmp_path, model, 5.0, speedless=True)
    assert first != state.spool_in(tmp_path, model, 5.0, carry_memory=True)
    model.write_bytes(b"two")
    assert first != state.spool_in(tmp_path, model, 5.0)


def test_sizes_shards_and_conditions_are_read():
    sizes = {"1M": 1 << 20, "500 MB": 500 << 20, "2GiB": 2 << 30, "1.5g": 3 << 29}
    assert {text: state.parsed_quota(text) for text in sizes} == sizes
    assert state.parsed_shard("2/3") == (2, 3)
    assert state.parsed_condition(["load=3,speed=1500", "site=a=b"]) == {"load": "3", "speed": "1500", "site": "a=b"}


@pytest.mark.parametrize("text", ["", "12", "-1G", "1 potato", "0/2", "3/2", "1", "1/0"])
def test_odd_sizes_and_shards_are_refused(text):
    with pytest.raises(ConfigError, match="--quota"):
        state.parsed_quota(text)
    with pytest.raises(ConfigError, match="--shard"):
        state.parsed_shard(text)
