"""What was answered with "saved" is kept, whoever writes to the list at the same time."""

import csv
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.web.served import Served, folder_of_tones

UPLOADS = 16


def test_a_listed_file_that_is_missing_costs_its_own_row(tmp_path: Path) -> None:
    folder = folder_of_tones(tmp_path / "tones", 2)
    (folder / "labels.csv").write_text("file,label\ntone0.wav,good\ngone.wav,bad\ntone1.wav,bad\n")
    with Served(folder) as served:
        found = {one["name"]: one for one in served.get("/api/folder")["recordings"]}
        assert found["gone.wav"]["problem"].startswith("cannot be read (No such file")
        assert [found[f"tone{number}.wav"]["problem"] for number in range(2)] == ["", ""]
        one = found["tone0.wav"]["id"]
        assert served.ask("PUT", f"/api/recordings/{one}/label", {"cells": {"label": "worn"}})[0] == 200
    assert labels_in(folder) == {"tone0.wav": "worn", "gone.wav": "bad", "tone1.wav": "bad"}


def labels_in(folder: Path) -> dict[str, str]:
    with (folder / "labels.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    found = {row["file"]: row["label"] for row in rows}
    assert len(found) == len(rows), "no file is listed twice"
    return found


def test_files_of_one_name_that_are_dropped_at_once_are_all_kept(tmp_path: Path) -> None:
    folder = folder_of_tones(tmp_path / "tones", 1)
    content = (folder / "tone0.wav").read_bytes()
    with Served(folder) as served, ThreadPoolExecutor(UPLOADS) as pool:
        answers = list(pool.map(lambda _: served.ask("POST", "/api/recordings?name=x.wav", content), range(UPLOADS)))
    assert [status for status, _ in answers] == [200] * UPLOADS
    kept = {f"dropped/x{f'-{number}' if number > 1 else ''}.wav" for number in range(1, UPLOADS + 1)}
    assert {said["name"] for _, said in answers} == kept
    assert labels_in(folder).keys() == kept
    assert all((folder / name).read_bytes() == content for name in kept)


def test_no_label_is_lost_while_files_are_dropped_on_two_pages_of_one_folder(tmp_path: Path) -> None:
    folder = folder_of_tones(tmp_path / "tones", 8)
    content = (folder / "tone0.wav").read_bytes()
    with Served(folder) as one, Served(folder) as other, ThreadPoolExecutor(8) as pool:
        ids = {each["name"]: each["id"] for each in one.get("/api/folder")["recordings"]}

        def label(number: int) -> int:
            page, where = (one, other)[number % 2], f"/api/recordings/{ids[f'tone{number}.wav']}/label"
            return page.ask("PUT", where, {"cells": {"label": f"l{number}"}})[0]

        def drop(number: int) -> int:
            return (one, other)[number % 2].ask("POST", f"/api/recordings?name=d{number}.wav", content)[0]

        done = [pool.submit(each, number) for number in range(8) for each in (label, drop)]
        assert {each.result() for each in done} == {200}
    wanted = {f"tone{number}.wav": f"l{number}" for number in range(8)}
    found = labels_in(folder)
    assert {name: found[name] for name in wanted} == wanted
    assert {f"dropped/d{number}.wav" for number in range(8)} <= found.keys()


def test_a_cell_that_somebody_else_has_changed_is_told_and_kept(tmp_path: Path) -> None:
    folder = folder_of_tones(tmp_path / "tones", 2)
    with Served(folder) as one, Served(folder) as other:
        recording = one.get("/api/folder")["recordings"][0]
        where = f"/api/recordings/{recording['id']}/label"
        assert other.ask("PUT", where, {"cells": {"label": "worn"}, "seen": {"label": ""}})[0] == 200
        status, said = one.ask("PUT", where, {"cells": {"label": "good"}, "seen": {"label": ""}})
        assert (status, said["error"]) == (
            409,
            "tone0.wav: somebody else has changed label from '' to 'worn'; nothing was saved, look at it again",
        )
        assert labels_in(folder) == {"tone0.wav": "worn"}
        (seen, _) = one.get("/api/folder")["recordings"]
        assert one.ask("PUT", where, {"cells": {"label": "good"}, "seen": {"label": seen["label"]}})[0] == 200
    assert labels_in(folder) == {"tone0.wav": "good"}


BAD_ROWS = (
    ("tone1.wav,bad,soon", "tone1.wav: start_s 'soon' is no number"),
    ("../tone1.wav,bad,", "../tone1.wav lies outside the folder"),
    ("tone0.wav,bad,", "tone0.wav is already listed in line 2"),
    ("tone1.wav,bad,,4", "has more cells than the header has columns"),
    (",bad,", "the column file is needed"),
    (f"{'x' * 300}.wav,bad,", "cannot be read (File name too long)"),
)


@pytest.mark.parametrize(("row", "problem"), BAD_ROWS, ids=[row[:12] for row, _ in BAD_ROWS])
def test_a_bad_row_costs_that_row(tmp_path: Path, row: str, problem: str) -> None:
    folder = folder_of_tones(tmp_path / "tones", 3)
    before = f"file,label,start_s\ntone0.wav,good,\n{row}\n"
    (folder / "labels.csv").write_text(before)
    with Served(folder) as served:
        found = {one["name"]: one for one in served.get("/api/folder")["recordings"]}
        (bad,) = (one for one in found.values() if one["problem"])
        assert bad["problem"].startswith(problem)
        assert found["tone0.wav"]["label"] == "good"
        assert served.ask("GET", f"/api/recordings/{bad['id']}/wave")[0] == 400
        one = found["tone2.wav"]["id"]
        assert served.ask("PUT", f"/api/recordings/{one}/label", {"cells": {"label": "worn"}})[0] == 200
    assert (folder / "labels.csv").read_text() == f"{before}tone2.wav,worn,\n"


def test_of_a_dropped_file_that_is_refused_nothing_stays(tmp_path: Path) -> None:
    folder = folder_of_tones(tmp_path / "tones", 1)
    content = (folder / "tone0.wav").read_bytes()
    (folder / "labels.csv").write_text("file,label,label\n")
    with Served(folder) as served:
        status, said = served.ask("POST", "/api/recordings?name=x.wav", content)
    assert (status, "column label stands there twice" in said["error"]) == (400, True)
    assert list((folder / "dropped").iterdir()) == []
