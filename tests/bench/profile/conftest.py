import pytest


@pytest.fixture(scope="session")
def kept_signals(tmp_path_factory):
    """What is computed of the rig's recordings once, for all tests here."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="session")
def bench(tmp_path_factory, kept_signals):
    """Makes folders for a ledger and what lies beside it."""

    def make():
        folder = tmp_path_factory.mktemp("bench")
        (folder / "cache").symlink_to(kept_signals)
        return folder

    return make
