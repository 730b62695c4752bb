"""A folder as the page knows it: ids, axes, parts, and labels that can be taken back."""

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
import soundfile

from dualres.errors import RecordingError
from dualres.recordings.speed_sources import SpeedSources
from dualres.web.listing import described
from dualres.web.workspace import Workspace
from tests.web.served import Served, folder_of_tones


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return folder_of_tones(tmp_path / "tones", 2, seconds=2.0)


def test_recordings_are_known_by_ids_that_say_nothing_of_paths(folder: Path) -> None:
    page = Workspace(folder)
    first, second = page.entries()
    assert (first.name, second.name) == ("tone0.wav", "tone1.wav")
    assert len(first.id) == 16
    assert page.entry(first.id) == first
    with pytest.raises(RecordingError, match="no such recording"):
        page.entry("tone0.wav")
    facts = page.facts(first)
    assert (facts.seconds, facts.rate, facts.axes, facts.problem) == (2.0, 8000.0, ("channel 1",), "")


def test_all_axes_are_shown_or_those_that_were_chosen(folder: Path) -> None:
    both = np.random.default_rng(0).standard_normal((4000, 2))
    soundfile.write(folder / "two.wav", 0.1 * both, 8000)
    entry = next(one for one in Workspace(folder).entries() if one.name == "two.wav")
    assert Workspace(folder).facts(entry).axes == ("channel 1", "channel 2")
    assert Workspace(folder, channel="2").facts(entry).axes == ("channel 2",)
    assert "no signal called 3" in Workspace(folder, channel="3").facts(entry).problem
    with pytest.raises(RecordingError, match="has 2 axes"):
        Workspace(folder).signal(entry, 2)


def test_a_file_that_says_no_rate_needs_one(folder: Path) -> None:
    np.save(folder / "bare.npy", np.random.default_rng(0).standard_normal(1000))
    entry = Workspace(folder).entries()[0]
    assert "column rate" in Workspace(folder).facts(entry).problem
    assert Workspace(folder, rate=Fraction(500)).facts(entry).seconds == 2.0


def test_a_part_is_shown_from_its_own_begin(folder: Path) -> None:
    page = Workspace(folder)
    page.label(page.entries()[0], {"label": "a"}, (0.5, 1.5))
    part, _ = page.entries()
    assert part.name == "tone0.wav [0.5 s to 1.5 s]"
    assert described(part, page.facts(part))["seconds"] == 1.0
    whole, _ = soundfile.read(folder / "tone0.wav", dtype="float32")
    counts = page.signal(part, 0).pyramid.read(0, 10)
    np.testing.assert_allclose(counts / 32768, whole[4000:4010], atol=1e-6)


def test_changes_are_taken_back_one_by_one_unless_somebody_else_wrote(folder: Path) -> None:
    page = Workspace(folder)
    entry = page.entries()[0]
    page.label(entry, {"label": "a"})
    page.label(entry, {"label": "b", "load": "3"})
    assert page.undo()
    assert (folder / "labels.csv").read_text() == "file,label\ntone0.wav,a\n"
    assert page.undo()
    assert not (folder / "labels.csv").exists()
    assert not page.undo()
    page.label(entry, {"label": "c"})
    (folder / "labels.csv").write_text("file,label\ntone0.wav,mine\n")
    with pytest.raises(RecordingError, match="somebody else"):
        page.undo()
    assert (folder / "labels.csv").read_text() == "file,label\ntone0.wav,mine\n"


def test_what_the_page_itself_writes_is_no_recording(folder: Path) -> None:
    (folder / "models").mkdir()
    np.save(folder / "models" / "x.npy", np.zeros(10))
    assert [one.name for one in Workspace(folder).entries()] == ["tone0.wav", "tone1.wav"]


def test_a_file_whose_name_is_no_text_keeps_no_other_from_being_shown(tmp_path: Path) -> None:
    """Linux allows it, and old archives bring it."""
    folder = folder_of_tones(tmp_path / "tones", 2)
    (folder / "tone0.wav").rename(folder / "tone\udcff.wav")
    with Served(folder) as served:
        other, odd = sorted(served.get("/api/folder")["recordings"], key=lambda one: one["name"])
        assert odd["name"] == "tone\udcff.wav"
        assert odd["problem"] == other["problem"] == ""
        status, said = served.ask("PUT", f"/api/recordings/{odd['id']}/label", {"cells": {"label": "good"}})
        assert (status, "rename the file" in said["error"]) == (400, True)
        assert served.ask("PUT", f"/api/recordings/{other['id']}/label", {"cells": {"label": "good"}})[0] == 200


def test_a_folder_that_is_none_is_said(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match="no such folder"):
        Workspace(tmp_path / "nowhere")


def test_the_speed_is_a_fact_by_the_file_the_list_or_the_command(folder: Path) -> None:
    signal = np.random.default_rng(0).standard_normal(8000)
    np.savez(folder / "turning.npz", signal=signal, fs=4000, rpm=1797)
    page = Workspace(folder, speed="20Hz")

    def facts() -> dict[str, float | None]:
        return {one.name: page.facts(one).speed_rpm for one in page.entries()}

    assert facts() == {"tone0.wav": 1200, "tone1.wav": 1200, "turning.npz": pytest.approx(1797)}
    page.label(page.entries()[0], {"speed": "1500"})
    page.label(page.entries()[2], {"speed": "29.9Hz"})
    assert facts() == {"tone0.wav": 1500, "tone1.wav": 1200, "turning.npz": pytest.approx(1794)}
    assert page.sources.options == ["--speed", "20.0Hz"]
    page = Workspace(folder, speed="none")
    assert set(facts().values()) == {None}


def test_a_tachometer_is_heard_in_the_part_that_is_shown(folder: Path) -> None:
    t = np.arange(16_000) / 4000
    pulses = (((20 * t + t**2) * 8) % 1 < 0.4).astype(float)
    np.savez(folder / "turning.npz", signal=np.random.default_rng(0).standard_normal(len(t)), pulses=pulses, fs=4000)
    page = Workspace(folder, channel="1", speed=SpeedSources(tacho="pulses", pulses=8))
    entry = page.entries()[2]
    assert page.facts(entry).speed_rpm == pytest.approx(1440, rel=5e-3)
    page.label(entry, {"label": "a"}, (2.0, 4.0))
    assert page.facts(page.entries()[2]).speed_rpm == pytest.approx(1560, rel=5e-3)
    assert page.facts(page.entries()[0]).speed_rpm is None, "it has no such channel"
    assert page.sources.options == ["--tacho", "pulses", "--pulses", "8"]


def test_the_speed_is_asked_for_once_more_when_it_is_written(folder: Path) -> None:
    with Served(folder) as served:
        first = served.get("/api/folder")["recordings"][0]
        assert first["speed_rpm"] is None
        assert served.get(f"/api/recordings/{first['id']}/envelope")["lines"] == []
        served.ask("PUT", f"/api/recordings/{first['id']}/label", {"cells": {"speed": "1797rpm"}})
        first = served.get("/api/folder")["recordings"][0]
        assert first["speed_rpm"] == pytest.approx(1797)
        assert [one["hz"] for one in served.get(f"/api/recordings/{first['id']}/envelope")["lines"]]
