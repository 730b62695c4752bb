"""Ratios over commits: taken from what was measured, and pointed out where they became worse."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from dualres.bench.verify.manifest import covered
from speed import history, plots, ratios

ROOT = Path(__file__).parents[2]
LOWER, HIGHER = "window_over_floor", "torch_over_verdict"
XEON, EPYC = "Xeon, 2 cores", "EPYC, 2 cores"


def run(number: int, machine: str = XEON, **some: float):
    return history.Run(f"2026-01-{number:02}", f"{number:07x}", machine, some)


@pytest.mark.parametrize(
    ("name", "factor", "told"),
    [
        (LOWER, 1.11, "+11"),
        (LOWER, 1.09, None),
        (LOWER, 0.80, None),
        (HIGHER, 0.89, "-11"),
        (HIGHER, 0.91, None),
        (HIGHER, 1.20, None),
    ],
)
def test_a_change_for_the_worse_by_more_than_a_tenth_is_pointed_out(name, factor, told):
    runs = [run(1, **{name: 2.0}), run(2, **{name: 2.0 * factor})]
    shown, words = plots.plots(runs), history.in_words(runs)
    assert [drop.ratio.name for drop in history.drops(runs)] == ([name] if told else [])
    for text in (shown, words):
        assert text.count("Worse by more than 10 % than in the run before: 1.") == bool(told)
        assert ("No ratio became worse" in text) is (told is None)
        assert (f"({told}\u00a0%; " in text) is bool(told)
    assert shown.count('<figure class="worse">') == bool(told)
    assert shown.count(' bad" d=') == bool(told)  # the point itself is red
    if told:
        assert shown.index('<li class="worse">') < shown.index("<figure")  # in words, before any plot
        assert words.index("* ") < words.index("|")


def test_runs_on_other_machines_are_not_compared():
    runs = [run(1, XEON, **{LOWER: 1.0}), run(2, EPYC, **{LOWER: 2.0}), run(3, XEON, **{LOWER: 1.05})]
    assert history.drops(runs) == []
    assert plots.plots(runs).count("<polyline") == 1  # one line joins the two points of one machine


def test_a_run_that_did_not_measure_a_ratio_is_passed_over():
    runs = [run(1, **{LOWER: 1.0}), run(2, **{HIGHER: 9.0}), run(3, **{LOWER: 1.2})]
    (drop,) = history.drops(runs)
    assert (drop.before.commit, drop.now.commit) == ("0000001", "0000003")


def test_what_was_regained_is_said_so_and_comes_last():
    runs = [
        run(1, **{LOWER: 1.0, HIGHER: 9.0}),
        run(2, **{LOWER: 1.3, HIGHER: 7.0}),
        run(3, **{LOWER: 1.02, HIGHER: 7.1}),
    ]
    assert [(drop.ratio.name, drop.regained) for drop in history.drops(runs)] == [(HIGHER, False), (LOWER, True)]
    assert "Worse by more than 10 % than in the run before: 1." in history.in_words(runs)
    assert history.in_words(runs).count("since regained") == 1
    assert history.summary(history.drops([run(1, **{LOWER: 1.0}), run(2, **{LOWER: 1.3}), run(3, **{LOWER: 1.0})])) == (
        "Everything that became worse by more than 10 % from one run to the next was regained since."
    )


def test_a_level_that_stays_worse_stays_named():
    runs = [run(1, **{LOWER: 1.0}), run(2, **{LOWER: 1.3}), run(3, **{LOWER: 1.3}), run(4, **{LOWER: 1.29})]
    (drop,) = history.drops(runs)
    assert not drop.regained


def test_machines_are_told_apart_and_their_words_are_text():
    some = [run(i, f"<b>{i}</b>", **{LOWER: 1.0 + i / 100}) for i in range(1, 10)]
    shown = plots.plots(some)
    assert "<b>1</b>" not in shown
    assert shown.count("&lt;b&gt;7&lt;/b&gt;") >= 2
    legend = shown.split('class="machines"')[1].split("</ul>")[0]
    looks = [part.split(' transform="')[0] for part in legend.split("<path ")[1:]]
    assert len(set(looks)) == len(looks) == 9


def test_a_run_is_appended_with_ratios_alone(tmp_path):
    found = {"kernel_ms": 0.5, "floor_ms": 0.8, "scan_ref_ms": 20.0}
    found |= {"variant": "avx2", "default": {"avx2_over_floor": 0.75, "avx512_over_floor": 0.5}}
    (tmp_path / "window.json").write_text(json.dumps(found))
    (tmp_path / "fit_cuda.json").write_text(
        json.dumps({"device": "NVIDIA H200", "fit_s": 0.15, "floor_s": 0.1, "plain_s": 6.0})
    )
    file = tmp_path / "history.jsonl"
    file.write_text(json.dumps(vars(run(1, **{LOWER: 0.7}))) + "\n")
    history.append(file, history.measured(tmp_path, ["window", "fit_cuda"], "a machine"))
    first, cpu, gpu = (json.loads(line) for line in file.read_text().splitlines())
    assert first["ratios"] == {LOWER: 0.7}
    assert set(cpu) == {"date", "commit", "machine", "ratios"}
    assert cpu["machine"] == "a machine"
    assert cpu["ratios"] == {LOWER: 0.625, "default_over_floor": 0.75, "token_loop_over_window": 40.0}
    assert (gpu["machine"], gpu["ratios"]) == ("NVIDIA H200", {"gpu_fit_over_floor": 1.5, "gpu_plain_over_fit": 40.0})
    head = subprocess.run(["git", "-C", ROOT, "rev-parse", "HEAD"], capture_output=True, text=True).stdout
    assert head.startswith(cpu["commit"].removesuffix("+"))


def test_this_machine_is_named_in_words():
    words = history.this_machine()
    assert "core" in words
    assert "  " not in words
    assert "(R)" not in words


def test_generations_of_one_name_are_told_apart(tmp_path, monkeypatch):
    monkeypatch.setattr(
        "dualres.bench.campaign.run_job.machine", lambda device: {"device": "AMD EPYC", "kernel": "avx2"}
    )
    facts = tmp_path / "cpuinfo"
    monkeypatch.setattr(history, "CPU_FACTS", facts)
    assert history.this_machine().startswith("AMD EPYC with AVX2")
    facts.write_text("processor\t: 0\ncpu family\t: 26\nmodel\t\t: 2\n")
    assert history.this_machine().startswith("AMD EPYC (family 26, model 2) with AVX2")


@pytest.mark.parametrize("found", [{}, {"kernel_ms": 1.0}, {"kernel_ms": None, "floor_ms": 1.0}])
def test_a_ratio_that_a_script_no_longer_prints_is_an_error_that_names_it(tmp_path, found):
    (tmp_path / "window.json").write_text(json.dumps(found))
    with pytest.raises(SystemExit, match=r"window\.json: has no window_over_floor .*speed/ratios\.py"):
        history.measured(tmp_path, ["window"], "a machine")


def test_a_script_that_has_not_run_is_named(tmp_path):
    with pytest.raises(SystemExit, match=r"window\.json: is missing; speed/window\.py prints"):
        history.measured(tmp_path, ["window"], "a machine")


def test_make_speed_appends_what_it_measured():
    text = (ROOT / "Makefile").read_text()
    listed = text.split("SPEED := ")[1].split("\n")[0].split()
    assert "-m speed.history $(SPEED)" in text
    on_cpu = {ratio.script for ratio in ratios.RATIOS if not ratio.script.endswith("_cuda")}
    assert on_cpu <= set(listed)
    assert all((ROOT / "speed" / f"{script}.py").exists() for script in listed)


def test_names_are_used_once():
    names = [ratio.name for ratio in ratios.RATIOS]
    assert len(set(names)) == len(names)


def test_the_history_is_part_of_the_results_and_holds_what_was_measured_last():
    assert "speed_history.jsonl" in covered(ROOT / "results")
    newest = {name: value for one in history.read(history.HISTORY) for name, value in one.ratios.items()}
    measured = {
        ratio.name: history.value_of(
            ratio, json.loads((history.MEASURED / f"{ratio.script}.json").read_text()), history.MEASURED
        )
        for ratio in ratios.RATIOS
    }
    assert newest == measured, "`python -m speed.history SCRIPT ...` appends what was measured anew"


@pytest.mark.subprocess
def test_the_page_says_what_the_history_holds():
    command = [sys.executable, "-m", "speed.history", "--check"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
