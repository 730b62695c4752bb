"""The way through the page is walked to its end; how long it takes is not a test's business."""

from pathlib import Path

import pytest

from tests.scripts import script

pytestmark = pytest.mark.browser


def test_every_step_is_taken_and_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page_walk = script("speed", "page_walk")
    monkeypatch.setattr(page_walk, "OWN", 3)
    monkeypatch.setattr(page_walk, "KEYS", 2)
    folder = page_walk.written(tmp_path / "rig", 12)
    taken = page_walk.walk(folder, 390, tmp_path / "profile", None)
    assert [name.split(" ")[0] for name in taken] == [
        "open", "label", "label", "component", "fit", "judge", "correct", "export",
    ]  # fmt: skip
    assert all(seconds > 0 for seconds in taken.values())
    rows = (folder / "labels.csv").read_text().splitlines()
    assert rows[0] == "file,label,component,load"
    labelled = [row.split(",")[1] for row in rows[1:] if row.split(",")[1]]
    assert sorted(labelled) == ["good"] * 3 + ["inner"] * 3 + ["outer"] * 2  # one by correcting a verdict
    assert (folder / "models" / "model-1.safetensors").is_file()
