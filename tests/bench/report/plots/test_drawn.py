"""What a figure shows, as data."""

import math

import pytest

from dualres.bench.campaign.studies import RIG
from dualres.bench.report.plots.drawn import bears, difference, drawn, mark_of, read_drawn, write_drawn
from dualres.bench.report.plots.picture import Picture
from dualres.bench.report.plots.snapshot import snapshot
from dualres.bench.report.plots.write import write_picture
from dualres.errors import ConfigError
from dualres.utils.figures import SINGLE, canvas, not_run, printed


@printed()
def made(height=40.0, label="a line", *, word="said"):
    figure, ((axes,),) = canvas(SINGLE, 2)
    axes.plot([1, 2, 3], [10, math.nan, 30], label=label)
    axes.bar([1], [height], hatch="//")
    axes.fill_between([1, 2], [0, 0], [5, 5])
    axes.imshow([[0.25, 0.5]])
    axes.annotate(word, (2, 3), (9, 9), textcoords="offset points")
    axes.set_xticks([1, 2], ["one", "two"])
    axes.set_xlabel("updates")
    axes.legend()
    not_run(axes, 3, 0)
    return Picture("name", "title", "caption", "study", figure)


def test_points_bars_areas_images_and_words_are_read_off():
    (panel,) = drawn(made())["panels"]
    assert panel["lines"][0]["label"] == "a line"
    assert panel["lines"][0]["xy"] == [1, 10, 2, None, 3, 30]
    assert max(panel["shapes"][0]["corners"]) == 40
    assert panel["shapes"][0]["hatch"] == "//"
    assert panel["images"] == [[0.25, 0.5]]
    assert {5.0} < set(panel["areas"][0])
    assert panel["texts"] == [["said", 2, 3], ["not run", 3, 0]]
    assert panel["axes"][0]["words"] == ["one", "two"]
    assert panel["axes"][0]["label"] == "updates"
    assert panel["legend"] == ["a line"]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"height": 40.1}, "panels 1 shapes 1 corners"),
        ({"label": "another"}, "label is 'a line', and not 'another'"),
        ({"word": "else"}, "texts 1 1 is 'said', and not 'else'"),
    ],
)
def test_any_other_number_or_word_is_a_difference(change, told):
    assert told in difference(drawn(made()), drawn(made(**change)))
    assert difference(drawn(made()), drawn(made())) is None


def test_what_another_processor_computes_is_none():
    assert difference(drawn(made()), drawn(made(40 * (1 + 1e-9)))) is None


def test_every_line_of_the_overview_is_there(full):
    panels = drawn(snapshot(full["gearbox"], RIG))["panels"]
    assert [len(panel.get("lines", [])) for panel in panels][-1] >= 9


def test_files_bear_the_hash_of_what_they_show(tmp_path):
    file, data = write_picture(made(), tmp_path)
    write_drawn(tmp_path, [data])
    assert difference(read_drawn(tmp_path)["name"], data) is None
    for path in (file.pdf, file.png):
        assert bears(path, mark_of(read_drawn(tmp_path)["name"]))
        assert not bears(path, mark_of(drawn(made(41.0))))


def test_what_cannot_be_read_is_an_error_that_says_so(tmp_path):
    assert read_drawn(tmp_path) == {}
    for text in ("nonsense\n", "[1]\n"):
        (tmp_path / "drawn.jsonl").write_text(text)
        with pytest.raises(ConfigError, match=r"drawn.jsonl: cannot be read .* write the report again"):
            read_drawn(tmp_path)
