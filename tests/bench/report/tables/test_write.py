import csv
import re

import pytest

from dualres.bench.report.tables import Settings, Table, Value, all_tables, write_tables
from dualres.bench.report.tables.write import as_csv, as_latex, as_markdown, latex, markdown, read_settings
from dualres.errors import ConfigError
from dualres.utils.checksums import check_sums
from tests.bench.campaign.synthetic import synthetic_ledger

SETTINGS = Settings(("pilot", "duration"))
SMALL = Table(
    name="small_one",
    title="A & B",
    caption="100 % of it",
    study="pilot",
    labels=1,
    header=("Name", "Score"),
    rows=(
        (Value("a_b"), Value("44.26 ± 7.38 (n=3)", bold=True, paper="48.55", metric="macro_f1", mean=44.26, n=3)),
        (Value("c|d"), Value("not run", paper="1.00")),
    ),
    note="In brackets: theirs.",
)


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    path = tmp_path_factory.mktemp("ledger") / "ledger.sqlite"
    with synthetic_ledger(path, ["pilot", "duration"], datasets=["simulated", "phm2009"]) as ledger:
        return all_tables(ledger, SETTINGS)


def test_markdown_shows_bold_and_the_paper_s_value():
    assert as_markdown(SMALL).splitlines() == [
        "### A & B",
        "",
        "| Name | Score |",
        "| --- | ---: |",
        "| a_b | **44.26 ± 7.38 (n=3)** [48.55] |",
        "| c\\|d | not run [1.00] |",
        "",
        "100 % of it",
        "",
        "In brackets: theirs.",
    ]


def test_latex_is_escaped_and_shows_the_same():
    text = as_latex(SMALL)
    assert r"\caption{A \& B. 100 \% of it}" in text
    assert r"a\_b & \textbf{44.26 $\pm$ 7.38 (n=3)} {\scriptsize [48.55]} \\" in text
    assert r"c|d & not run {\scriptsize [1.00]} \\" in text
    assert r"\begin{tabular}{lr}" in text


def test_every_table_is_sound_latex(tables):
    for table in tables:
        text = as_latex(table)
        assert text.isascii(), table.name
        bare = re.sub(r"\\[{}\\&%$#_]", "", text)
        assert bare.count("{") == bare.count("}")
        assert bare.count("$") % 2 == 0
        assert not re.search(r"[%#~^]", bare), table.name
        body = text[text.index(r"\toprule") : text.index(r"\bottomrule")]
        rows = [line for line in body.splitlines() if line.endswith(r"\\")]
        assert len(rows) == len(table.rows) + 1
        assert {line.replace(r"\&", "").count("&") for line in rows} == {len(table.header) - 1}
        parts = ["begin{table}", "begin{tabular}", "end{tabular}", "end{table}"]
        assert re.findall(r"\\((?:begin|end)\{\w+\})", text) == parts


def test_whatever_latex_would_take_for_a_command_is_escaped():
    assert latex("a\\b{c}~^<3 x 4>") == (
        r"a\textbackslash{}b\{c\}\textasciitilde{}\textasciicircum{}\textless{}3 $\times$ 4\textgreater{}"
    )


def test_the_csv_has_every_cell_with_all_digits(tables):
    records = list(csv.DictReader(as_csv(tables).splitlines()))
    assert len(records) == sum(len(t.rows) * (len(t.header) - t.labels) for t in tables)
    values = [v for t in tables for row in t.rows for v in row[t.labels :]]
    for record, value in zip(records, values, strict=True):
        assert record["text"] == value.text
        assert record["mean"] == ("" if value.mean is None else repr(value.mean))
        assert record["seeds"] == " ".join(map(str, value.seeds))
    one = next(r for r in records if (r["table"], r["row"], r["column"]) == ("pilot_phm2009", "DualRes", "P2 macro-F1"))
    assert (one["dataset"], one["method"], one["budget"]) == ("phm2009", "dualres", "3x4")
    assert (one["folds"], one["seeds"], one["labelled_s"], one["paper"]) == ("P2", "41", "6.144", "52.94")
    assert re.fullmatch(r"41:[0-9a-f]{16}", one["jobs"])


def test_a_new_report_leaves_nothing_of_an_earlier_one(tables, tmp_path):
    write_tables(tables, tmp_path, SETTINGS)
    (tmp_path / "mine.txt").write_text("not of the report")
    paths = write_tables([SMALL], tmp_path, SETTINGS)
    assert {p.name for p in paths} == {"tables.csv", "settings.json", "small_one.md", "small_one.tex"}
    assert {p.name for p in tmp_path.iterdir()} == {*(p.name for p in paths), "SHA256SUMS", "mine.txt"}
    assert check_sums(tmp_path) == []


def test_settings_are_read_as_they_were_written(tmp_path):
    settings = Settings(("pilot", "bearing"), quick=True, device="cuda", threads=4)
    (tmp_path / "settings.json").write_text(settings.as_json())
    assert read_settings(tmp_path) == settings


@pytest.mark.parametrize(
    "content",
    [
        None,
        *("{", "[]", "{}"),
        '{"studies": ["pilot"], "mood": "good"}',
        '{"studies": ["alchemy"]}',
        '{"studies": [[]]}',
        '{"studies": ["pilot"], "device": "tpu"}',
        '{"studies": ["pilot"], "threads": "two"}',
    ],
)
def test_settings_that_no_report_has_are_refused_in_a_sentence(tmp_path, content):
    if content is not None:
        (tmp_path / "settings.json").write_text(content)
    with pytest.raises(ConfigError, match=r"settings\.json: .*`dualres bench report`"):
        read_settings(tmp_path)


def test_a_name_stays_in_its_cell():
    hostile = "a|b\n| c |\x1b[2J<script>"
    assert markdown(hostile) == r"a\|b\n\| c \|\x1b[2J&lt;script>"
    assert latex("a\n\x1b[2J") == r"a\textbackslash{}n\textbackslash{}x1b[2J"
