"""Parts of files that a labels.csv names, from the fit to the verdict."""

import json
import re

import numpy as np
import pytest
from scipy.io import wavfile

from dualres import load
from tests.cli.runner import RATE, done, run, tone, write_labels

PART_S = 1.0


@pytest.fixture(scope="module")
def wearing(tmp_path_factory):
    """Three machines that ran well for a second and badly for the next; the third second is not labelled."""
    folder = tmp_path_factory.mktemp("wearing")
    rows = []
    for machine in range(3):
        seconds = [tone(hz, 10 * machine + i) for i, hz in enumerate((900, 3000, 5000))]
        name = f"machine{machine}.wav"
        wavfile.write(folder / name, RATE, (8000 * np.concatenate(seconds)).astype(np.int16))
        rows += [[name, "good", "", 1], [name, "worn", 1, 2]]
    write_labels(folder, "file label start_s end_s", rows)
    return folder


def test_a_fit_learns_from_the_parts_and_counts_their_seconds(wearing, tmp_path):
    out = tmp_path / "m.safetensors"
    result = done("fit", wearing, "-o", out, "--windows", 2, "--strict")
    assert re.search(r"good +│ +3 │ +3\.0 ", result.output), "three parts of one second"
    assert "3 rounds" in result.output, "one for each file"
    assert "macro-F1 100.0 %" in result.output
    assert load(out).card.exposure_s == pytest.approx({"good": 3 * 0.768, "worn": 3 * 0.768})
    judged = run("diagnose", out, wearing)
    assert re.search(r"machine0\.wav \[0 s to 1 s\]  good", judged.output)
    assert re.search(r"machine0\.wav \[1 s to 2 s\]  worn", judged.output)
    first = json.loads(run("diagnose", out, wearing, "--json").stdout.splitlines()[1])
    assert (first["start_s"], first["end_s"], first["verdict"]) == (1, 2, "worn")


def test_the_rounds_of_parts_have_no_leak_but_parts_of_one_file_on_both_sides_are_one(wearing, tmp_path):
    done("audit", wearing, "--json")
    split = tmp_path / "split.csv"
    split.write_text("file,side\nmachine0.wav [0 s to 1 s],support\nmachine0.wav [1 s to 2 s],evaluation\n")
    result = run("audit", wearing, "--split", split, "--json")
    assert result.exit_code == 1
    assert "same-file" in {finding["kind"] for finding in json.loads(result.stdout)}
