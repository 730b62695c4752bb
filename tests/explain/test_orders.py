import numpy as np
import pytest

from dualres.explain.orders import head_weights, log_logarithmic_mean, order_shares
from dualres.judge.backends import exact_logits, scorer, weights_of
from dualres.model.reference.probabilities import log_mean, log_softmax
from dualres.model.views.order_weights import OrdersWeights
from tests.model.made_orders import made_orders
from tests.model.made_views import machine_windows


@pytest.fixture(scope="module")
def weights():
    return weights_of(made_orders(4))


@pytest.fixture(scope="module")
def windows():
    return machine_windows(2, 4, seed=5)


SPEEDS = {"unknown": None, "the same": np.full(8, 25.0), "another for each": np.linspace(18, 33, 8)}


@pytest.mark.parametrize("hz", SPEEDS.values(), ids=SPEEDS)
@pytest.mark.parametrize(("label", "rival"), [(0, 1), (2, 3), (3, 0)])
def test_parts_add_up_to_the_log_odds(weights, windows, hz, label, rival):
    shares, exact = order_shares(weights, windows, label, rival, hz=hz), exact_logits(weights, windows, hz)
    logit = exact[:, label] - exact[:, rival]
    assert np.abs(logit).max() > 0.5
    np.testing.assert_allclose(shares.total, logit, rtol=1e-6, atol=2e-6)  # the looks are float32
    np.testing.assert_allclose(sum(shares.heads.values()), logit, rtol=1e-6, atol=2e-6)
    np.testing.assert_allclose(shares.of_tokens.sum(1), logit, rtol=1e-6, atol=1e-6)
    assert list(shares.heads) == ["spectra", "modulation", "envelope"]
    said = scorer(weights)(windows, hz).astype(np.float64)
    np.testing.assert_allclose(shares.total, said[:, label] - said[:, rival], atol=1e-5)


@pytest.mark.parametrize("hz", SPEEDS.values(), ids=SPEEDS)
def test_they_do_for_a_network_that_nobody_fitted(weights, windows, hz):
    """Its heads have offsets that are no distances, which the constant tells."""
    arrays = dict(weights.arrays)
    for name in ("envelope", "order_envelope"):
        arrays[f"heads.{name}.offsets"] = arrays[f"heads.{name}.offsets"] + np.arange(4, dtype=np.float32)
    other = OrdersWeights(weights.config, arrays)
    shares, exact = order_shares(other, windows, 0, 1, hz=hz), exact_logits(other, windows, hz)
    np.testing.assert_allclose(shares.total, exact[:, 0] - exact[:, 1], rtol=1e-6, atol=2e-6)
    assert np.abs(shares.constant).max() > 1e-4
    assert np.abs(order_shares(weights, windows, 0, 1, hz=hz).constant).max() < 1e-5


def test_orders_are_told_where_the_speed_is_known_and_the_network_learned_from_speeds(weights, windows):
    for network, hz, known in (
        (weights, SPEEDS["the same"], True),
        (weights, None, False),
        (weights_of(made_orders(2, labelled=False)), SPEEDS["the same"], False),
    ):
        regions = order_shares(network, windows, 0, 1, hz=hz).regions
        assert {one.view for one in regions if one.orders} == ({"modulation", "envelope"} if known else set())
        assert {one.view for one in regions if one.repeats_hz} == (set() if known else {"modulation", "envelope"})


def test_exchanging_the_classes_changes_the_sign(weights, windows):
    there, back = (order_shares(weights, windows, *pair, hz=SPEEDS["the same"]) for pair in ((1, 2), (2, 1)))
    np.testing.assert_allclose(there.of_regions, -back.of_regions, atol=1e-9)


def test_impacts_speak_at_their_order():
    """Class 1 knocks 32 times a second: at 16 Hz, in the envelope, that is twice in a turn, and multiples of it."""
    weights = weights_of(made_orders(2))
    shares = order_shares(weights, machine_windows(4, 2, seed=9)[4:], 1, 0, hz=np.full(4, 16.0))
    envelope = [(one, nats) for one, nats in zip(shares.regions, shares.of_regions.mean(0), strict=True)
                if one.view == "envelope"]  # fmt: skip
    strongest = max(envelope, key=lambda each: each[1])[0]
    order = np.sqrt(np.prod(strongest.orders))
    assert order / 2 == pytest.approx(round(order / 2), abs=0.06 * order / 2)


def test_heads_that_agree_share_alike_and_one_that_has_neither_class_hardly_counts():
    sure = log_softmax(np.array([[3.0, 0.0, -2.0]]))
    elsewhere = log_softmax(np.array([[-3.0, -4.0, 6.0]]))
    counts = head_weights(np.stack([sure, sure, elsewhere])[..., :2])
    assert counts[0] == counts[1]
    assert counts[2] < 0.01 * counts[0]
    np.testing.assert_allclose(head_weights(np.stack([sure, sure])[..., :2]), 0.5)


def test_weights_add_up_to_one_at_most_and_to_less_where_heads_contradict_each_other():
    rng = np.random.default_rng(0)
    said = log_softmax(rng.normal(0, 4, (3, 200, 5)))[..., :2]
    counts = head_weights(said)
    together = log_mean(said)
    total = (counts * (said[..., 0] - said[..., 1])).sum(0)
    np.testing.assert_allclose(total, together[:, 0] - together[:, 1], rtol=1e-9, atol=1e-12)
    assert (counts > 0).all()
    assert counts.sum(0).max() <= 1 + 1e-12
    against = np.log([[[0.99, 0.01]], [[0.01, 0.99]]])
    assert head_weights(against).sum() < 0.5


def test_the_logarithmic_mean_is_precise_everywhere():
    x = np.array([0.0, 0.0, -3.0, -600.0, -700.0, -1.0])
    y = np.array([0.0, -1e-9, -3.001, -602.0, -10.0, -1.002])
    with np.errstate(divide="ignore", invalid="ignore"):
        for one, other, found in zip(x, y, log_logarithmic_mean(x, y), strict=True):
            assert min(one, other) <= found <= max(one, other)
            if abs(one - other) > 1e-6:
                shift = max(one, other)
                plain = np.log((np.exp(one - shift) - np.exp(other - shift)) / (one - other)) + shift
                assert found == pytest.approx(plain, rel=1e-9, abs=1e-9)
