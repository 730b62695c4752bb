from dataclasses import replace

import pytest

from dualres.bench.campaign.studies import RIG, Quick, jobs, study
from dualres.bench.datasets import catalog
from dualres.bench.report.captions import (
    conditions,
    counted,
    folds_notice,
    in_words,
    joined,
    left_out,
    quick_notice,
    seeds_in_words,
    sentences,
    span,
)


@pytest.fixture
def planned():
    return jobs(study("replication"), (RIG,), methods=["dualres", "minirocket"])


def test_tables_and_figures_state_the_same_facts(planned):
    stated = conditions(planned)
    table, figure = stated.in_table, stated.in_figure
    for text in (table, figure):
        assert "unique labelled seconds per class" in text
        assert "recordings judged per fold" in text
        assert "300 updates" in text
        assert text.endswith("on a CPU. Rig, shaped like MCC5: a simulation.")
    assert "Rig S1, S2: " in table
    assert "Seeds 41, 42, 43; " in table
    assert "2.048, 4.096, 6.144, " in table
    assert "Rig folds S1 and S2, held-out unit: " in figure
    assert "seeds 41, 42 and 43; 2.048 to 36.864 unique" in figure


def test_one_seed_and_one_fold_are_said_so(planned):
    (first, *_) = planned
    assert "Seed 41; 2.048 unique" in conditions([first]).in_table
    assert "fold S1, held-out unit" in conditions([first]).in_figure


def test_devices_are_those_of_the_jobs_that_were_fitted(planned):
    on_gpu = [replace(planned[0], device="cuda")]
    assert conditions(planned, on_gpu).devices == "a GPU"


def test_validation_has_no_held_out_unit_in_a_figure():
    stated = conditions(jobs(study("duration"), (RIG,)))
    assert "held-out unit" not in stated.in_figure
    assert stated.places[0].validation


def test_a_quick_run_is_told_everywhere_from_the_same_numbers_and_a_whole_one_nowhere():
    quick = Quick(updates=7, most_judged=5)
    for where, words in (("table", "QUICK RUN: at most 7"), ("figure", "Quick run: 7"), ("page", "at most 7")):
        text = quick_notice(quick, where)
        assert words in text
        assert "5 " in text
        assert quick_notice(None, where) == ""


def test_folds_are_said_to_follow_from_the_text_or_to_be_reconstructed():
    said = "The folds are ours, since the paper's manifests are not published: "
    assert folds_notice(["phm2009", "mcc5"]) == f"{said}those of MCC5 and PHM2009 follow from the paper's text."
    assert folds_notice(["cwru", "mcc5"]) == (
        f"{said}those of MCC5 follow from the paper's text, those of CWRU are reconstructed."
    )
    every = folds_notice(catalog.names())
    assert "those of Paderborn, CWRU, KAIST, UORED, HUST and Ottawa are reconstructed" in every
    assert every.endswith("those of Rig, CWRU 12k, UESTC and Simulated machines have no counterpart in the paper.")


def test_words():
    assert (in_words(["a"]), in_words(["a", "b"]), in_words(["a", "b", "c"])) == ("a", "a and b", "a, b and c")
    assert joined(["a", "b", "a"]) == "a, b"
    assert (span([2]), span({5, 2, 3}), span([0.5, 0.25], ".2f")) == ("2", "2 to 5", "0.25 to 0.50")
    assert (seeds_in_words([41]), seeds_in_words([41, 42, 43])) == ("seed 41", "seeds 41 to 43")
    assert (counted(1, "pair"), counted(2, "pair")) == ("1 pair", "2 pairs")
    assert sentences("One.", "", "Two.") == "One. Two."
    assert left_out(["dualres", "mambasl"], ["dualres"]) == "Not run: MambaSL."
    assert left_out(["dualres"], ["dualres"]) == ""
