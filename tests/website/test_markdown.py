"""Markdown as pages: anchors, names, tables, code, and what is refused."""

import pytest

from tests.scripts import tool

markdown = tool("website.markdown")


def rendered(text, **inserts):
    return markdown.render(text, lambda name: markdown.Target(f"to/{name}", f"The title of {name}"), inserts)


def test_headings_have_the_anchors_of_github():
    page = rendered("# A `dualres fit`, or two!\n\n## Same\n\n## Same\n")
    assert [heading.anchor for heading in page.headings] == ["a-dualres-fit-or-two", "same", "same-1"]
    assert page.title == "A dualres fit, or two!"
    assert '<h2 id="same-1">Same<a class="anchor" href="#same-1"' in page.html


def test_a_public_name_has_its_own_anchor_and_so_have_its_members_and_fields():
    text = "# API\n\n### `dualres.Card`\n\n| field | type |\n|---|---|\n| `seed` | `int` |\n| `rate` | `str` |\n\n"
    page = rendered(text + "**`seeds`**: `tuple`. Of all.\n\n**`save`**\n\nWrites it.\n\n**Not** a member.\n")
    assert [entry.anchor for entry in page.entries] == [
        "api",
        "dualres.Card",
        "dualres.Card.seed",
        "dualres.Card.rate",
        "dualres.Card.seeds",
        "dualres.Card.save",
    ]
    said = {entry.anchor: entry.text for entry in page.entries}
    assert said["dualres.Card.seed"] == ["int"]
    assert said["dualres.Card.save"] == ["save", "Writes it.", "Not a member."]
    for anchor in ("dualrescard", "dualres.Card", "dualres.Card.seed", "dualres.Card.save"):
        assert page.html.count(f'id="{anchor}"') == 1, anchor


def test_bold_code_outside_the_api_is_no_name():
    assert [entry.title for entry in rendered("# A\n\n**`seed`** is one.\n").entries] == ["A"]


def test_links_and_images_are_resolved():
    page = rendered("# A\n\n[b](b.md#c) and ![d](e.png)\n")
    assert '<a href="to/b.md#c">b</a>' in page.html
    assert '<img src="to/e.png" alt="d" loading="lazy"' in page.html


def test_a_link_that_names_its_file_has_the_title_of_the_document():
    page = rendered("# A\n\n[b.md](docs/b.md), [docs/b.md](docs/b.md), [B](docs/b.md), [`b`](docs/b.md)\n")
    title = "The title of docs/b.md"
    for text in (f"{title}</a>, <a", ">B</a>", "><code>b</code></a>"):
        assert text in page.html
    assert page.html.count(title) == 2
    assert "The title of docs/b.md, The title of docs/b.md, B, b" in page.entries[0].text


def test_columns_of_numbers_are_set_to_the_right():
    page = rendered("# A\n\n| a | b | c |\n|---|---|---|\n| 1.5 | x | - |\n| 70.5 ± 2.2 | 3 | - |\n")
    assert page.html.count('class="number"') == 3  # the heading and both cells of the first column
    assert '<div class="scroll"><table>' in page.html


def test_code_is_coloured_and_escaped():
    page = rendered('# A\n\n```python\nprint("<b>")\n```\n\n    a < b\n')
    assert '<span class="s2">"&lt;b&gt;"</span>' in page.html
    assert "<code>a &lt; b" in page.html
    assert "excerpt" not in page.html


def test_python_that_is_not_run_is_called_an_excerpt_unless_it_is_a_signature():
    assert 'class="code py excerpt"' in rendered("# A\n\n```py\nf()\n```\n").html
    assert 'class="code py"' in rendered("# A\n\n### `a.f`\n\n```py\nf()\n```\n").html


def test_commands_without_a_prompt_are_commands():
    assert 'class="nb"' in rendered("# A\n\n```console\nexport A=1\n```\n").html
    assert 'class="go"' in rendered("# A\n\n```console\n$ ls\nexport\n```\n").html
    assert 'class="gp"' in rendered("# A\n\n    $ dualres demo\n").html


def test_comments_are_left_out_or_replaced_by_what_belongs_there():
    page = rendered("# A\n\n<!-- from b -->\nText.\n\n<!-- plots -->\n", plots="<svg></svg>")
    assert "from b" not in page.html
    assert "<p>Text.</p>" in page.html
    assert "<svg></svg>" in page.html


@pytest.mark.parametrize("text", ["# A\n\n<script>alert(1)</script>\n", "# A\n\nB <b>c</b>\n"])
def test_html_is_refused(text):
    with pytest.raises(ValueError, match="holds HTML"):
        rendered(text)


def test_a_page_without_a_heading_is_refused():
    with pytest.raises(ValueError, match="has no heading"):
        rendered("Text.\n")
