"""Sinks that write files."""

import csv
import json

import pytest

from dualres.errors import ConfigError, OutputError
from dualres.stream.watch.sinks.catalogue import sink_of
from dualres.stream.watch.sinks.sink import NotDeliveredError, append
from tests.stream.watch.sinks.records import record


def test_json_lines_are_added_to_what_is_there(tmp_path):
    path = tmp_path / "x.jsonl"
    sink_of(str(path)).send([record(0), record(1)])
    sink_of(str(path)).send([record(2)])
    assert [json.loads(line) for line in path.read_text().splitlines()] == [record(i).data for i in range(3)]


def test_a_table_has_one_header_and_cells_that_need_it_are_quoted(tmp_path):
    path = tmp_path / "x.csv"
    for i in range(2):
        sink_of(str(path)).send([record(i, label="in, ner\n", answer="one of", set=["good", "worn"])])
    rows = list(csv.DictReader(path.read_text().splitlines()))
    assert [row["number"] for row in rows] == ["0", "1"]
    cells = {"label": "in, ner\\n", "answer": "one of good worn", "id": "pump/1/window/1", "condition": "load=3"}
    assert rows[1].items() >= cells.items()


def test_what_would_steer_a_terminal_or_a_spreadsheet_is_shown(tmp_path):
    for name in ("x.csv", "x.prom", "x.lp"):
        sink_of(str(tmp_path / name)).send([record(0, "=cmd()\x1b[2J\r", kind="block")])
        assert not {"\x1b", "\r"} & set((tmp_path / name).read_bytes().decode())
    (row,) = csv.DictReader((tmp_path / "x.csv").read_text().splitlines())
    assert row["stream"] == "'=cmd()\\x1b[2J\\r"


def test_streams_whose_names_look_alike_make_no_invalid_file(tmp_path):
    sink = sink_of(str(tmp_path / "x.prom"))
    sink.send([record(0, "\x1b"), record(3, "\\x1b", probabilities={"\r": 0.25, "\\r": 0.75})])
    series = [line.rpartition(" ")[0] for line in (tmp_path / "x.prom").read_text().splitlines() if line[0] != "#"]
    assert len(series) == len(set(series)) == 4


def test_a_sink_whose_name_is_no_text_is_refused(tmp_path):
    with pytest.raises(ConfigError, match="not UTF-8"):
        sink_of(str(tmp_path / "\udcff.csv"))


@pytest.mark.parametrize("torn", ["b", "x" * 10_000])
def test_a_line_that_was_cut_off_is_taken_away(tmp_path, torn):
    path = tmp_path / "x.jsonl"
    path.write_text("a\n" + torn)
    append(path, "c\n")
    assert path.read_text() == "a\nc\n"
    path.write_text(torn)
    append(path, "c\n", header="h\n")
    assert path.read_text() == "h\nc\n"


def test_prometheus_reads_the_latest_state(tmp_path):
    path = tmp_path / "x.prom"
    sink = sink_of(str(path))
    sink.send([record(0), record(1), record(0, 'a "b"\\', kind="block", alarm={"raised": True})])
    lines = path.read_text().splitlines()
    assert 'dualres_probability{stream="pump",kind="window",class="good"} 0.75' in lines
    assert 'dualres_probability{stream="a \\"b\\"\\\\",kind="block",class="in, ner"} 0.25' in lines
    assert 'dualres_verdicts_total{stream="pump",kind="window"} 2' in lines
    assert 'dualres_missing_samples_total{stream="pump"} 5' in lines
    assert 'dualres_alarm{stream="a \\"b\\"\\\\"} 1' in lines
    assert 'dualres_verdict_time_seconds{stream="pump",kind="window"} 1794850938.625' in lines
    helped = [line.split()[2] for line in lines if line.startswith("# TYPE")]
    assert len(helped) == len(set(helped)) == 5
    sink.send([record(2)])
    assert 'dualres_missing_samples_total{stream="pump"} 15' in path.read_text().splitlines()


def test_prometheus_counts_what_is_missing_once_of_windows_or_blocks(tmp_path):
    path, some = tmp_path / "x.prom", [record(number, kind="block") for number in range(3)]
    sink = sink_of(str(path))
    path.mkdir()
    with pytest.raises(NotDeliveredError):  # it cannot be written
        sink.send(some)
    path.rmdir()
    sink.send(some)
    assert 'dualres_missing_samples_total{stream="pump"} 15' in path.read_text().splitlines()
    sink.send([record(3)])
    assert 'dualres_missing_samples_total{stream="pump"} 15' in path.read_text().splitlines()


def test_the_speed_at_which_a_block_was_judged_arrives(tmp_path):
    judged = record(0, kind="block", speed={"rpm": 1476.25, "source": "stated", "spread": 0.02})
    for name in ("x.prom", "x.lp", "x.jsonl"):
        sink_of(str(tmp_path / name)).send([record(0), judged])
    assert 'dualres_speed_rpm{stream="pump"} 1476.25' in (tmp_path / "x.prom").read_text().splitlines()
    without, having = (tmp_path / "x.lp").read_text().splitlines()
    assert "speed" not in without
    assert ",speed_rpm=1476.25 " in having
    assert '"rpm": 1476.25' in (tmp_path / "x.jsonl").read_text()


def test_line_protocol_escapes_what_it_must(tmp_path):
    path = tmp_path / "x.lp"
    sink_of(str(path)).send([record(3, "pump 1,a", label='"good"')])
    tags, fields, moment = (
        "dualres,stream=pump\\ 1\\,a,kind=window,run=1",
        'label="\\"good\\"",probability=0.75,id="pump 1,a/1/window/3",p_good=0.75,p_in\\,\\ ner=0.25,'
        "number=3i,windows=1i,missing=15i",
        "1794850938625000003",
    )
    assert path.read_text() == f"{tags} {fields} {moment}\n"


@pytest.mark.parametrize("text", ["x.txt", "ftp://host/x", "x"])
def test_others_are_refused(text):
    with pytest.raises(ConfigError, match=r"\.jsonl"):
        sink_of(text)


def test_a_place_that_cannot_be_written_to_is_told_at_once(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError):
        sink_of(str(tmp_path / "file" / "x.csv"))
