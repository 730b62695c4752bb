"""The page's screens from an empty folder to a stream, as somebody new walks through them."""

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
import soundfile
from typer.testing import CliRunner

from dualres import cli
from dualres.web.live import STREAMS
from tests.bench.report.browser import Browser
from tests.explain.made_knocks import ORDERS, RATE, knocking
from tests.web.served import Served
from tests.web.test_walk import until

VIEWS = ("look", "map", "check", "trend", "fit", "judge", "watch")
GUIDE = "document.querySelector('#guide').innerText"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("screens") / "pump_house"
    folder.mkdir()
    for seed in range(8):
        samples = 0.05 * knocking(25.0, seed, knocks=seed < 4)
        soundfile.write(folder / f"pump_{'a' if seed < 4 else 'b'}{seed}.wav", samples, RATE, subtype="FLOAT")
    lines = []
    for number, label in enumerate(["good", "good", "outer race", "outer race", "good"]):
        answer = "none_of_these" if number == 4 else "named"
        time = f"2026-01-01T00:00:{10 * number:02d}Z"
        said = {"stream": "pump", "kind": "block", "label": label, "probability": 0.9, "answer": answer, "time": time}
        lines.append(json.dumps(said))
    (folder / STREAMS).mkdir()
    (folder / STREAMS / "gateway.jsonl").write_text("\n".join(lines) + "\n")
    return folder


@pytest.fixture(scope="module")
def served(folder: Path) -> Iterator[Served]:
    with Served(folder) as one:
        yield one


def show(browser: Browser, view: str) -> None:
    browser.evaluate(f"location.hash = {view!r}")
    browser.wait(f"document.querySelector('main').dataset.view === {view!r}")


def test_an_empty_folder_asks_for_recordings_and_shows_no_empty_box(tmp_path: Path, browser: Browser) -> None:
    with Served(tmp_path) as served:
        for width in (1280, 390):
            browser.visit(served.page.link, width)
            browser.wait("document.querySelector('.welcome .drop')")
            assert "Drop recordings" in browser.evaluate(GUIDE)
            steps = browser.evaluate("getComputedStyle(document.querySelector('#guide ol')).display")
            assert steps == ("flex" if width > 820 else "none")
            for view in VIEWS:
                show(browser, view)
                browser.wait("document.querySelector('main section')")
                assert no_empty_box(browser) == []
                assert browser.evaluate("document.documentElement.scrollWidth") <= width
        soundfile.write(tmp_path / "b.wav", 0.05 * knocking(25.0, 0), RATE)
        show(browser, "look")
        served.page.events.publish("folder", {})
        browser.wait("document.querySelectorAll('#list li').length === 1")
        assert browser.errors == []


def no_empty_box(browser: Browser) -> list[str]:
    """Framed places without a word or a picture in them."""
    found = browser.evaluate(
        "[...document.querySelectorAll('section, article, aside, .why')].filter((one) => one.offsetParent !== null"
        " && !one.innerText.trim() && !one.querySelector('canvas, input, .plot')).map((one) => one.outerHTML)"
    )
    return list(found)


@pytest.fixture(scope="module")
def walked(served: Served, browser: Browser, folder: Path) -> None:
    """Checked without a label, labelled by what was found, and judged."""
    browser.visit(served.page.link, 1280)
    browser.wait("document.querySelector('#envelope canvas')")
    assert "nothing is labelled" in browser.evaluate(GUIDE)
    browser.click("#guide .go")
    browser.wait("document.querySelector('[data-fact=orders]')")
    for fact, value in (("speed", "25Hz"), ("orders", ORDERS)):
        browser.evaluate(f"document.querySelector('[data-fact={fact}]').focus()")
        browser.write(value)
        browser.press("Tab")
        until(lambda fact=fact, value=value: served.get("/api/machine")[fact] == value)
    browser.click("#check-all")
    browser.wait("document.querySelectorAll('.verdicts tbody tr').length === 8")
    browser.wait("document.querySelectorAll('.verdicts td.found').length === 4")
    browser.click(".verdicts tbody tr")
    browser.wait("document.querySelectorAll('.why canvas').length === 2")
    browser.click("#take")
    browser.wait(f"{GUIDE}.includes('Label a second')")
    for number, one in enumerate(served.get("/api/folder")["recordings"]):
        label = "outer race" if number < 4 else "good"
        served.ask(
            "PUT", f"/api/recordings/{one['id']}/label", {"cells": {"label": label, "component": f"c{number % 2}"}}
        )
    browser.wait(f"{GUIDE}.includes('Fit a model')")
    (folder / "models").mkdir()
    model = str(folder / "models" / "model-1.safetensors")  # `test_page` fits by the page
    known = ["--orders", ORDERS, "--labelled-only"]
    assert CliRunner().invoke(cli.app, ["fit", str(folder), "-o", model, "--no-estimate", *known]).exit_code == 0
    served.page.events.publish("folder", {})
    browser.wait(f"{GUIDE}.includes('ready')")
    browser.click("#guide .go")
    browser.click("#judge-all")
    browser.wait("document.querySelectorAll('.verdicts tbody td:first-child button').length === 0", 120)
    assert sum("/api/verdicts/" in one for one in browser.requests) <= 2  # of the chosen one, not of all eight
    assert browser.errors == []


def test_what_was_found_without_labels_became_one(walked: None, folder: Path) -> None:
    assert "outer race" in (folder / "labels.csv").read_text()


def test_reasons_are_a_sentence_and_a_picture_and_no_nats(walked: None, browser: Browser) -> None:
    show(browser, "judge")
    browser.click(".verdicts tbody tr")
    browser.wait("document.querySelectorAll('.why canvas').length >= 1")
    sentence = browser.evaluate("document.querySelector('.sentence').textContent")
    assert sentence.startswith("Most like 'outer race': ") or sentence.startswith("Most like 'good': ")
    told = browser.evaluate("document.querySelector('.why').innerText")
    assert "nats" not in told
    assert "Most alike" in told
    assert "this recording" in told


def test_what_came_from_labels_and_what_from_geometry_is_a_sentence(walked: None, browser: Browser) -> None:
    assert browser.evaluate("document.querySelector('#sources').textContent") == (
        "By labels alone: its speed is not known."
    )
    by = '{ part: "outer race", labelled_recordings: 2, weight: 0.5, nats: 3.1, score: 6.2 }'
    told = browser.evaluate(
        'import("/judge.js").then(({ sources }) => sources({ verdict: "worn", geometry: '
        f"{{ said: '', by_labels: {{ worn: 0.7 }}, classes: {{ worn: {by} }} }} }}))"
    )
    assert told == (
        "Labels alone say worn with 70 %. The geometry speaks for it: the outer race stands out by 6.2, with a weight "
        "of 0.50 beside 2 labelled recordings."
    )


def test_what_is_known_of_the_machine_stands_in_the_form_of_a_fit(walked: None, browser: Browser) -> None:
    show(browser, "fit")
    browser.wait("document.querySelector('.model')")
    assert browser.evaluate("document.querySelector('[data-geometry=orders]').value") == ORDERS
    chosen = "document.querySelector('[data-fault=good]')"
    assert browser.evaluate(f"[...{chosen}.options].map((one) => one.value)").count("none") == 1
    assert "weight" in browser.evaluate("document.querySelector('.model details').textContent")


def test_a_machine_is_followed_over_time_and_too_little_is_said(walked: None, browser: Browser) -> None:
    show(browser, "trend")
    browser.click("#follow")
    browser.wait("document.querySelectorAll('.machine').length === 2", 120)  # one of each component
    told = browser.evaluate("document.querySelector('#view').innerText")
    assert "2 machines: 2 cannot tell." in told
    browser.evaluate("document.querySelector('.machine details').open = true")
    browser.wait("document.querySelectorAll('.machine canvas').length > 2")
    told = browser.evaluate("document.querySelector('.machine').innerText")
    assert "4 recordings are too few" in told
    assert "Nothing says when these were recorded" in told
    browser.evaluate("document.querySelector('.machine table .link').click()")
    browser.wait("document.querySelector('main').dataset.view === 'look'")


def test_the_map_opens_what_is_clicked_and_goes_by_keys(walked: None, served: Served, browser: Browser) -> None:
    show(browser, "map")
    browser.wait("document.querySelector('.legend span canvas')")
    until(lambda: len(served.get("/api/map")["ids"]) == 8)
    browser.wait("document.querySelector('#map').width > 0")
    browser.evaluate("document.querySelector('#map').focus()")
    browser.press("ArrowRight")
    browser.wait("!document.querySelector('#tip').hidden")
    name = browser.evaluate("document.querySelector('#tip b').textContent")
    browser.press("Enter")
    browser.wait("document.querySelector('main').dataset.view === 'look'")
    assert browser.evaluate("document.querySelector('#detail h2').textContent") == name
    show(browser, "map")
    browser.wait("document.querySelector('#map').width > 0 && document.querySelector('.legend span')")
    told = served.get("/api/map")
    box = browser.evaluate(
        "(b => [b.x, b.y, b.width, b.height])(document.querySelector('#map').getBoundingClientRect())"
    )
    left, low = min(told["x"]), min(told["y"])
    x = box[0] + 18 + (told["x"][0] - left) / ((max(told["x"]) - left) or 1) * (box[2] - 36)
    y = box[1] + box[3] - 18 - (told["y"][0] - low) / ((max(told["y"]) - low) or 1) * (box[3] - 36)
    for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
        browser.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)
    browser.wait("document.querySelector('main').dataset.view === 'look'")
    clicked = {one["id"]: one["name"] for one in served.get("/api/folder")["recordings"]}[told["ids"][0]]
    assert browser.evaluate("document.querySelector('#detail h2').textContent") == clicked


def test_a_recording_is_drawn_over_the_classes(walked: None, browser: Browser) -> None:
    show(browser, "look")
    for plot in ("wave", "spectrum", "envelope"):  # until then what is below moves
        browser.wait(f"document.querySelector('#{plot} canvas')")
    browser.wait("document.querySelector('#heatscale').textContent")
    browser.click("#beside summary")
    browser.wait("document.querySelector('#beside canvas')")
    legend = browser.evaluate("document.querySelector('#beside .legend').innerText")
    assert "good (4)" in legend
    assert "outer race (4)" in legend
    assert "pump_" in legend


def test_a_stream_has_its_classes_on_the_axis(walked: None, browser: Browser) -> None:
    show(browser, "watch")
    browser.wait("document.querySelector('.stream canvas')")
    said = browser.evaluate("document.querySelector('.stream .plot').getAttribute('aria-label')")
    assert said == "Verdicts over time: good, outer race, none of these"


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("view", VIEWS)
def test_every_screen_fits_and_speaks_plainly(
    walked: None, served: Served, browser: Browser, width: int, view: str
) -> None:
    browser.visit(served.page.link, width)
    browser.wait("document.querySelector('nav a')")
    show(browser, view)
    ready = {
        "look": "#envelope canvas",
        "map": ".legend span",
        "check": "#check-all",
        "trend": "#follow",
        "fit": ".model",
        "judge": ".verdicts",
    }
    browser.wait(f"document.querySelector({ready.get(view, '.stream canvas')!r})")
    assert browser.evaluate("document.documentElement.scrollWidth") <= width
    assert browser.evaluate("/(^|\\s|\\()--[a-z]/.test(document.body.innerText)") is False
    assert no_empty_box(browser) == []
    if folder := os.environ.get("DUALRES_PICTURES"):  # to look at them
        browser.screenshot(Path(folder) / f"screen-{view}-{width}.png", whole=False)


def test_on_a_telephone_verdicts_come_before_what_explains_them(walked: None, served: Served, browser: Browser) -> None:
    browser.visit(served.page.link, 390)
    browser.wait("document.querySelector('nav a')")
    show(browser, "judge")
    browser.wait("document.querySelector('.verdicts tbody tr')")
    top = "(s) => document.querySelector(s).getBoundingClientRect().top"
    assert browser.evaluate(f"({top})('.verdicts') < ({top})('.drop')")
    assert browser.evaluate(f"({top})('.verdicts') < 400")
    first = browser.evaluate("document.querySelector('.verdicts tbody tr').children[0].getBoundingClientRect().top")
    name = browser.evaluate("document.querySelector('.verdicts tbody tr').children[1].getBoundingClientRect().top")
    assert first < name
