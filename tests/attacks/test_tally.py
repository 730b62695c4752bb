"""Tries add up over runs and machines, and a failure can be repeated."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.attacks import toy_attack
from tests.attacks.stress_scripts import STRESS, script

_tally = script("_tally")
ROOT = Path(__file__).parents[2]


def run(*words, expect=0):
    paths = os.pathsep.join([str(ROOT / "src"), str(ROOT), str(STRESS)])
    done = subprocess.run(
        [sys.executable, "-W", "ignore", *map(str, words)],
        cwd=ROOT, env=os.environ | {"PYTHONPATH": paths}, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == expect, done.stdout + done.stderr
    return done


def stored(path):
    return json.loads(path.read_text())["attacks"]


def saved(path, attack, seeds, **changes):
    data = {"script": "stress/toy.py", "attacks": {attack.name: _tally.here(attack, seeds) | changes}}
    path.write_text(json.dumps(data))
    return path


@pytest.mark.subprocess
def test_a_run_goes_on_where_the_last_one_stopped(tmp_path):
    state = tmp_path / "state.json"
    first = run(toy_attack.__file__, 6, "--state", state, "--workers", 2, expect=1)
    assert "missing: skipped, for no_such_library is not installed" in first.stderr
    good, bad = stored(state)["good"], stored(state)["bad"]
    assert (good["tries"], good["failures"], good["outcomes"]) == (6, {}, {"even": 3, "odd": 3})
    assert bad["tries"] == 60
    assert bad["failures"]["2"] == "ValueError('two')"
    assert "ended with -11" in bad["failures"]["3"]  # a crash
    assert "ended with -9 after 1." in bad["failures"]["4"]  # ended from outside
    assert list(bad["failures"]) == ["2", "3", "4"]
    assert str(state) not in bad["runs"][0]["command"]
    assert bad["runs"][0]["machine"]
    run(toy_attack.__file__, 8, "--only", "good", "--state", state)
    good = stored(state)["good"]
    assert (good["tries"], good["seeds"], [one["tries"] for one in good["runs"]]) == (8, [[0, 7]], [6, 2])
    assert stored(state)["bad"] == bad


@pytest.mark.subprocess
def test_states_of_several_machines_make_one(tmp_path):
    a = saved(tmp_path / "a.json", toy_attack.GOOD, range(3), slowest_s=1.0, peak_mb=7)
    b = saved(tmp_path / "b.json", toy_attack.GOOD, range(10, 12), slowest_s=2.0, peak_mb=5, failures={"11": "no"})
    run(STRESS / "_tally.py", "merge", a, b, "-o", tmp_path / "c.json")
    both = stored(tmp_path / "c.json")["good"]
    assert (both["tries"], both["seeds"]) == (5, [[0, 2], [10, 11]])
    assert (both["slowest_s"], both["peak_mb"], both["failures"]) == (2.0, 7, {"11": "no"})
    assert both["outcomes"] == {"even": 3, "odd": 2}


@pytest.mark.parametrize("option", ["--state", "-o", "--out"])
def test_where_results_lie_is_not_kept_with_them(monkeypatch, option):
    monkeypatch.setattr(sys, "argv", ["stress/x.py", "--workers", "2", option, "somewhere/x.json", "--seed", "3"])
    assert _tally.this_run("stress/x.py")["command"] == "python stress/x.py --workers 2 --seed 3"


def test_no_try_is_counted_twice(tmp_path):
    a = saved(tmp_path / "a.json", toy_attack.GOOD, range(3))
    with pytest.raises(SystemExit, match=r"seeds that another state has, too: 0 to 2"):
        _tally.merge([a, a], tmp_path / "c.json")
    assert not (tmp_path / "c.json").exists()


def test_a_state_of_another_script_is_not_added_to(tmp_path):
    a = saved(tmp_path / "a.json", toy_attack.GOOD, range(3))
    with pytest.raises(SystemExit, match=r"holds tries of stress/toy\.py, not of stress/other\.py"):
        _tally.read(a, "stress/other.py")


def test_a_repeated_failure_is_counted_as_it_ends_now():
    tally = _tally.Tally("")
    tally.add(_tally.Tried(5, _tally.FAILED, 1.0, 10.0, "wrong"))
    tally.add(_tally.Tried(5, "refused", 0.5, 9.0))
    data = tally.as_data()
    assert (data["tries"], data["failures"], data["outcomes"]) == (1, {}, {"refused": 1})


def test_the_largest_of_what_tries_measure_is_kept(tmp_path):
    workers = script("_workers")
    tally, parts = _tally.Tally("Measured"), []
    for seed, off in enumerate([0.25, 0.5, 0.125]):
        tally.add(workers.tried(toy_attack.GOOD, lambda seed, off=off: ("agreed", {"off": off}), seed))
    assert tally.as_data()["most"] == {"off": 0.5}
    assert _tally.Tally.parsed(tally.as_data()).as_data() == tally.as_data()
    for first, most in ((0, {"off": 0.5}), (10, {"off": 0.75, "late": 2.0}), (20, None)):
        more = {"most": most} if most else {}
        parts.append(saved(tmp_path / f"{first}.json", toy_attack.GOOD, range(first, first + 3), **more))
    _tally.merge(parts, tmp_path / "all.json")
    assert stored(tmp_path / "all.json")["good"]["most"] == {"off": 0.75, "late": 2.0}


def test_what_needs_a_program_is_skipped_without_it():
    assert _tally.Attack("", "", None, programs=(sys.executable,)).missing == []
    attack = _tally.Attack("", "", None, ("no_such_library",), programs=("no-such-program",))
    assert attack.missing == ["no_such_library", "no-such-program"]


def test_too_much_time_or_memory_is_a_failure(monkeypatch):
    workers = script("_workers")
    attack = _tally.Attack("", "", None, longest_s=0.01, most_mb=100.0)
    assert workers.tried(attack, lambda seed: time.sleep(0.02), 0).problem == "took 0.0 s"
    peaks = iter([90.0, 101.0, 101.0, 101.0])
    monkeypatch.setattr(workers, "peak_mb", lambda: next(peaks))
    assert workers.tried(attack, lambda seed: "read", 1).problem == "took 101 MB"
    assert workers.tried(attack, lambda seed: "read", 2).problem == ""  # it was another that took it
