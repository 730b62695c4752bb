import ctypes

import pytest

from dualres.errors import ConfigError
from dualres.kernel import compiled


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
