"""Many recordings are judged by one request, and told as they come."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import soundfile

from dualres.judge.model import save
from dualres.web.models import Judging
from tests.explain.made_knocks import ORDERS, RATE, knocking
from tests.model.made_views import made_views
from tests.models import model_of
from tests.web.served import Served, folder_of_tones


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("model") / "m.safetensors"
    save(model_of(made_views(2), ("a", "b")), path)
    return path.read_bytes()


@pytest.fixture
def folder(tmp_path: Path, model: bytes) -> Path:
    folder = folder_of_tones(tmp_path / "tones", 4)
    (folder / "broken.wav").write_bytes(b"no sound")
    (folder / "models").mkdir()
    (folder / "models" / "m.safetensors").write_bytes(model)
    return folder


@pytest.fixture
def served(folder: Path) -> Iterator[Served]:
    with Served(folder) as one:
        yield one


def all_judged(served: Served) -> dict[str, dict[str, Any]]:
    """By id, taken in pieces as a page takes them."""
    found, known, end = dict[str, dict[str, Any]](), 0, time.monotonic() + 60
    while True:
        told = served.get(f"/api/verdicts?model=m&since={known}")
        found |= {one.pop("id"): one for one in told["verdicts"]}
        known = told["known"]
        if not told["running"]:
            return found
        assert time.monotonic() < end
        time.sleep(0.01)


def test_verdicts_on_all_are_those_on_each(served: Served) -> None:
    assert served.get("/api/verdicts?model=m")["verdicts"] == []
    assert served.ask("POST", "/api/verdicts", {"model": "m"})[0] == 200
    found = all_judged(served)
    rows = {one["id"]: one["name"] for one in served.get("/api/folder")["recordings"]}
    assert found.keys() == rows.keys()
    for id, said in found.items():
        alone = served.get(f"/api/verdicts/{id}?model=m")
        if "error" in said:
            assert (rows[id], said["error"]) == ("broken.wav", alone["error"])
        else:
            assert said == {name: alone[name] for name in said}
            assert {"verdict", "probability"} <= said.keys()


def test_only_what_changed_is_judged_again(served: Served, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    judged, whole = list[str](), Judging.verdict

    def watched(self: Judging, name: str, entry: Any) -> dict[str, Any]:
        judged.append(entry.name)
        return whole(self, name, entry)

    monkeypatch.setattr(Judging, "verdict", watched)
    ids = {one["name"]: one["id"] for one in served.get("/api/folder")["recordings"]}
    served.ask("POST", "/api/verdicts", {"model": "m", "ids": [ids["tone1.wav"]]})
    assert all_judged(served).keys() == {ids["tone1.wav"]}
    served.ask("POST", "/api/verdicts", {"model": "m"})
    assert len(all_judged(served)) == 5
    (folder / "tone2.wav").write_bytes((folder / "tone0.wav").read_bytes())
    served.ask("POST", "/api/verdicts", {"model": "m"})
    all_judged(served)
    assert sorted(judged) == sorted([*ids, "tone2.wav"])


def test_it_can_be_stopped_and_goes_on(served: Served) -> None:
    served.ask("POST", "/api/verdicts", {"model": "m"})
    assert served.ask("DELETE", "/api/verdicts")[0] == 200
    before = all_judged(served)
    served.ask("POST", "/api/verdicts", {"model": "m"})
    after = all_judged(served)
    assert len(after) == 5
    assert before.items() <= after.items()


@pytest.mark.exhaustive
def test_a_fit_knows_the_geometry_that_was_stated(tmp_path: Path) -> None:
    rows = ["file,label"]
    for seed in range(4):
        name, label = f"r{seed}.wav", "knocks" if seed < 2 else "quiet"
        soundfile.write(
            tmp_path / name, 0.05 * knocking(25.0, seed, knocks=seed < 2)[: 2 * RATE], RATE, subtype="FLOAT"
        )
        rows.append(f"{name},{label}")
    (tmp_path / "labels.csv").write_text("\n".join(rows) + "\n")
    stated = {"orders": ORDERS, "faults": {"knocks": "outer", "quiet": "none"}, "labelled_only": True}
    with Served(tmp_path) as served:
        status, told = served.ask("POST", "/api/fits", {"name": "m", "held_out": "recording", **stated})
        assert status == 200, told
        end = time.monotonic() + 120
        while (command := served.get("/api/commands")[0])["state"] == "running":
            assert time.monotonic() < end
            time.sleep(0.05)
        assert command["state"] == "done", command["messages"]
        (card,) = served.get("/api/models")
        first = served.get("/api/folder")["recordings"][0]["id"]
        said = served.get(f"/api/verdicts/{first}?model=m")["geometry"]
    assert card["geometry"][0].startswith("knocks: template of the outer race, weight 0.5 by 2 labelled")
    assert (said["classes"]["knocks"]["part"], said["classes"]["knocks"]["labelled_recordings"]) == ("outer race", 2)


def test_a_model_that_is_not_there_is_one_error(served: Served) -> None:
    status, told = served.ask("POST", "/api/verdicts", {"model": "gone"})
    assert (status, "there is no model 'gone'" in told["error"]) == (400, True)
    assert not served.get("/api/verdicts?model=gone")["running"]
