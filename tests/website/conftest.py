import json
from pathlib import Path

import pytest

from tests.scripts import tool

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def site(tmp_path_factory) -> Path:
    """The site of this repository."""
    folder = tmp_path_factory.mktemp("site") / "site"
    tool("website.build").build(ROOT, folder, {"speed history": tool("speed_plots").plots})
    return folder


def search_index(site: Path) -> list[list[str]]:
    """Address, anchor, title, document and text of all that search knows."""
    script = (site / "search-index.js").read_text()
    return json.loads(script.removeprefix("window.searchIndex = ").removesuffix(";\n"))
