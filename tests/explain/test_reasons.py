from dataclasses import replace

import numpy as np
import pytest

from dualres.errors import ConfigError
from dualres.explain.reasons import compare_classes, explain_recording, window_shares
from dualres.faultlines.lines import OrderLine
from dualres.judge.model import Model
from dualres.judge.verdict import diagnose_recording
from dualres.model.kinds import PAPER
from dualres.model.network import DualRes
from dualres.recordings.recording import Recording
from dualres.recordings.speed import Speed
from tests.model.made_orders import made_orders
from tests.model.made_views import RATE, machine_windows, made_views
from tests.models import model_of


def recording(number: int, speed: str | None = None) -> Recording:
    samples = machine_windows(3, 4, seed=8)[3 * number : 3 * number + 3].ravel()
    return Recording.from_array(samples, RATE, speed=speed)


@pytest.fixture(scope="module", params=["orders", "views", "paper"])
def model(request):
    made = {"orders": made_orders, "views": made_views, "paper": lambda classes: DualRes(classes, seed=3).eval()}
    return model_of(made[request.param](4))


def test_reasons_add_up_in_every_way(model):
    heard = recording(2, "25Hz")
    verdict = diagnose_recording(model, heard)
    reasons = explain_recording(model, heard, verdict)
    assert reasons.axis == ("orders" if model.card.kind.knows_orders else "hz")
    assert (reasons.label, reasons.rival, reasons.windows) == (verdict.label, verdict.runner_up, verdict.windows)
    assert reasons.total == pytest.approx(reasons.logit, abs=1e-5)
    assert sum(reasons.heads.values()) == pytest.approx(reasons.logit, abs=1e-5)
    assert sum(moment.nats for moment in reasons.moments) == pytest.approx(reasons.logit, abs=2e-5)
    assert reasons.moments[-1].end_s == pytest.approx(3 * 0.512)


def test_any_two_classes_are_compared_and_the_other_way_round_is_the_opposite(model):
    heard = recording(2)
    there = compare_classes(model, heard, "class 1", "class 3")
    back = compare_classes(model, heard, "class 3", "class 1")
    assert (there.label, there.rival) == ("class 1", "class 3")
    assert there.total == pytest.approx(there.logit, abs=1e-5)
    assert there.logit == pytest.approx(-back.logit, abs=1e-6)
    verdict = diagnose_recording(model, heard, 2)
    compared = compare_classes(model, heard, verdict.label, verdict.runner_up, limit=2)
    assert compared == explain_recording(model, heard, limit=2)


def test_the_most_telling_come_first(model):
    heard = recording(3)
    reasons = explain_recording(model, heard, diagnose_recording(model, heard))
    sizes = [abs(share.nats + share.memory) for share in reasons.shares]
    assert sizes == sorted(sizes, reverse=True)
    assert all(share.nats + share.memory > 0 for share in reasons.top(5))
    assert all(share.nats + share.memory < 0 for share in reasons.top(5, against=True))
    assert any(share.memory for share in reasons.shares) == (model.card.method == PAPER.method)


@pytest.mark.parametrize(("speed", "searched"), [("25Hz", False), (None, True)])
def test_a_recording_is_explained_at_the_speed_at_which_it_was_judged(speed, searched):
    model = model_of(made_orders(4))
    heard = recording(3, speed)
    verdict = diagnose_recording(model, heard)
    assert verdict.speed is not None
    assert verdict.speed.source == ("estimated" if searched else "refined")
    reasons = explain_recording(model, heard, verdict)
    assert reasons.speed == verdict.speed
    orders = [share.region for share in reasons.shares if share.region.orders]
    hz = verdict.speed.mean_hz
    assert all(one.repeats_hz == pytest.approx([order * hz for order in one.orders]) for one in orders)
    assert compare_classes(model, heard, reasons.label, reasons.rival) == reasons
    other = explain_recording(model, heard, replace(verdict, speed=Speed((1.3 * hz,))))
    assert other.logit != pytest.approx(reasons.logit, abs=1e-3)
    assert other.total == pytest.approx(other.logit, abs=1e-5)


def test_a_speed_that_changes_is_followed_window_by_window():
    model = model_of(made_orders(4))
    turning = replace(recording(3), speed=Speed((20.0, 30.0), (0.0, 1.5), "measured"))
    reasons = explain_recording(model, turning)
    assert reasons.speed.varies
    assert reasons.total == pytest.approx(reasons.logit, abs=1e-5)
    probabilities = diagnose_recording(model, turning).probabilities
    assert reasons.label == max(probabilities, key=probabilities.__getitem__)


def test_fault_lines_are_named_where_regions_have_them():
    reasons = explain_recording(model_of(made_orders(4)), recording(3, "25Hz")).naming([OrderLine(3.5848, "BPFO")])
    named = [share.region for share in reasons.shares if share.region.lines]
    assert {one.view for one in named} == {"envelope", "modulation"}
    assert all(str(one).endswith("3.58 x shaft: BPFO") for one in named)


def test_a_moment_that_differs_is_found():
    """Half of the recording is of another class: the moments of the other half spoke for the verdict."""
    model = model_of(made_views(4))
    windows = machine_windows(4, 4, seed=8)
    heard = Recording.from_array(np.concatenate([*windows[12:15], windows[0]]), RATE)
    verdict = diagnose_recording(model, heard)
    assert verdict.label == "class 3"
    verdict = type(verdict)(verdict.recording, "class 3", {**verdict.probabilities, "class 0": 0.4}, verdict.windows)
    reasons = explain_recording(model, heard, verdict)
    assert reasons.rival == "class 0"
    assert np.mean([m.nats for m in reasons.moments[:8]]) > 0 > np.mean([m.nats for m in reasons.moments[-3:]])


def test_several_networks_are_averaged():
    views = made_views(4)
    one, windows = model_of(views), machine_windows(1, 4, seed=1)
    two = Model((views, views), type(one.card)(**{**vars(one.card), "members": 2}))
    np.testing.assert_allclose(window_shares(one, windows, 0, 1).total, window_shares(two, windows, 0, 1).total)


def test_a_comparator_has_no_reasons():
    model = model_of(made_views(4))
    other = Model(model.members, type(model.card)(**{**vars(model.card), "method": "minirocket"}))
    with pytest.raises(ConfigError, match="minirocket"):
        window_shares(other, machine_windows(1), 0, 1)


@pytest.mark.parametrize("hz", [2_000, 9_000, 21_000])
def test_a_planted_band_comes_first(hz):
    from dualres.learn.closed_form import fit_views

    rng = np.random.default_rng(hz)

    def noise(planted):
        spectrum = np.fft.rfft(rng.standard_normal(32_768))
        if planted:
            spectrum[(np.fft.rfftfreq(32_768, 1 / RATE) // 500).astype(int) == hz // 500] *= 4
        return np.fft.irfft(spectrum).astype(np.float32)

    support = np.stack([noise(i > 5) for i in range(12)])
    model = model_of(fit_views(support, np.repeat([0, 1], 6), 2))
    shares = window_shares(model, noise(True)[None], 1, 0)
    first = shares.regions[int(shares.of_regions[0].argmax())]
    assert (first.view, first.low_hz) == ("spectra", hz)
