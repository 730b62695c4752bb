"""A load that comes beside samples, or by an option, and that nobody labelled: the verdict says that nothing is
promised."""

import json
from dataclasses import replace

import pytest

from dualres.judge.model import save
from dualres.stream.monitor.block import NO_RATE
from dualres.stream.watch.sources.mqtt import side_of
from tests.cli.runner import done
from tests.stream.conftest import noise
from tests.stream.monitor.test_told_condition import UNKNOWN, bound_to_loads
from tests.stream.watch.agents import RATE, chunks_of, end, run
from tests.stream.watch.sources.collected import wav


@pytest.fixture(scope="module")
def calibrated(views):
    return bound_to_loads(views)


def answers(told):
    return [(one["answer"], one["promise"], one["reason"]) for one in told if one["kind"] == "block"]


def test_a_side_input_reaches_the_answer_of_its_blocks(calibrated, tmp_path):
    sides = [side_of({"load": 2})] * 20 + [side_of({"load": 7})] * 30
    chunks = [replace(one, side=side) for one, side in zip(chunks_of(noise(50 * 1000), 1000), sides, strict=True)]
    told = run(calibrated, [*chunks, end()], tmp_path / "spool.sqlite", block_s=1.0).told
    found = answers(told)
    assert {kind for kind, *_ in found} == {"no_promise"}
    assert found[0] == ("no_promise", None, NO_RATE)
    assert found[-1] == ("no_promise", None, UNKNOWN)
    loads = [one["condition"]["load"] for one in told if one["kind"] == "block"]
    assert all(load == "7" for load, (*_, reason) in zip(loads, found, strict=True) if reason == UNKNOWN)


def test_what_is_stated_of_all_streams_counts_where_no_side_says_otherwise(calibrated, tmp_path):
    signal, stated = noise(2 * RATE), {"load": "7"}
    plain = run(calibrated, [*chunks_of(signal, 1000), end()], tmp_path / "a.sqlite", condition=stated).told
    assert {reason for *_, reason in answers(plain)} == {UNKNOWN}
    chunks = [replace(one, side={"load": "2"}) for one in chunks_of(signal, 1000)]
    other = run(calibrated, [*chunks, end()], tmp_path / "b.sqlite", condition=stated).told
    assert {reason for *_, reason in answers(other)} == {NO_RATE}


@pytest.mark.parametrize(("load", "reason"), [("7", UNKNOWN), ("2", NO_RATE)])
def test_the_command_says_so_too(calibrated, tmp_path, monkeypatch, load, reason):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    save(calibrated, tmp_path / "m.safetensors")
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.wav").write_bytes(wav((1000 * noise(RATE)).astype("<i2"), RATE))
    out = tmp_path / "out.jsonl"
    done(
        *("watch", tmp_path / "m.safetensors", tmp_path / "in", "--no-follow", "--to", out),
        *("--condition", f"load={load}", "--block", 0.5),
    )
    told = [json.loads(line) for line in out.read_text().splitlines()]
    kinds = {(kind, why) for kind, _, why in answers(told) if kind != "none_of_these"}
    assert kinds <= {("no_promise", reason)}
    assert all(promise is None for _, promise, _ in answers(told))
