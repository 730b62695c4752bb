import os
import stat
from contextlib import contextmanager

import pytest

from dualres.stream.watch.spool import Spool, SpoolError

pytestmark = pytest.mark.skipif(os.name != "posix", reason="folders have no such rights there")


def mode(path):
    return oct(stat.S_IMODE(path.stat().st_mode))


@contextmanager
def usual_rights():
    before = os.umask(0o022)
    yield
    os.umask(before)


def modes_beside(folder, name="s.sqlite"):
    with usual_rights(), Spool(folder / name):
        return {mode(one) for one in folder.glob(f"{name}*")}


def test_what_is_made_is_the_users_alone(tmp_path):
    folder = tmp_path / "dualres" / "watch" / "pump"
    assert modes_beside(folder) == {"0o600"}
    assert {mode(one) for one in (folder, folder.parent, folder.parent.parent)} == {"0o700"}


def test_so_is_what_was_there_before(tmp_path):
    folder = tmp_path / "state"
    modes_beside(folder)
    folder.chmod(0o755)
    for one in folder.iterdir():
        one.chmod(0o644)
    assert modes_beside(folder) == {"0o600"}
    assert mode(folder) == "0o700"


def test_a_folder_for_other_things_keeps_its_rights(tmp_path):
    folder = tmp_path / "plant"
    folder.mkdir(mode=0o755)
    (folder / "labels.csv").write_text("")
    assert modes_beside(folder) == {"0o600"}
    assert mode(folder) == "0o755"


def test_a_link_in_the_place_of_a_spool_is_not_followed(tmp_path):
    (tmp_path / "state").mkdir()
    (tmp_path / "state" / "s.sqlite").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(SpoolError, match="links"):
        Spool(tmp_path / "state" / "s.sqlite")
    assert not (tmp_path / "elsewhere").exists()
