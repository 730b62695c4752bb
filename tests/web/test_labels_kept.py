"""What was answered with "saved" is kept, whoever writes to the list at the same time."""

import csv
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

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
