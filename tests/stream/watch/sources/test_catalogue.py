import pytest

from dualres.errors import ConfigError
from dualres.stream.watch.sources.catalogue import source_of
from dualres.stream.watch.sources.growing_file import GrowingFile
from dualres.stream.watch.sources.pipe import Pipe
from dualres.stream.watch.sources.recordings_folder import RecordingsFolder
from tests.stream.watch.sources.collected import options


def test_a_source_goes_by_what_it_is(tmp_path):
    (tmp_path / "a.raw").write_bytes(b"")
    assert isinstance(source_of("-", options()), Pipe)
    assert isinstance(source_of(str(tmp_path), options()), RecordingsFolder)
    assert isinstance(source_of(str(tmp_path / "a.raw"), options()), GrowingFile)


@pytest.mark.parametrize("text", ["ftp://host/x", "nowhere.raw"])
def test_others_are_refused(text):
    with pytest.raises(ConfigError, match="udp, serial, mqtt"):
        source_of(text, options())
