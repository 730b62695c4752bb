"""Labels by calls: answers tell what changed, many are one change, and a pattern shows what it would write."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.web.served import Served, folder_of_tones

LIST = "file,label,component,load\ntone0.wav,good,b1,1\ntone1.wav,,b2,\n"


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    folder = folder_of_tones(tmp_path / "tones", 4)
    (folder / "labels.csv").write_text(LIST)
    with Served(folder) as one:
        yield one


def listed(served: Served) -> str:
    return (served.page.api.workspace.folder / "labels.csv").read_text()


def known(found: dict[str, Any]) -> dict[str, Any]:
    return {"since": found["version"], "epoch": found["epoch"]}


def query(found: dict[str, Any]) -> str:
    return f"since={found['version']}&epoch={found['epoch']}"


def rows(found: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """As the page understands columns."""
    columns = found["rows"]
    return {
        name: {
            "id": columns["id"][at],
            "label": columns["label"][at],
            "component": columns["component"][at],
            "condition": {key: cells[at] for key, cells in columns["condition"].items() if cells[at] is not None},
            "seconds": columns["seconds"][at],
            "axes": columns["axes"][columns["axis"][at]],
            "problem": columns["problem"][at],
        }
        for at, name in enumerate(columns["name"])
    }


def once_read(served: Served) -> dict[str, Any]:
    """Everything, once all files were looked at."""
    end = time.monotonic() + 60
    while None in (found := served.get("/api/changes"))["rows"]["problem"]:
        assert time.monotonic() < end
        time.sleep(0.02)
    return found


def test_the_list_is_what_the_folder_says_of_each_recording(served: Served) -> None:
    found = once_read(served)
    assert found["all"] is True
    whole = {one["name"]: one for one in served.get("/api/folder")["recordings"]}
    assert [*rows(found)] == [*whole]
    for name, row in rows(found).items():
        assert row == {key: whole[name][key] for key in row}
    assert (found["models"], found["campaign"], found["links"], found["keys"]) == ([], False, 0, {"good": "1"})


def test_a_label_is_answered_by_the_row_that_changed(served: Served) -> None:
    first = served.get("/api/changes")
    one = rows(first)["tone2.wav"]
    body = {"cells": {"label": "worn", "load": "2"}, "seen": {"label": ""}, **known(first)}
    status, said = served.ask("PUT", f"/api/recordings/{one['id']}/label", body)
    assert (status, said["all"], [*rows(said)], said["removed"]) == (200, False, ["tone2.wav"], [])
    assert rows(said)["tone2.wav"] | {"seconds": 1.0} == {**one, "label": "worn", "condition": {"load": "2"}}
    assert said["keys"] == {"good": "1", "worn": "2"}
    assert rows(served.get(f"/api/changes?{query(first)}")) == rows(said)
    assert rows(served.get(f"/api/changes?{query(said)}")) == {}
    status, said = served.ask("POST", "/api/undo", known(said))
    assert (status, said["undone"], rows(said)["tone2.wav"]["label"], listed(served)) == (200, True, None, LIST)


def test_what_others_write_and_files_that_come_and_go_are_changes(served: Served) -> None:
    folder, first = served.page.api.workspace.folder, served.get("/api/changes")
    (folder / "labels.csv").write_text(LIST.replace("tone1.wav,", "tone1.wav,bad"))
    Path(folder / "tone3.wav").replace(folder / "tone5.wav")
    served.page.api.workspace.index.look()
    found = served.get(f"/api/changes?{query(first)}")
    assert {name: row["label"] for name, row in rows(found).items()} == {"tone1.wav": "bad", "tone5.wav": None}
    assert found["removed"] == [rows(first)["tone3.wav"]["id"]]


def test_a_part_takes_the_place_of_its_file(served: Served) -> None:
    first = served.get("/api/changes")
    one = rows(first)["tone3.wav"]["id"]
    body = {"cells": {"label": "worn"}, "start_s": 0.25, "end_s": 0.5, **known(first)}
    said = served.ask("PUT", f"/api/recordings/{one}/label", body)[1]
    assert ([*rows(said)], said["removed"]) == (["tone3.wav [0.25 s to 0.5 s]"], [one])
    part = said["rows"]["id"][0]
    back = served.ask("DELETE", f"/api/recordings/{part}/part?{query(said)}")[1]
    assert ([*rows(back)], back["removed"]) == (["tone3.wav"], [part])


def test_many_are_one_change_that_one_undo_takes_back(served: Served) -> None:
    first = served.get("/api/changes")
    ids = [row["id"] for row in rows(first).values()]
    status, said = served.ask("PUT", "/api/labels", {"ids": ids, "cells": {"label": "worn"}, **known(first)})
    assert (status, said["written"], {row["label"] for row in rows(said).values()}) == (200, 4, {"worn"})
    assert served.ask("POST", "/api/undo", known(said))[1]["undone"] is True
    assert listed(served) == LIST


def test_many_are_not_written_where_one_was_changed_meanwhile(served: Served) -> None:
    first, folder = served.get("/api/changes"), served.page.api.workspace.folder
    ids = [row["id"] for row in rows(first).values()]
    (folder / "labels.csv").write_text(LIST.replace("tone1.wav,", "tone1.wav,bad"))
    status, said = served.ask("PUT", "/api/labels", {"ids": ids, "cells": {"label": "worn"}, **known(first)})
    assert status == 409
    assert said["error"].startswith("tone1.wav: somebody else has changed")
    assert "worn" not in listed(served)
    now = served.get(f"/api/changes?{query(first)}")
    assert served.ask("PUT", "/api/labels", {"ids": ids, "cells": {"label": "worn"}, **known(now)})[0] == 200


@pytest.mark.parametrize(
    "body",
    [
        {"ids": ["nowhere"], "cells": {"label": "a"}},
        {"ids": "nowhere", "cells": {"label": "a"}},
        {"ids": [1], "cells": {"label": "a"}},
        {"ids": [], "cells": {}},
        {"ids": [["a"]], "cells": {"label": "a"}},
        {"pattern": "{label}", "ids": ["nowhere"]},
        {"pattern": "nothing"},
        {"pattern": "{label}", "over": "yes"},
    ],
)
def test_what_cannot_be_meant_is_refused_and_nothing_is_written(served: Served, body: dict[str, Any]) -> None:
    path = "/api/pattern" if "pattern" in body else "/api/labels"
    status, said = served.ask("PUT", path, body)
    assert (status, bool(said["error"]), listed(served)) == (400, True, LIST)


def test_bodies_that_name_recordings_have_a_limit(served: Served) -> None:
    ids = ["x" * 16] * 55_000  # more than a megabyte
    assert served.ask("PUT", "/api/labels", {"ids": ids, "cells": {"label": "a"}})[0] == 400
    assert served.ask("PUT", "/api/labels", {"ids": ids * 10, "cells": {"label": "a"}})[0] == 413
    one = served.get("/api/changes")["rows"]["id"][0]
    assert served.ask("PUT", f"/api/recordings/{one}/label", {"cells": {"label": "a" * (1 << 20)}})[0] == 413


def test_a_pattern_shows_what_it_would_write_and_writes_that(tmp_path: Path) -> None:
    folder = folder_of_tones(tmp_path / "tones", 3)
    for number, name in enumerate(("inner_b1_2", "outer_b2_0", "else")):
        (folder / f"tone{number}.wav").rename(folder / f"{name}.wav")
    (folder / "labels.csv").write_text("file,label,component\ninner_b1_2.wav,good,b1\n")
    with Served(folder) as served:
        first = served.get("/api/changes")
        wanted = {"pattern": "{label}_{component}_{load}.wav"}
        status, shown = served.ask("POST", "/api/pattern", wanted)
        assert (status, shown["recordings"], shown["fitting"], shown["conflicts"], shown["writes"]) == (200, 3, 2, 1, 2)
        assert shown["columns"]["label"] == {"different": 2, "values": {"inner": 1, "outer": 1}}
        assert [(row["name"], row["there"]["label"], row["cells"]["label"]) for row in shown["rows"]] == [
            ("inner_b1_2.wav", "good", "inner"),
            ("outer_b2_0.wav", "", "outer"),
        ]
        said = served.ask("PUT", "/api/pattern", {**wanted, **known(first)})[1]
        assert said["written"] == 2
        assert listed(served) == "file,label,component,load\ninner_b1_2.wav,good,b1,2\nouter_b2_0.wav,outer,b2,0\n"
        over = {**wanted, "over": True, "ids": [rows(first)["inner_b1_2.wav"]["id"]]}
        assert served.ask("POST", "/api/pattern", over)[1]["writes"] == 1
        assert served.ask("PUT", "/api/pattern", {**over, **known(said)})[1]["written"] == 1
        assert "inner_b1_2.wav,inner,b1,2" in listed(served)


def test_a_chosen_key_is_on_every_page_of_the_folder(served: Served) -> None:
    assert served.ask("PUT", "/api/keys", {"label": "good", "key": "g"}) == (200, {"keys": {"good": "g"}})
    with Served(served.page.api.workspace.folder) as other:
        assert other.get("/api/changes")["keys"] == {"good": "g"}
    assert served.ask("PUT", "/api/keys", {"label": "good", "key": "u"})[0] == 400


def test_files_are_read_while_nobody_waits_and_told_when_they_are(served: Served) -> None:
    page = served.page.api.labelling
    first = once_read(served)
    assert {row["seconds"] for row in rows(first).values()} == {1.0}
    (served.page.api.workspace.folder / "tone3.wav").write_bytes(b"no sound")
    page.facts.read_some()
    end = time.monotonic() + 60
    while not rows(found := served.get(f"/api/changes?{query(first)}")):
        assert time.monotonic() < end
        time.sleep(0.02)
    assert [*rows(found)] == ["tone3.wav"]
    assert rows(found)["tone3.wav"]["problem"]
