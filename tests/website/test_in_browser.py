"""The site as a reader has it: from a disk, on a telephone and on a wall, by keys alone."""

from urllib.parse import unquote

import pytest

from tests.bench.report.browser import Browser
from tests.website.conftest import search_index


def found(browser: Browser) -> list[str]:
    return browser.evaluate("[...document.querySelectorAll('#found [role=option] b')].map(b => b.textContent)")


def look_for(browser: Browser, words: str) -> list[str]:
    browser.press("/")
    browser.write(words)
    browser.wait("!document.getElementById('found').hidden && document.querySelector('#found li')")
    browser.wait("document.getElementById('count').textContent.endsWith('found')")
    return found(browser)


def test_a_name_is_found_and_opened_by_keys_alone(site, browser):
    browser.open(site / "speed.html", 1280)
    assert look_for(browser, "read_folder")[0] == "dualres.read_folder"
    browser.press("Enter")
    browser.wait("location.pathname.endsWith('/api.html')")
    assert unquote(browser.evaluate("location.hash")) == "#dualres.read_folder"
    assert all(request.startswith("file:") for request in browser.requests)
    assert browser.errors == []


def test_arrows_choose_and_escape_closes(site, browser):
    browser.open(site / "index.html", 1280)
    titles = look_for(browser, "alarm")
    assert titles[0] == "Alarms while a machine runs"
    chosen = "document.querySelector('#found [aria-selected=true] b').textContent"
    assert browser.evaluate(chosen) == titles[0]
    browser.press("ArrowDown")
    assert browser.evaluate(chosen) == titles[1]
    active = "document.getElementById(document.activeElement.getAttribute('aria-activedescendant'))"
    assert browser.evaluate(f"{active}.querySelector('b').textContent") == titles[1]
    browser.press("ArrowUp")
    browser.press("ArrowUp")
    assert browser.evaluate(chosen) == titles[-1]
    browser.press("Escape")
    assert browser.evaluate("document.getElementById('found').hidden")
    assert browser.evaluate("document.activeElement === document.body")


def test_all_words_have_to_be_there(site, browser):
    browser.open(site / "index.html", 1280)
    look_for(browser, "mosquitto systemd")
    places = browser.evaluate("[...document.querySelectorAll('#found a')].map(a => a.getAttribute('href'))")
    texts = {
        f"{page}#{anchor}": f"{title} {document} {text}".lower()
        for page, anchor, title, document, text in search_index(site)
    }
    assert places
    assert all("mosquitto" in texts[place] and "systemd" in texts[place] for place in places)
    browser.press("Escape")
    look_for(browser, "mosquitto zzyzx")
    assert browser.evaluate("document.querySelector('#found').textContent") == "Nothing holds all of these words."


def test_what_is_searched_for_is_never_html(site, browser):
    browser.open(site / "index.html", 1280, fragment="?q=%3Cimg+src%3Dx+onerror%3Dalert(1)%3E+(")
    browser.wait("document.getElementById('count').textContent")
    assert browser.evaluate("document.querySelectorAll('#found img').length") == 0
    assert browser.errors == []


@pytest.mark.parametrize("width", [390, 1280, 2560])
def test_no_page_is_wider_than_the_window(site, browser, width):
    for page in sorted(site.glob("*.html")):
        browser.open(page, width)
        assert browser.evaluate("document.documentElement.scrollWidth") <= width, page.name
        assert browser.errors == []


def test_on_a_telephone_the_documents_are_a_tap_away(site, browser):
    browser.open(site / "index.html", 390)
    shown = "getComputedStyle(document.getElementById('documents')).display"
    assert browser.evaluate(shown) == "none"
    browser.click("header .menu")
    assert browser.evaluate(shown) == "block"
    browser.press("Escape")
    browser.wait(f"{shown} === 'none'")


def test_what_scrolls_sideways_can_have_the_focus(site, browser):
    browser.open(site / "results.html", 390)
    boxes = "[...document.querySelectorAll('.scroll, .code')].filter(box => box.scrollWidth > box.clientWidth)"
    assert browser.evaluate(f"{boxes}.length") > 3
    assert browser.evaluate(f"{boxes}.every(box => box.tabIndex === 0)")


def test_dark_where_the_reader_wants_it(site, browser):
    colours = []
    for dark in (False, True):
        browser.open(site / "index.html", 1280, dark=dark)
        colours.append(browser.evaluate("getComputedStyle(document.body).backgroundColor"))
    light, dark = (sum(int(part) for part in colour[4:-1].split(",")) for colour in colours)
    assert light > 600 > 150 > dark
