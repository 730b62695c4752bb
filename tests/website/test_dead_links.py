"""What a built site is told about its links."""

import pytest

from tests.scripts import tool

dead_links = tool("website.dead_links").dead_links


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "b.html").write_text('<h1 id="top">B</h1><a href="../a.html">a</a>')
    return tmp_path


@pytest.mark.parametrize(
    "html",
    [
        '<a href="sub/b.html#top">b</a>',
        '<p id="here"></p><a href="#here">here</a>',
        '<a href="https://example.org/x?y#z">elsewhere</a>',
        '<a href="mailto:a@example.org">write</a>',
    ],
)
def test_what_holds(folder, html):
    (folder / "a.html").write_text(html)
    assert dead_links(folder) == []


@pytest.mark.parametrize(
    ("html", "problem"),
    [
        ('<a href="c.html">c</a>', "a.html: c.html is not there"),
        ('<a href="sub">b</a>', "a.html: sub is not there"),
        ('<a href="../a.html">a</a>', "a.html: ../a.html is not there"),
        ('<a href="sub/b.html#end">b</a>', "a.html: sub/b.html#end names no anchor of that page"),
        ('<a href="#end">b</a>', "a.html: #end names no anchor of that page"),
        ('<img src="c.png">', "a.html: c.png is not there"),
        ('<img src="https://example.org/c.png">', "a.html: loads https://example.org/c.png from elsewhere"),
        ('<script src="//example.org/c.js"></script>', "a.html: loads //example.org/c.js from elsewhere"),
        ('<a href="https://">x</a>', "a.html: https:// is no address"),
        ('<a href="javascript:alert(1)">x</a>', "a.html: javascript:alert(1) is no address"),
        ('<p id="x"></p><p id="x"></p>', "a.html: has two anchors x"),
    ],
)
def test_what_does_not(folder, html, problem):
    (folder / "a.html").write_text(html)
    assert dead_links(folder) == [problem]


@pytest.mark.parametrize("text", ["@import 'x.css';", "p { background: url(x.png) }", "fetch('https://example.org')"])
def test_style_and_script_ask_for_nothing(folder, text):
    (folder / "a.html").write_text("")
    (folder / "site.css").write_text(text)
    assert dead_links(folder) == ["site.css: asks for something that is not part of the site"]
