import threading

import pytest

from dualres.errors import ConfigError
from dualres.stream.watch.sources.pipe import Pipe
from dualres.stream.watch.sources.source import SourceOptions


def test_a_closed_standard_input_is_told(monkeypatch):
    monkeypatch.setattr("sys.stdin", None)
    with pytest.raises(ConfigError, match="standard input is closed"):
        Pipe("-", SourceOptions(None)).run(print, print, threading.Event(), {})
