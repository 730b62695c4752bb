import re
from dataclasses import replace

import numpy as np
import pytest

from dualres.explain.reasons import Reasons, Share, compare_classes
from dualres.explain.regions import ENVELOPE, SPECTRA, Region
from dualres.explain.sentence import marks_of, sentence_of
from dualres.faultlines.lines import OrderLine
from dualres.judge.model import Model
from dualres.model.kinds import PAPER
from dualres.model.network import DualRes
from dualres.recordings.recording import Recording
from tests.model.made_orders import made_turning, turning_machine
from tests.model.made_views import RATE, WINDOW
from tests.models import model_of

NYQUIST = 6000.0


def band(low: float, nats: float, above: float = 1.0, apart: float = 1.0) -> Share:
    return Share(Region(SPECTRA, low, low + 500), nats, above=above, apart=apart)


def order(at: float, nats: float, above: float, apart: float, name: str = "") -> Share:
    lines = (OrderLine(at, name),) if name else ()
    return Share(Region(ENVELOPE, 16, 32_000, orders=(0.97 * at, 1.02 * at), lines=lines), nats, 0.0, above, apart)


def reasons(*shares: Share) -> Reasons:
    return Reasons("inner", "outer", 1.0, shares, 0.0, 0.0, {}, (), 1)


def said(*shares: Share) -> str:
    found = reasons(*shares)
    return sentence_of(found, marks_of(found, NYQUIST))


def test_the_sentence_names_lines_and_bands_as_an_engineer_would() -> None:
    text = said(
        order(5.4, 0.9, above=2, apart=3, name="BPFI of 6205"), band(2500, 0.5), order(3.6, 0.4, above=-1, apart=-2)
    )
    assert text == (
        "Most like 'inner': strong at 5.40 x shaft (BPFI of 6205) and between 2.5 and 3 kHz; "
        "'outer' would be stronger at 3.58 x shaft."
    )


def test_bands_beside_each_other_are_one_and_little_is_left_out() -> None:
    text = said(band(2500, 0.5), band(3000, 0.4), band(1000, 0.01), band(0, 0.35, above=-1, apart=-1))
    assert text == "Most like 'inner': strong between 2.5 and 3.5 kHz; 'outer' would be stronger below 0.5 kHz."


def test_lines_of_the_machine_keep_their_names_beside_each_other() -> None:
    one = order(3.6, 0.5, above=1, apart=1, name="BPFO of 6205")
    two = order(3.75, 0.5, above=1, apart=1, name="2 x shaft")
    assert said(one, two).count("x shaft (") == 2
    assert said(one, order(3.75, 0.1, above=1, apart=1)) == "Most like 'inner': strong at 3.60 x shaft (BPFO of 6205)."


def test_what_speaks_for_the_runner_up_is_told_where_it_is_much() -> None:
    own = band(2500, 1.0)
    assert "But" not in said(own, band(4000, -0.3, above=1, apart=-1))
    text = said(own, band(4000, -0.6, above=1, apart=-1), order(7.0, -0.5, above=-1, apart=1))
    assert text.endswith(
        "But like 'outer' it is strong between 4 and 4.5 kHz, and 'inner' would be stronger at 6.96 x shaft."
    )


def test_a_head_that_uses_a_band_to_correct_another_is_not_called_strong() -> None:
    """Its class was weaker there, and so is nothing that the recording shares with it."""
    assert said(band(2500, 1.0, above=1, apart=-1)) == "Most like 'inner'."
    assert band(2500, 1.0, above=1, apart=-1).trait is None
    assert band(2500, -1.0, above=1, apart=-1).trait == "strong"  # of the other class
    assert band(2500, 1.0, above=-1, apart=-1).trait == "weak"


def test_nothing_is_named_above_what_was_recorded() -> None:
    assert "7" not in said(band(7000, 2.0), band(2500, 1.0))


@pytest.fixture(scope="module")
def turning() -> Model:
    return model_of(made_turning())


@pytest.mark.parametrize("kind", [0, 1, 2])
def test_a_machine_that_strikes_at_an_order_is_said_to(turning: Model, kind: int) -> None:
    """Kinds strike 2.3, 3.4 and 4.5 times in a turn: the truth of a sentence is known."""
    struck = (2.3, 3.4, 4.5)
    hz, rival = 25.0, (kind + 1) % 3
    heard = Recording.from_array(turning_machine(hz, kind, 4 * WINDOW, seed=99), RATE, speed=f"{hz}Hz")
    found = compare_classes(turning, heard, f"class {kind}", f"class {rival}")
    text = sentence_of(found, marks_of(found, RATE / 2))
    own, _, other = text.partition(";")
    strong = [float(one) for one in re.findall(r"([\d.]+) x shaft", own)]
    weak = [float(one) for one in re.findall(r"([\d.]+) x shaft", other.partition("But")[0])]
    assert min(abs(one - m * struck[kind]) / one for one in strong for m in (1, 2, 3)) < 0.05
    assert min(abs(one - m * struck[rival]) / one for one in weak for m in (1, 2, 3)) < 0.05


def test_both_ways_round_a_place_is_as_strong_and_the_classes_as_far_apart(turning: Model) -> None:
    heard = Recording.from_array(turning_machine(25.0, 1, 2 * WINDOW, seed=7), RATE, speed="25Hz")
    there = {one.region: one for one in compare_classes(turning, heard, "class 1", "class 2").shares}
    back = {one.region: one for one in compare_classes(turning, heard, "class 2", "class 1").shares}
    for region, one in there.items():
        assert one.above == pytest.approx(back[region].above, rel=1e-6, abs=1e-9)
        assert one.apart == pytest.approx(-back[region].apart, rel=1e-6, abs=1e-9)
        assert one.trait == back[region].trait


def test_a_network_without_heads_says_where_it_listens() -> None:
    network = DualRes(4, seed=3).eval()
    model: Model = model_of(network)
    assert model.card.kind == PAPER
    heard = Recording.from_array(np.random.default_rng(0).standard_normal(2 * WINDOW).astype(np.float32), RATE)
    found = compare_classes(model, heard, "class 1", "class 2")
    assert all(one.trait is None for one in found.shares)
    heard_there = replace(found, shares=(Share(Region(SPECTRA, 2500, 3000), 1.0),))
    text = sentence_of(heard_there, marks_of(heard_there, NYQUIST))
    assert text == "Most like 'class 1': what tells is between 2.5 and 3 kHz."
