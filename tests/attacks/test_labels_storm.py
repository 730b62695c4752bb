"""Edits that were answered as saved are there in the end, and one that is not is noticed."""

from functools import partial
from pathlib import Path

import pytest

from tests.attacks.stress_scripts import script

_tally, labels_storm = script("_tally"), script("labels_storm")


@pytest.mark.exhaustive
def test_a_small_storm():
    plan = labels_storm.Plan(edits=25, kills=1)
    storm = _tally.Attack("small", "", partial(labels_storm.storms, plan), longest_s=600.0, each=plan.edits)
    result = _tally.here(storm, [7])
    assert result["failures"] == {}
    assert (result["tries"], result["outcomes"]) == (25, {"nothing lost": 1})


LISTS = {
    "a label": "file,label,count\nr0.wav,,2 by 1\nr1.wav,old,\nappended0.wav,a0,\n",
    "a count": "file,label,count\nr0.wav,,1 by 0\nr1.wav,new,\nappended0.wav,a0,\n",
    "a row": "file,label,count\nr0.wav,,2 by 1\nr1.wav,new,\n",
    "a row twice": "file,label,count\nr0.wav,,2 by 1\nr1.wav,new,\nr1.wav,new,\nappended0.wav,a0,\n",
    "": "file,label,count\nr0.wav,,2 by 1\nr1.wav,new,\nappended0.wav,a0,\n",
}


@pytest.mark.parametrize("lost", LISTS)
def test_what_is_lost_is_a_failure(tmp_path: Path, lost: str):
    (tmp_path / "labels.csv").write_text(LISTS[lost])
    storm = labels_storm.Storm(labels_storm.Plan(kills=0), tmp_path)
    for cell, text in (
        (("r1.wav", "label"), "new"),
        (labels_storm.COUNTER, "1 by 0"),
        (labels_storm.COUNTER, "2 by 1"),
    ):
        storm.begin(cell, text)
        storm.end(cell, text, True)
    if lost:
        with pytest.raises(AssertionError, match=r"lost|counted 1, not 2|two rows"):
            labels_storm.check(storm, ["appended0.wav"])
    else:
        labels_storm.check(storm, ["appended0.wav"])
