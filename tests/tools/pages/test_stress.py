"""The table of attacks, from what the scripts in stress/ store."""

import json

import pytest

from tools.pages.stress import Stress


@pytest.fixture
def stress(tmp_path):
    """Answers from states that are written to the folder it comes with."""
    (tmp_path / "measured").mkdir()
    return Stress(tmp_path), tmp_path / "measured"


def state(folder, name, **attacks):
    (folder / f"stress_{name}.json").write_text(json.dumps({"script": f"stress/{name}.py", "attacks": attacks}))


def attack(**changes):
    run = {"machine": "AMD", "cores": 16, "date": "2026-01-02"}
    return {
        "title": "damaged files",
        "tries": 1500,
        "failures": {},
        "slowest_s": 0.25,
        "peak_mb": 1234,
        "seeds": [[0, 1499]],
        "runs": [run, run],
    } | changes


def test_every_stored_attack_has_a_row(stress):
    answers, folder = stress
    state(folder, "b", one=attack(), untried=attack(tries=0))
    state(folder, "a", other=attack(seeds=[[0, 9], [50, 59]], failures={"3": "no", "51": "no"}))
    *_, first, second = answers.stress_table().splitlines()
    assert first.startswith("| damaged files | 1,500 | 2 (seeds 3, 51) |")
    assert first.endswith("| `python stress/a.py 10 --only other`, `python stress/a.py 10 --only other --seed 50` |")
    end = "| AMD, 16 cores | 2026-01-02 | `python stress/b.py 1500 --only one` |"
    assert second == f"| damaged files | 1,500 | 0 | 0.2 | 1,234 {end}"


def test_machines_and_dates_are_all_told(stress):
    answers, folder = stress
    runs = [{"machine": name, "cores": 2, "date": f"2026-01-0{day}"} for name, day in (("B", 2), ("A", 1), ("B", 3))]
    state(folder, "a", one=attack(runs=runs))
    assert "| B, 2 cores; A, 2 cores | 2026-01-01 to 2026-01-03 |" in answers.stress_table()


def test_how_far_devices_were_from_the_monitor_is_told(stress):
    answers, folder = stress
    fine = attack(title="streams to x86", tries=200, most={"logits": 3.52e-5, "probabilities": 2.4e-6})
    worse = attack(title="streams to a toaster", tries=7, failures={"3": "no"}, most=fine["most"])
    searching = attack(title="streams to a searcher", most={"probabilities": 1.9e-7})
    state(folder, "exported_streams", one=fine, two=worse, three=searching)
    *_, first, second, third = answers.exported_streams().splitlines()
    assert third == "| streams to a searcher | 1,500 | 0 | - | 1.9e-07 |"
    assert first == "| streams to x86 | 200 | 0 | 3.5e-05 | 2.4e-06 |"
    assert second == "| streams to a toaster | 7 | 1 | 3.5e-05 | 2.4e-06 |"
