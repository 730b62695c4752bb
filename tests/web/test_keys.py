"""A class keeps its key, whatever classes come, and on every page of a folder."""

import json
from pathlib import Path

import pytest

from dualres.errors import ConfigError
from dualres.web.keys import FILE, KEYS, ClassKeys


def test_a_class_keeps_its_key_when_others_come_and_go(tmp_path: Path) -> None:
    keys = ClassKeys(tmp_path)
    assert keys.of(["inner", "good"]) == {"good": "1", "inner": "2"}
    assert keys.of(["ball", "good"]) == {"good": "1", "inner": "2", "ball": "3"}
    assert not (tmp_path / FILE).exists()  # who only looks writes nothing
    keys.keep()
    assert ClassKeys(tmp_path).of(["all", "inner"])["inner"] == "2"
    many = ClassKeys(tmp_path).of(f"class {number:02}" for number in range(40))
    assert len(many) == len(set(many.values())) == len(KEYS)


def test_a_chosen_key_is_swapped_with_who_has_it(tmp_path: Path) -> None:
    keys = ClassKeys(tmp_path)
    keys.of(["good", "inner"])
    assert keys.choose("inner", "1") == {"good": "2", "inner": "1"}
    assert keys.choose("inner", "x") == {"good": "2", "inner": "x"}
    assert keys.choose("new", "2") == {"good": "1", "inner": "x", "new": "2"}
    assert ClassKeys(tmp_path).of([]) == {"good": "1", "inner": "x", "new": "2"}
    for key in ("u", "j", "", "12", "é"):
        with pytest.raises(ConfigError, match="is no key for a class"):
            keys.choose("good", key)


def test_two_pages_agree_and_a_file_that_says_nothing_is_passed_over(tmp_path: Path) -> None:
    one, other = ClassKeys(tmp_path), ClassKeys(tmp_path)
    one.of(["good"])
    other.of(["bad"])
    one.keep()
    other.keep()
    assert json.loads((tmp_path / FILE).read_text()) == other.of([]) == {"good": "1", "bad": "2"}
    for content in ("{", "[]", '{"a": 1, "b": "12", "c": "u"}', "[" * 5000):
        (tmp_path / FILE).write_text(content)
        assert ClassKeys(tmp_path).of([]) == {}


def test_a_folder_that_cannot_be_written_has_keys_all_the_same(tmp_path: Path) -> None:
    keys = ClassKeys(tmp_path / "gone")
    assert keys.of(["good"]) == {"good": "1"}
    keys.keep()
    assert keys.of(["good"]) == {"good": "1"}
