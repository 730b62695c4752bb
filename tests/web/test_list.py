"""The list on the page: rows as they scroll into view, several at once, keys that stay, undo beside what was said."""

import json
import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import soundfile

from tests.bench.report.browser import Browser
from tests.web.served import Served

COUNT = 1200
CONTROL, SHIFT = 2, 8  # as the browser numbers them
ROWS = "[...document.querySelectorAll('#list li')]"


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    """Many recordings; the first is inner, the second good."""
    folder = tmp_path / "many"
    folder.mkdir()
    first = folder / "first.wav"
    soundfile.write(first, 0.1 * np.random.default_rng(0).standard_normal(4000), 8000)
    for number in range(COUNT):
        os.link(first, folder / f"{('inner', 'good')[number % 2]}_b{number % 7}_{number:04}.wav")
    first.unlink()
    (folder / "labels.csv").write_text("file,label\ninner_b0_0000.wav,inner\ngood_b1_0001.wav,good\n")
    with Served(folder) as one:
        yield one


def opened(served: Served, browser: Browser, width: int = 1280) -> None:
    browser.visit(served.page.link, width)
    browser.wait("document.querySelector('#envelope canvas')")


def listed(served: Served) -> list[str]:
    return (served.page.api.workspace.folder / "labels.csv").read_text().splitlines()[1:]


def press(browser: Browser, key: str, code: int, modifiers: int = 0) -> None:
    for kind in ("keyDown", "keyUp"):
        browser.send("Input.dispatchKeyEvent", type=kind, key=key, windowsVirtualKeyCode=code, modifiers=modifiers)


def test_only_rows_in_sight_are_drawn_and_all_are_counted(served: Served, browser: Browser) -> None:
    opened(served, browser)
    assert browser.evaluate(f"{ROWS}.length") < 60
    assert browser.evaluate("document.querySelector('#list').getAttribute('aria-rowcount')") == str(COUNT)
    assert browser.evaluate(f"{ROWS}.map(one => one.getAttribute('aria-rowindex')).slice(0, 3)") == ["1", "2", "3"]
    browser.evaluate("document.querySelector('#list').scrollTop = 1e9")
    browser.wait(f"{ROWS}.at(-1).getAttribute('aria-rowindex') === '{COUNT}'")
    assert browser.evaluate(f"{ROWS}.length") < 60
    browser.evaluate("document.querySelector('#list').focus()")
    press(browser, "End", 35)
    browser.wait("document.querySelector('#list .chosen').getAttribute('aria-rowindex') === '1200'")
    browser.wait("document.querySelector('#list').getAttribute('aria-activedescendant') === "
                 "document.querySelector('#list .chosen').id")  # fmt: skip
    assert browser.errors == []


def test_the_toast_says_what_was_written_and_undo_stands_beside_it(served: Served, browser: Browser) -> None:
    opened(served, browser)
    before = listed(served)
    browser.wait("document.querySelector('#list .chosen .name').textContent === 'good_b0_0007.wav'")
    browser.press("2")
    browser.wait("document.querySelector('#notice').textContent === 'good_b0_0007.wav: innerUndo'")
    assert listed(served) == [*before, "good_b0_0007.wav,inner"]
    browser.click("#notice button")
    browser.wait("document.querySelector('#notice').textContent === 'Taken back.'")
    assert listed(served) == before
    assert "1,198 of 1,200 left" in browser.evaluate("document.querySelector('.left').textContent")


def test_a_class_keeps_its_key_and_another_can_be_chosen(served: Served, browser: Browser) -> None:
    opened(served, browser)
    keys = "[...document.querySelectorAll('.labels .key')].map(one => one.textContent)"
    assert browser.evaluate(keys) == ["1 good", "2 inner"]
    browser.evaluate("document.querySelector('[aria-label=\"A new class\"]').focus()")
    browser.write("ball")
    browser.press("Enter")
    browser.wait(f"{keys}.join() === '1 good,2 inner,3 ball'")  # the key comes with the answer
    browser.evaluate("document.querySelector('.choose-keys').open = true")
    browser.evaluate("document.querySelector('[aria-label=\"Key of ball\"]').focus()")
    browser.press("b")
    browser.wait("document.querySelectorAll('.labels .key kbd')[2].textContent === 'b'")
    browser.press("b")
    browser.wait("document.querySelector('.filter select').textContent.includes('ball, 2')")
    assert sum(row.endswith(",ball") for row in listed(served)) == 2


def test_several_rows_are_labelled_at_once(served: Served, browser: Browser) -> None:
    opened(served, browser)
    before = listed(served)
    browser.evaluate("document.querySelector('#list').focus()")
    for _ in range(3):
        press(browser, "ArrowDown", 40, SHIFT)
    browser.wait("document.querySelector('.bulk')")
    assert browser.evaluate("document.querySelectorAll('#list .several').length") == 4
    x, y = browser.hover("#list li[aria-rowindex='7']")
    for kind in ("mousePressed", "mouseReleased"):
        browser.send(
            "Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1, modifiers=CONTROL
        )  # fmt: skip
    browser.wait("document.querySelector('#detail h2').textContent === '5 recordings'")
    browser.press("1")
    browser.wait("document.querySelector('#notice').textContent === '5 recordings: goodUndo'")
    assert sum(row.endswith(",good") for row in listed(served)) >= 5
    browser.click("#notice button")
    browser.wait("document.querySelector('#notice').textContent === 'Taken back.'")
    assert listed(served) == before


def test_all_of_a_filter_are_labelled_by_their_names(served: Served, browser: Browser) -> None:
    opened(served, browser)
    browser.evaluate("document.querySelector('.filter input').focus()")
    browser.write("inner_")
    browser.wait("document.querySelector('#list').getAttribute('aria-rowcount') === '600'")
    browser.press("Escape")
    press(browser, "a", 65, CONTROL)
    browser.wait("document.querySelector('#detail h2').textContent === '600 recordings'")
    browser.click(".under button:last-child")
    browser.wait("document.querySelector('.preview') && !document.querySelector('#write-pattern').disabled")
    assert "600 of 600 names fit" in browser.evaluate("document.querySelector('#detail').textContent")
    browser.click("#write-pattern")
    browser.wait("document.querySelector('#notice').textContent.startsWith('600 recordings were labelled')")
    rows = listed(served)
    assert (len(rows), sum(",inner,b" in row for row in rows)) == (601, 600)
    browser.wait("document.querySelector('.filter select').textContent.includes('inner, 600')")


def test_the_next_without_a_label_is_one_key_away_and_another_window_follows(served: Served, browser: Browser) -> None:
    opened(served, browser)
    browser.evaluate("document.querySelector('#list').focus()")
    press(browser, "n", 78)
    name = browser.evaluate("document.querySelector('#list .chosen .name').textContent")
    (one,) = [each["id"] for each in served.get("/api/folder")["recordings"] if each["name"] == name]
    assert served.ask("PUT", f"/api/recordings/{one}/label", {"cells": {"label": "odd"}})[0] == 200
    browser.wait("document.querySelector('#list .chosen .label').textContent === 'odd'")
    folder = served.page.api.workspace.folder
    (folder / "labels.csv").write_text("file,label\n" + json.dumps(name)[1:-1] + ",even\n")
    browser.wait("document.querySelector('#list .chosen .label').textContent === 'even'")


@pytest.mark.parametrize("width", [390, 1280])
def test_nothing_of_labels_for_many_sticks_out(served: Served, browser: Browser, width: int) -> None:
    opened(served, browser, width)
    browser.click(".under button")
    browser.wait("document.querySelector('.bulk')")
    assert browser.evaluate("document.documentElement.scrollWidth") <= width
    browser.click(".under button:last-child")
    browser.wait("document.querySelector('.preview')")
    assert browser.evaluate("document.documentElement.scrollWidth") <= width
