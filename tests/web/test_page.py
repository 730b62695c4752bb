"""The page in a browser, as an engineer uses it: look, label, fit, judge, correct, export."""

import io
import json
import os
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import soundfile
from typer.testing import CliRunner

from dualres import cli
from dualres.recordings.labels.table import cells_of
from dualres.simulated import rig as simulated
from dualres.web.server import static_files
from tests.bench.report.browser import Browser
from tests.web.served import Served, folder_of_tones

RATE = 12_800
HOSTILE = '<img src=x onerror="document.title=1">'


@pytest.fixture(scope="module")
def rig(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two recordings of each of eight classes."""
    folder = tmp_path_factory.mktemp("page") / "rig"
    folder.mkdir()
    seen: dict[str, int] = {}
    for one in simulated.recordings():
        label = str(one.label)
        seen[label] = seen.get(label, 0) + 1
        if seen[label] <= 2:
            soundfile.write(folder / f"{label}.{seen[label]}.wav", one.signal[: 2 * RATE], RATE, subtype="FLOAT")
    return folder


@pytest.fixture(scope="module")
def served(rig: Path) -> Iterator[Served]:
    with Served(rig) as one:
        yield one


def name_class(browser: Browser, label: str) -> None:
    """Typed as soon as the field is there to stay: what is still being drawn may bring another one."""
    field = "document.querySelector('[aria-label=\"A new class\"]')"
    for _ in range(5):
        browser.evaluate(f"{field}.focus()")
        browser.write(label)
        time.sleep(0.2)
        if browser.evaluate(f"{field}.value === {json.dumps(label)}"):
            break
        browser.evaluate(f"{field}.value = ''")
    browser.press("Enter")


@pytest.fixture(scope="module")
def walked(served: Served, browser: Browser, rig: Path) -> list[str]:
    """The whole way once; the clicks that it took beyond labelling."""
    clicks: list[str] = []

    def click(selector: str) -> None:
        clicks.append(selector)
        browser.click(selector)

    browser.visit(served.page.link, 1280)
    browser.wait("document.querySelectorAll('#list li').length === 16")
    browser.wait("document.querySelector('#envelope canvas')")
    known: list[str] = []
    names = browser.evaluate("[...document.querySelectorAll('#list .name')].map(one => one.textContent)")
    for number, name in enumerate(names):
        label = name.split(".")[0]
        if label in known:
            browser.evaluate("document.activeElement.blur()")
            browser.press(str(known.index(label) + 1))  # in the order in which they were first said
        else:
            known.append(label)
            name_class(browser, label)
        after = names[min(number + 1, len(names) - 1)]
        browser.wait(f"document.querySelectorAll('#list .label:not(.none)').length === {number + 1}")
        browser.wait(f"document.querySelector('#detail h2').textContent === {json.dumps(after)}")
    click("nav a[href='#fit']")
    click("#fit")
    browser.wait("document.querySelector('.model')", 120)
    click("nav a[href='#judge']")
    click("#judge-all")
    browser.wait("!document.querySelector('.verdicts tbody button')", 120)
    (first,) = [one["id"] for one in served.get("/api/folder")["recordings"] if one["name"] == names[0]]
    row = f".verdicts tr[data-id='{first}']"
    click(row)
    browser.wait("document.querySelector('.why .keys')")
    browser.evaluate("document.activeElement.blur()")
    browser.press("2")
    browser.wait(f'document.querySelector("{row}").lastChild.textContent === "break+outer"')
    assert browser.evaluate("!document.querySelector('.verdicts tbody button')")  # a label costs no verdict
    click("nav a[href='#fit']")
    click(".export")
    browser.wait("document.querySelector('[data-export] a')", 120)
    return clicks


def test_the_whole_way_takes_eight_clicks_beyond_labelling(walked: list[str], browser: Browser) -> None:
    assert len(walked) <= 8
    assert browser.errors == []


def test_a_model_says_what_to_expect_question_by_question(walked: list[str], browser: Browser) -> None:
    browser.evaluate("location.hash = 'fit'")
    browser.wait("document.querySelector('.questions tbody tr')")
    cells = "[...row.children].map(cell => cell.textContent)"
    rows = browser.evaluate(f"[...document.querySelectorAll('.questions tbody tr')].map(row => {cells})")
    assert [(what, score == "not known") for what, score, _ in rows] == [
        ("another recording", False),
        ("an unseen component", True),
        ("an unseen load", True),
        ("an unseen speed", True),
    ]
    assert rows[1][2] == "name the component of every recording in a column component"
    listed = browser.evaluate("document.querySelector('.model ul').textContent")
    assert "Promises are for machines run like the labelled ones; the labels name no condition" in listed


def test_no_request_leaves_the_machine(walked: list[str], served: Served, browser: Browser) -> None:
    assert browser.requests
    hosts = {address.split("/")[2] for address in browser.requests if address.startswith("http")}
    assert hosts == {f"127.0.0.1:{served.port}"}


def test_labels_lie_in_the_list_and_models_in_the_folder(walked: list[str], rig: Path) -> None:
    labels = {cells["file"]: cells["label"] for _, cells in cells_of(rig / "labels.csv")}
    corrected = min(labels)
    assert labels.pop(corrected) == "break+outer"
    assert {file.split(".")[0] == label for file, label in labels.items()} == {True}
    assert (rig / "models" / "model-1.safetensors").exists()
    assert sorted(path.name for path in (rig / "models").iterdir()) == ["model-1.html", "model-1.safetensors"]


def test_an_export_is_downloaded_in_one_file(walked: list[str], served: Served) -> None:
    with zipfile.ZipFile(io.BytesIO(served.get("/api/models/model-1/export"))) as export:
        assert {"model-1-c99/dualres.c", "model-1-c99/dualres_model.c"} <= set(export.namelist())


def test_a_verdict_is_that_of_the_command_to_the_last_digit(
    walked: list[str], served: Served, rig: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(rig)
    printed = CliRunner().invoke(cli.app, ["diagnose", "models/model-1.safetensors", "wear.1.wav", "--json"])
    (one,) = [each["id"] for each in served.get("/api/folder")["recordings"] if each["name"] == "wear.1.wav"]
    assert served.get(f"/api/verdicts/{one}?model=model-1") == json.loads(printed.stdout)


def test_reasons_are_those_of_the_command(
    walked: list[str], served: Served, rig: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(rig)
    (one,) = [each["id"] for each in served.get("/api/folder")["recordings"] if each["name"] == "wear.1.wav"]
    found = served.get(f"/api/reasons/{one}?model=model-1")
    printed = CliRunner().invoke(cli.app, ["explain", "models/model-1.safetensors", "wear.1.wav", "--json"])
    said = json.loads(printed.stdout)
    for name in ("verdict", "probability", "logit", "runner_up"):
        assert found[name] == said[name]
    assert found["nearest"][0]["file"] != "wear.1.wav"


@pytest.mark.parametrize("width", [390, 1280, 2560])
@pytest.mark.parametrize("view", ["look", "fit", "judge"])
def test_nothing_sticks_out(walked: list[str], served: Served, browser: Browser, width: int, view: str) -> None:
    browser.visit(served.page.link, width)
    browser.wait("document.querySelector('nav a')")
    browser.evaluate(f"location.hash = {view!r}")
    ready = {"look": "#envelope canvas", "fit": ".model", "judge": ".why h2"}[view]
    browser.wait(f"document.querySelector({ready!r})")
    assert browser.evaluate("document.documentElement.scrollWidth") <= width
    if folder := os.environ.get("DUALRES_PICTURES"):  # to look at them
        browser.screenshot(Path(folder) / f"{view}-{width}.png", whole=False)


def test_the_page_is_light(served: Served) -> None:
    assert sum(len(served.ask("GET", path)[1]) for path in static_files()) < 200_000


def test_everything_can_be_reached_by_keys_and_has_a_name(walked: list[str], served: Served, browser: Browser) -> None:
    browser.visit(served.page.link, 1280)
    browser.wait("document.querySelector('#envelope canvas')")
    nameless = browser.evaluate(
        "[...document.querySelectorAll('button, input, select, canvas[id], [tabindex=\"0\"]')]"
        ".filter(one => !(one.textContent || one.getAttribute('aria-label') || one.closest('label') || one.hidden))"
        ".map(one => one.outerHTML)"
    )
    assert nameless == []
    browser.evaluate("document.querySelector('#list').focus()")
    first = browser.evaluate("document.querySelector('#detail h2').textContent")
    browser.press("j")
    browser.wait(f"document.querySelector('#detail h2').textContent !== {json.dumps(first)}")


def test_text_from_files_is_only_ever_text(tmp_path: Path, browser: Browser) -> None:
    folder = folder_of_tones(tmp_path / "hostile", 2)
    (folder / "tone0.wav").rename(folder / f"{HOSTILE.replace('/', '')}.wav")
    with Served(folder) as served:
        one = served.get("/api/folder")["recordings"][0]["id"]
        cells = {"label": HOSTILE, "component": HOSTILE, HOSTILE: HOSTILE}
        assert served.ask("PUT", f"/api/recordings/{one}/label", {"cells": cells})[0] == 200
        browser.visit(served.page.link, 1280)
        browser.wait("document.querySelector('#envelope canvas')")
        assert browser.evaluate("document.querySelectorAll('img').length") == 1  # the icon
        assert "DualRes" in browser.evaluate("document.title")
        assert HOSTILE in browser.evaluate("document.querySelector('#list .label').textContent")


def test_a_part_is_marked_by_dragging_labelled_by_a_key_and_taken_back(tmp_path: Path, browser: Browser) -> None:
    folder = folder_of_tones(tmp_path / "parts", 2, seconds=4.0)
    with Served(folder) as served:
        one = served.get("/api/folder")["recordings"][1]["id"]
        served.ask("PUT", f"/api/recordings/{one}/label", {"cells": {"label": "good"}})
        browser.visit(served.page.link, 1280)
        browser.wait("document.querySelector('#wave .u-over')")
        browser.wait("document.querySelector('.key')")
        left, top, width, height = browser.evaluate(
            "(b => [b.x, b.y, b.width, b.height])(document.querySelector('#wave .u-over').getBoundingClientRect())"
        )
        way = {"button": "left", "clickCount": 1, "y": top + height / 2}
        for kind, share in (("Moved", 0.25), ("Pressed", 0.25), ("Moved", 0.4), ("Moved", 0.5), ("Released", 0.5)):
            browser.send("Input.dispatchMouseEvent", type=f"mouse{kind}", x=left + share * width, **way)
        browser.wait("document.querySelector('#part').textContent.includes('marked')")
        browser.press("1")
        browser.wait("document.querySelector('#list').textContent.includes(' s to ')")
        (part,) = [cells for _, cells in cells_of(folder / "labels.csv") if cells.get("end_s")]
        assert float(part["start_s"]) == pytest.approx(1.0, abs=0.02)
        assert float(part["end_s"]) == pytest.approx(2.0, abs=0.02)
        assert part["label"] == "good"
        browser.press("u")
        browser.wait("!document.querySelector('#list').textContent.includes(' s to ')")


def test_an_hour_is_drawn_at_once_and_then_exactly(tmp_path: Path, browser: Browser) -> None:
    samples = np.random.default_rng(0).integers(-900, 900, 3 << 20).astype(np.int16)
    samples[2_000_003] = 32_000
    (tmp_path / "long").mkdir()
    soundfile.write(tmp_path / "long" / "long.wav", samples, 64_000, subtype="PCM_16")
    with Served(tmp_path / "long") as served:
        (one,) = [each["id"] for each in served.get("/api/folder")["recordings"]]
        first = served.get(f"/api/recordings/{one}/wave?columns=900")
        assert first["exact"] is False
        browser.visit(served.page.link, 1280)
        browser.wait("document.querySelector('#wave canvas')")
        pyramid = served.page.api.workspace.signal(served.page.api.workspace.entry(one), 0).pyramid
        with pyramid.building:
            assert pyramid.complete
        exact = served.get(f"/api/recordings/{one}/wave?columns=900")
        assert (exact["exact"], max(exact["high"])) == (True, 32_000)


def test_a_sound_is_played_and_sought_in(tmp_path: Path, browser: Browser) -> None:
    with Served(folder_of_tones(tmp_path / "sound", 1, seconds=60.0, rate=16_000)) as served:
        (one,) = served.get("/api/folder")["recordings"]
        browser.visit(served.page.link, 1280)
        browser.wait("document.querySelector('#envelope canvas')")
        sought = browser.evaluate(f"""new Promise((done) => {{
            const sound = new Audio("/api/recordings/{one["id"]}/sound");
            const tell = () => done([sound.error?.message, sound.duration, sound.seekable.end(0), sound.currentTime]);
            setTimeout(() => done("nothing came"), 20000);
            sound.onloadedmetadata = () => {{ sound.currentTime = 59.5; }};
            sound.onerror = tell;
            sound.onseeked = tell;
        }})""")
        assert sought == [None, 60, 60, 59.5]
        browser.click("#play")
        browser.wait("document.querySelector('#play').textContent === 'Stop'")
        browser.click("#play")
        browser.wait("document.querySelector('#play').textContent === 'Play'")
        assert browser.errors == []
