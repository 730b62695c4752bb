"""Exports of several networks whose probabilities are averaged: both kinds, floats and counts, against Python."""

import re
import shutil
import subprocess
from fractions import Fraction

import numpy as np
import pytest

from dualres import diagnose_recording
from dualres.export.compiler import SOURCES, STRICT
from dualres.export.network_kinds import kind_of
from dualres.export.test_vectors import as_counts, stream_shares
from dualres.recordings.recording import Recording
from tests.export.conftest import CLASSES, Device, exported_once, machine, made_model, made_views_model
from tests.export.test_device import RIGHT, make, needs

MEMBERS = {"paper": 3, "views": 2}
SCORE = {"paper": "dualres_windows", "views": "dualres_views"}
KINDS = pytest.mark.parametrize("kind", MEMBERS)


@pytest.fixture(scope="module")
def several():
    return {"paper": made_model(members=MEMBERS["paper"]), "views": made_views_model(members=MEMBERS["views"])}


@pytest.fixture(scope="module")
def board(several, compiler, tmp_path_factory):
    return exported_once(several, tmp_path_factory)


@KINDS
@pytest.mark.parametrize("rate", [64_000, 12_800])
def test_the_verdict_is_python_s(board, several, kind, rate):
    signal = machine(1.7, rate, seed=1)
    verdict = diagnose_recording(several[kind], Recording.from_array(signal, rate))
    result = Device(board(kind, rate), score=SCORE[kind]).judge(signal)
    assert result.windows == verdict.windows == 5
    assert sum(result.probabilities) == pytest.approx(1)
    assert np.abs(np.array(result.probabilities) - [*verdict.probabilities.values()]).max() < 1e-3


@pytest.mark.parametrize(("kind", "rate"), [("paper", 12_800), ("views", 64_000)])
def test_counts_give_python_s_verdict(board, several, kind, rate):
    signal = as_counts(6000 * machine(1.2, rate, seed=2))
    windows, shares = stream_shares(several[kind], signal, Fraction(rate), int16=True)
    result = Device(board(kind, rate, int16=True), int16=True, score=SCORE[kind]).judge(signal)
    assert result.windows == windows == 3
    assert np.abs(np.array(result.probabilities) - shares).max() < kind_of(several[kind]).share_tolerance


@KINDS
def test_flash_grows_and_ram_does_not(board, exported, exported_views, kind):
    one = (exported if kind == "paper" else exported_views)(12_800)
    more = board(kind)
    assert [each.state for each in more.checks] == [each.state for each in one.checks]
    grown = (more.flash[0].bytes - one.flash[0].bytes) / (MEMBERS[kind] - 1)
    # A network's own constants: tables that networks of views share are stored once.
    assert {"paper": 160e3, "views": 220e3}[kind] < grown < {"paper": 190e3, "views": 250e3}[kind]
    readme = (more.folder / "README.md").read_text()
    assert f"Flash holds {MEMBERS[kind]} networks" in readme


@KINDS
def test_every_network_is_checked(board, kind):
    lines = board(kind).checks[0].lines
    named = [re.match(r"network (\d), window (\d): class", line) for line in lines[: 2 * MEMBERS[kind]]]
    assert [(int(n[1]), int(n[2])) for n in named] == [(n, w) for n in range(MEMBERS[kind]) for w in (0, 1)]
    assert lines[-1] == RIGHT


@KINDS
def test_the_check_notices_another_last_network(board, tmp_path, kind):
    folder = shutil.copytree(board(kind).folder, tmp_path / "board", ignore=shutil.ignore_patterns("build"))
    source, name = folder / "dualres_model.c", f"head_{MEMBERS[kind] - 1}[] = {{"
    content = source.read_text()
    first = content.index(name) + len(name)
    source.write_text(content[:first] + "0x1p+9f, " + content[content.index(",", first) + 1 :])
    done = subprocess.run(["make", "-C", folder, "check"], capture_output=True, text=True)
    assert done.returncode != 0
    assert "NOT as exported" in done.stdout


@KINDS
def test_make_check(board, kind):
    assert RIGHT in make(board(kind).folder, "check", "INT16=1", "LANES=4")


@KINDS
def test_it_runs_clean_under_sanitizers(board, compiler, tmp_path, kind):
    folder, program = board(kind).folder, tmp_path / "check"
    sanitize = ["-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
    sources = [folder / name for name in ("check.c", *SOURCES)]
    subprocess.run([compiler, *STRICT, *sanitize, *sources, "-lm", "-o", program], check=True)
    done = subprocess.run([program], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout + done.stderr


@pytest.mark.device
def test_on_a_cortex_m4(board):
    needs("arm-none-eabi-gcc", "gcc-arm-none-eabi")
    needs("qemu-system-arm", "qemu-system-arm")
    assert RIGHT in make(board("paper").folder / "cortex-m", "check")


def test_a_class_is_the_one_that_all_networks_choose_together(board, several):
    """Not that of any single one: their probabilities differ."""
    signal = machine(0.6, 64_000, seed=3)
    said = np.array(Device(board("paper", 64_000)).judge(signal).probabilities)
    for number in range(MEMBERS["paper"]):
        single = several["paper"]
        alone = type(single)((single.members[number],), made_model(classes=CLASSES).card)
        verdict = diagnose_recording(alone, Recording.from_array(signal, 64_000))
        assert np.abs(said - [*verdict.probabilities.values()]).max() > 1e-3
