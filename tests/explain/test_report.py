import json

import numpy as np
import pytest

from dualres.explain.report import MachineFacts, examine
from dualres.faultlines.bearing import bearing_of
from dualres.judge.verdict import diagnose_recording
from dualres.recordings.labels.read import row_of
from dualres.recordings.recording import Recording
from dualres.recordings.speed import speed_in
from tests.model.made_orders import made_orders
from tests.model.made_views import RATE, machine_windows, made_views
from tests.models import model_of


@pytest.fixture(scope="module")
def case():
    windows = machine_windows(4, 4, seed=8)
    heard = Recording.from_array(windows[12:].ravel(), RATE, id="today")
    known = [Recording.from_array(windows[4 * c], RATE, id=f"known {c}", label=f"class {c}") for c in range(4)]
    return examine(model_of(made_views(4)), heard, MachineFacts(20.0, bearing_of("6205"), unit="g"), known)


def test_a_case_holds_all_that_was_asked_for(case):
    assert (case.verdict.label, case.reasons.label) == ("class 3", "class 3")
    assert case.nearest[0].recording.label == "class 3"
    assert len(case.nearest) == 2
    assert case.nearest[1].recording.label != "class 3"
    assert {one.line.name for one in case.assessment.found} == {"shaft", "BPFO", "BPFI", "2xBSF", "FTF"}
    assert case.velocity_mm_s > 0


def test_its_data_is_json(case):
    said = json.loads(json.dumps(case.as_data()))
    assert said["adds_up_to"] == pytest.approx(said["logit"], abs=1e-5)
    assert said["envelope"].keys() == {"low_hz", "high_hz", "kurtosis"}
    assert [line["name"] for line in said["lines"]] == ["shaft", "BPFO", "BPFI", "2xBSF", "FTF"]


def test_a_list_above_a_file_names_its_speed(tmp_path):
    (tmp_path / "signals").mkdir()
    file = tmp_path / "signals" / "a.npy"
    np.save(file, np.zeros(10, np.float32))
    assert row_of(file).known == {}
    (tmp_path / "labels.csv").write_text("file,label,rate,rpm\nsignals/a.npy,good,12000,1200\n")
    row = row_of(file)
    assert row.rate == 12_000
    assert MachineFacts.stated(speed_in(row.known["condition"])).shaft_hz == 20


@pytest.fixture(scope="module")
def turning():
    """Models and recordings whose speed was labelled."""
    windows = machine_windows(4, 4, seed=8)
    return model_of(made_orders(4)), Recording.from_array(windows[12:].ravel(), RATE, id="today")


def test_lines_are_looked_for_at_the_speed_at_which_it_was_judged(turning):
    model, heard = turning
    case = examine(model, heard, MachineFacts(bearing=bearing_of("6205")))
    assert case.verdict.speed.source == "estimated"
    assert case.assessment.shaft_hz == case.verdict.speed.mean_hz
    assert examine(model, heard, MachineFacts(30.0, bearing_of("6205"))).assessment.shaft_hz == 30.0
    assert examine(model, heard, MachineFacts()).assessment is None  # there is nothing to look for


def test_its_data_names_the_axis_and_the_speed(turning, case):
    model, heard = turning
    said = json.loads(json.dumps(examine(model, heard, MachineFacts(bearing=bearing_of("6205"))).as_data()))
    assert said["axis"] == "orders"
    assert said["speed"] == diagnose_recording(model, heard).as_data()["speed"]
    named = [band for band in said["bands"] if band["lines"]]
    assert all("of 6205" in band["words"] and band["orders"] for band in named)
    assert {"BPFO of 6205", "BPFI of 6205"} < {line["name"] for band in named for line in band["lines"]}
    of_views = case.as_data()
    assert (of_views["axis"], of_views["speed"]) == ("hz", None)
    assert {"view", "low_hz", "high_hz", "repeats_hz", "nats", "memory"} < of_views["bands"][0].keys()
