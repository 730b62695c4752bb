"""What the page says of its own calls, and that none of them breaks whatever it is called with."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dualres.errors import ConfigError
from dualres.web.endpoints import LONGEST, Field
from tests.web.served import Served, folder_of_tones

sys.path.insert(0, str(Path(__file__).parents[2] / "stress"))
from page import attempts, told_of

sys.path.pop(0)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with Served(folder_of_tones(tmp_path_factory.mktemp("calls") / "tones")) as one:
        yield one


def test_every_call_is_described(served: Served) -> None:
    described = served.get("/api/openapi.json")
    calls = {(method.upper(), path) for path, methods in described["paths"].items() for method in methods}
    assert calls == {(call.method, call.path) for call in served.page.api.endpoints()}
    label = described["paths"]["/api/recordings/{id}/label"]["put"]
    assert label["requestBody"]["content"]["application/json"]["schema"]["required"] == ["cells"]


def test_no_generated_call_is_more_than_the_page_can_bear(served: Served) -> None:
    described = served.get("/api/openapi.json")
    known = {"id": [one["id"] for one in served.get("/api/folder")["recordings"]]}
    broken = [told_of(call, status) for call in attempts(described, known, seed=1, count=250)
              if (status := served.ask(call.method, call.target, call.body)[0]) >= 500]  # fmt: skip
    assert broken == []


NUMBER = Field("n", float, "a number", 0.0, 0, 10)
TAKEN = [("1", 1.0), (2, 2.0), (None, 0.0), ("10", 10.0)]


@pytest.mark.parametrize(("given", "found"), TAKEN)
def test_an_argument_is_read_as_what_it_is(given: Any, found: float) -> None:
    assert NUMBER.taken({"n": given}) == found


@pytest.mark.parametrize("given", ["x", "nan", "inf", "11", -1, True, [], {}, "1" * 400])
def test_an_argument_of_another_kind_is_refused(given: Any) -> None:
    with pytest.raises(ConfigError, match="n "):
        NUMBER.taken({"n": given})


def test_what_must_be_given_is_asked_for() -> None:
    with pytest.raises(ConfigError, match="name is missing"):
        Field("name", str, "of a file").taken({})
    with pytest.raises(ConfigError, match="printable"):
        Field("name", str, "of a file").taken({"name": "x" * (LONGEST + 1)})
    with pytest.raises(ConfigError, match="none of a, b"):
        Field("kind", str, "which", choices=("a", "b")).taken({"kind": "c"})
