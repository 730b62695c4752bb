"""HTML that a notebook is given, held to what keeps a notebook safe."""

from html.parser import HTMLParser

VOID = {"polygon", "wbr"}


class _Checked(HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.open, self.text = [], []

    def handle_starttag(self, tag, attrs):
        assert tag in {"div", "span", "table", "thead", "tbody", "tr", "th", "td", "svg", "title", "polygon"}, tag
        for name, value in attrs:
            assert not name.startswith("on"), name
            assert name not in {"src", "href", "id", "class"}, name
            assert "url(" not in (value or ""), value
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_data(self, data):
        self.text.append(data)


def shown(html: str) -> str:
    """The text of a fragment; an error for one that has a script, loads something, is not closed, or is large."""
    assert len(html) < 50_000
    parser = _Checked()
    parser.feed(html)
    parser.close()
    assert not parser.open
    return " ".join(parser.text)
