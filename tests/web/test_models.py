"""Models and verdicts of the page, without a server."""

import os
from collections import Counter
from pathlib import Path

import pytest

from dualres.errors import ModelFileError
from dualres.judge import model as judging
from dualres.judge.model import Model, save
from dualres.model_file.file import FORMAT
from dualres.model_file.integrity import seal
from dualres.recordings.formats.sandbox import Guard
from dualres.recordings.labels.read import rows_below
from dualres.recordings.speed import Speed
from dualres.web.models import Judging
from dualres.web.workspace import Workspace
from tests.model.made_orders import made_orders
from tests.model.made_views import made_views
from tests.models import model_of
from tests.web.served import folder_of_tones


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three labelled tones and a model of their classes."""
    folder = folder_of_tones(tmp_path / "tones")
    rows = "".join(f"tone{number}.wav,{label}\n" for number, label in enumerate(("a", "b", "b")))
    (folder / "labels.csv").write_text(f"file,label\n{rows}")
    (folder / "models").mkdir()
    save(model_of(made_views(2), ("a", "b")), folder / "models" / "m.safetensors")
    return folder


@pytest.fixture
def asked(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often each file was read."""
    count, extract = Counter[str](), Guard.extract

    def counting(self: Guard, path: Path, *rest: object, **more: object) -> object:
        count[path.name] += 1
        return extract(self, path, *rest, **more)

    monkeypatch.setattr(Guard, "extract", counting)
    return count


def reasons(judging: Judging, workspace: Workspace, name: str = "tone0.wav") -> dict[str, object]:
    (entry,) = (one for one in workspace.entries() if one.name == name)
    return judging.reasons("m", entry, axis=0, speed="", bearing="", gear="")


def test_a_click_reads_no_labelled_file_again(folder: Path, asked: Counter[str]) -> None:
    workspace = Workspace(folder)
    page = Judging(workspace)
    first = reasons(page, workspace)
    assert set(asked) == {f"tone{number}.wav" for number in range(3)}
    asked.clear()
    assert reasons(page, workspace) == first
    assert set(asked) == {"tone0.wav"}


def test_what_changed_is_read_again(folder: Path, asked: Counter[str]) -> None:
    workspace = Workspace(folder)
    page = Judging(workspace)
    before = {one["file"]: one["distance"] for one in reasons(page, workspace)["nearest"]}
    (folder / "tone1.wav").write_bytes((folder / "tone0.wav").read_bytes())
    os.utime(folder / "tone1.wav", ns=(1, 1))
    asked.clear()
    after = {one["file"]: one["distance"] for one in reasons(page, workspace)["nearest"]}
    assert asked["tone1.wav"]
    assert not asked["tone2.wav"]
    assert after["tone1.wav"] < before["tone1.wav"]
    (folder / "labels.csv").write_text("file,label\ntone2.wav,a\n")
    assert {one["file"]: one["label"] for one in reasons(page, workspace)["nearest"]} == {"tone2.wav": "a"}


def test_orders_are_told_at_the_speed_that_is_stated(folder: Path) -> None:
    save(model_of(made_orders(2), ("a", "b")), folder / "models" / "m.safetensors")
    (folder / "labels.csv").write_text("file,label,rpm\ntone0.wav,a,1500\ntone1.wav,b,\n")
    workspace = Workspace(folder)
    page = Judging(workspace)
    (entry,) = (one for one in workspace.entries() if one.name == "tone0.wav")
    listed = reasons(page, workspace)
    assert (listed["axis"], listed["speed"]["rpm"]) == ("orders", pytest.approx(1500, rel=0.06))
    stated = page.reasons("m", entry, axis=0, speed="1800rpm", bearing="6205", gear="")
    assert stated["speed"]["rpm"] == pytest.approx(1800, rel=0.06)
    assert any("BPFO of 6205" in band["words"] for band in stated["bands"])


def test_a_comparator_judges_where_the_command_line_lets_it(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = model_of(made_views(2), ("a", "b"))
    card = {**model.card.as_data(), "method": "minirocket", "constants": {}, "cost": {}}
    (folder / "models" / "other.safetensors").write_bytes(seal(FORMAT, card, [[0.0]], {}))
    page, read = Judging(Workspace(folder)), list[Path]()
    monkeypatch.setattr(judging, "_comparators", [])
    with pytest.raises(ModelFileError, match=r"dualres\.bench\.methods\.load reads it"):
        page.model("other")

    def loader(path: Path) -> Model:
        read.append(path)
        return model

    judging.read_comparators_by(loader)
    assert page.model("other") is model
    assert read == [page.path("other")]


def test_another_condition_of_a_labelled_file_is_read_again(folder: Path) -> None:
    workspace = Workspace(folder)
    page = Judging(workspace)
    reasons(page, workspace)
    (folder / "labels.csv").write_text("file,label,load,speed\ntone1.wav,b,full,1500\n")
    (row,) = rows_below(folder)
    one, _ = page._labelled.read(row, None, None)
    assert (one.condition, one.speed) == ({"load": "full", "speed": "1500"}, Speed.of_rpm(1500))
