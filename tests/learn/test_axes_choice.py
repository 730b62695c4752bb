"""A network for each axis, unless a shared one is clearly right more often."""

import numpy as np
import pytest

from dualres.config import Recipe
from dualres.errors import ConfigError, RecordingError
from dualres.learn import axes_choice as arrangement
from dualres.learn.axes_choice import estimate_both
from dualres.learn.estimate import Estimate
from dualres.learn.fit import fit_recordings
from dualres.learn.settings import FitSettings
from dualres.learn.workflow import fit_model
from dualres.metrics import Evaluation
from dualres.recordings.recording import Recording
from tests.learn.test_estimate import recording

FEW = {"recipe": Recipe(2), "windows_each": 1}


@pytest.fixture(scope="module")
def recordings():
    """Four components of two axes; the noise in them depends on the length of a name."""
    made = []
    for name in ("a", "bb", "ccc", "dddd"):
        label = "good" if name < "c" else "worn"
        signals = {axis: recording(name + axis * k, label).load() for k, axis in enumerate("xy", start=1)}
        made.append(Recording.from_axes(signals, 64_000, name, label))
    return made


def judged(right):
    """One round in which these are named right."""
    scores = tuple((1.0, 0.0) if one else (0.0, 1.0) for one in right)
    return Evaluation(
        ("good", "worn"), tuple(map(str, range(len(right)))), (0,) * len(right), (1,) * len(right), scores
    )


@pytest.mark.parametrize(
    ("apart", "shared", "chosen"),
    [
        ([1, 1, 1, 0, 0, 0, 0, 0, 0, 0], [1, 1, 1, 1, 1, 1, 1, 1, 1, 0], "shared"),
        ([1, 1, 1, 0, 0, 0, 0, 0, 0, 0], [1, 1, 1, 1, 0, 0, 0, 0, 0, 0], "apart"),  # one more, which may be chance
        ([1, 1, 1, 1], [1, 1, 1, 1], "apart"),
        ([1, 1, 1, 1], [0, 0, 0, 1], "apart"),
    ],
)
def test_a_shared_network_is_taken_only_if_it_is_clearly_ahead(monkeypatch, apart, shared, chosen):
    said = {"apart": judged(apart), "shared": judged(shared)}
    monkeypatch.setattr(
        arrangement, "estimate", lambda *_, axes, **__: Estimate((said[axes],), "component", ("as they are",))
    )
    axes, expected, why = estimate_both(None, None)
    assert axes == chosen
    assert expected.judged == (said[chosen],)
    each, one = (f"{100 * np.mean(right):.1f} %" for right in (apart, shared))
    ahead = "the shared one is clearly ahead" if chosen == "shared" else "the shared one is not clearly ahead"
    assert why == f"axes: a network each is right on {each} of what was held out, a shared one on {one}; {ahead}"


def test_both_are_held_out_in_the_same_rounds_and_the_card_says_so(recordings):
    told, announced = [], []
    fitted = fit_model(recordings, **FEW, announce=announced.append, progress=lambda *x: told.append(x[:3]))
    assert announced[0].fits == 2 * (1 + 2 + 2), "two axes: the fit on all, and two rounds of either kind"
    card = fitted.model.card
    assert (card.channels, card.axes, len(fitted.model.members)) == (("x", "y"), "apart", 2)
    assert card.remarks[-1] == fitted.about_axes
    assert fitted.about_axes.startswith("axes: a network each is right on ")
    assert list(dict.fromkeys(stage for stage, *_ in told)) == [
        "Time one update",
        *("Hold out, round 1 of 2", "Hold out, round 2 of 2"),
        *("Hold out, one network for all axes, round 1 of 2", "Hold out, one network for all axes, round 2 of 2"),
        "Learn from all",
    ]
    assert told[-1] == ("Learn from all", 4, 4)


def test_without_an_estimate_axes_have_a_network_each(recordings):
    fitted = fit_model(recordings, **FEW, members=2, estimate=False)
    card = fitted.model.card
    assert (card.axes, card.members, card.networks, fitted.about_axes) == ("apart", 2, 4, "")
    assert card.remarks == ()
    alone = fit_model([r.axes[0] for r in recordings], **FEW, estimate=False).model.card
    assert card.exposure_s == alone.exposure_s


def test_a_network_each_is_what_each_axis_alone_gives(recordings):
    labels = [r.label for r in recordings]
    both, history = fit_recordings(recordings, labels, ("good", "worn"), FitSettings(**FEW))
    by_axis = [[r.axes[i] for r in recordings] for i in range(2)]
    alone = [fit_recordings(its, labels, ("good", "worn"), FitSettings(**FEW)) for its in by_axis]
    assert history == alone[0][1] + alone[1][1]
    for network, (model, _) in zip(both.networks, alone, strict=True):
        for name, tensor in model.network.state_dict().items():
            np.testing.assert_array_equal(tensor, network.state_dict()[name])


def test_a_shared_network_learns_from_all_axes(recordings):
    labels = [r.label for r in recordings]
    shared, history = fit_recordings(recordings, labels, ("good", "worn"), FitSettings(**FEW), axes="shared")
    pooled = [axis for i in range(2) for axis in (r.axes[i] for r in recordings)]
    as_one, _ = fit_recordings(pooled, labels * 2, ("good", "worn"), FitSettings(**FEW))
    assert (shared.card.axes, len(shared.members), len(history)) == ("shared", 1, 2)
    for name, tensor in as_one.network.state_dict().items():
        np.testing.assert_array_equal(tensor, shared.network.state_dict()[name])
    assert {label: 2 * s for label, s in shared.card.exposure_s.items()} == as_one.card.exposure_s


def test_too_many_networks_and_other_axes_are_refused_at_once(recordings):
    with pytest.raises(ConfigError, match="40 networks for each of 2 axes are 80; a model has at most 64"):
        fit_model(recordings, **FEW, members=40)
    with pytest.raises(RecordingError, match=r"bb: has one signal, and a has 2 axes \(x, y\)"):
        fit_model([recordings[0], recordings[1].axes[0], *recordings[2:]], **FEW)
