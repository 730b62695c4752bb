from functools import cache

import pytest

from dualres.export.c99 import write_c99
from dualres.export.layouts.catalogue import FLAT, LAYOUTS
from tests.export.conftest import made_model

FORMS = [name for name in LAYOUTS if name != FLAT.name]


@pytest.fixture(scope="session")
def unchecked(tmp_path_factory):
    """Exports by layout, of one small model, that nobody compiled; each is made when it is first asked for."""

    @cache
    def get(name):
        folder = tmp_path_factory.mktemp(name) / "board"
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("CC", "no-such-compiler")
            return write_c99(made_model(), folder, 12_800, layout=name, unchecked=True).folder

    return get
