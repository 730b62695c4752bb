from pathlib import Path

import pytest

from dualres.errors import ConfigError
from dualres.web.machine import FACTS, FILE, MachineFile, check_facts

NOTHING = dict.fromkeys(FACTS, "")


def test_facts_are_kept_in_the_folder(tmp_path: Path) -> None:
    assert MachineFile(tmp_path).read() == NOTHING
    MachineFile(tmp_path).write({"speed": " 1797rpm ", "bearing": "6205"})
    assert MachineFile(tmp_path).read() == NOTHING | {"speed": "1797rpm", "bearing": "6205"}


def test_a_fact_that_is_said_leaves_the_others(tmp_path: Path) -> None:
    kept = MachineFile(tmp_path)
    kept.write({"speed": "1797rpm", "gear": None})
    assert kept.write({"bearing": "6205"}) == NOTHING | {"speed": "1797rpm", "bearing": "6205"}
    assert kept.write({"speed": ""}) == kept.read() == NOTHING | {"bearing": "6205"}


@pytest.mark.parametrize(
    "facts", [{"speed": "fast"}, {"bearing": "none such"}, {"orders": "outer=x"}, {"gear": "29"}, {"unit": "furlong"}]
)
def test_what_cannot_be_understood_is_refused_and_not_kept(tmp_path: Path, facts: dict[str, str]) -> None:
    with pytest.raises(ConfigError, match=next(iter(facts))):
        check_facts(facts)
    with pytest.raises(ConfigError):
        MachineFile(tmp_path).write(facts)
    assert not (tmp_path / FILE).exists()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"no json",
        b"[1]",
        b'{"speed": 3, "bearing": ["6205"]}',
        b'{"gear": "a\\u0000b"}',
        b"[" * 100_000,
        b" " * 70_000,
    ],
)
def test_a_file_that_somebody_else_has_spoilt_says_nothing(tmp_path: Path, content: bytes) -> None:
    (tmp_path / FILE).write_bytes(content)
    assert MachineFile(tmp_path).read() == NOTHING
