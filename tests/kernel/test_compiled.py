import ctypes
import tomllib
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from dualres.errors import ConfigError
from dualres.kernel import compiled
from tests.kernel.symbols import defined


def test_the_setting_chooses_among_what_the_processor_can_do(monkeypatch):
    if compiled.variant() is None:
        pytest.skip("the compiled library is not built")
    monkeypatch.setenv(compiled.SETTING, "baseline")
    assert compiled.variant() == "baseline"
    assert compiled.function("dualres_scratch", [], ctypes.c_size_t)() > 0
    monkeypatch.setenv(compiled.SETTING, "sse9")
    with pytest.raises(ConfigError, match=r"DUALRES_KERNEL=sse9.*baseline.*off"):
        compiled.variant()


def test_it_can_be_switched_off(monkeypatch):
    monkeypatch.setenv(compiled.SETTING, compiled.OFF)
    assert compiled.variant() is None
    assert compiled.function("dualres_scratch", [], ctypes.c_size_t) is None


def look_again() -> None:
    compiled.able.cache_clear()
    compiled._library.cache_clear()


@pytest.mark.parametrize("header", ["#define DUALRES_INTERFACE {another}\n", "no number\n", None])
def test_a_library_from_another_state_of_the_source_is_not_used(monkeypatch, tmp_path, header):
    if compiled.variant() is None:
        pytest.skip("the compiled library is not built")
    monkeypatch.setattr(compiled, "HEADER", tmp_path / "dualres_kernel.h")
    if header is not None:
        another = compiled._interface_of(compiled._library()) + 1
        compiled.HEADER.write_text(header.format(another=another))
    look_again()
    try:
        with pytest.warns(RuntimeWarning, match=r"another state of the source.*make setup") as caught:
            assert compiled.able() == ()
        assert len(caught) == 1
        assert compiled.variant() is None  # and no second warning, which would be an error here
        assert compiled.function("dualres_scratch", [], ctypes.c_size_t) is None
    finally:
        look_again()


def test_a_library_answers_with_the_header_s_number():
    number = compiled._interface_in(compiled.HEADER)
    assert number is not None
    if compiled.variant():
        assert compiled._interface_of(compiled._library()) == number
    # One older than the number has none.
    assert compiled._interface_of(ctypes.pythonapi) is None


def test_every_name_in_the_library_begins_with_the_prefix():
    found = find_spec("dualres.kernel._compiled")
    if found is None or Path(found.origin).read_bytes()[:4] != b"\x7fELF":
        pytest.skip("the compiled library is not built, or is no ELF file")
    names = defined(found.origin, "-D")
    assert {name for name in names if not name.startswith("dualres_")} == {"PyInit__compiled"}
    assert {f"dualres_windows_{variant}" for variant in compiled.able()} <= {*names}


def test_a_build_depends_on_every_file_in_c():
    root = Path(__file__).parents[2]
    settings = tomllib.loads((root / "pyproject.toml").read_text())["tool"]["setuptools"]["ext-modules"][0]
    there = {str(path.relative_to(root)) for path in (root / "src/dualres/kernel").glob("*.[ch]")}
    assert {*settings["sources"], *settings["depends"]} == there


@pytest.mark.parametrize("count", [1, 17, 1000])
def test_memory_begins_with_a_line_of_the_cache(count):
    several = [compiled.aligned(count) for _ in range(5)]
    assert all(len(room) == count and room.ctypes.data % 64 == 0 for room in several)


def test_an_array_s_address_is_where_it_begins():
    room = np.zeros((4, 8), np.float32)
    assert compiled.address(room) == room.ctypes.data
    assert compiled.address(room[1:]) == room.ctypes.data + 32
    room.flags.writeable = False
    with pytest.raises(TypeError, match="writable"):
        compiled.address(room)
