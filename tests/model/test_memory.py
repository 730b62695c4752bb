"""What the golden values cannot see: the start of the training, and its chance."""

import math

import pytest
import torch

from dualres.config import ModelConfig
from dualres.model.memory import OscillatoryMemory


def features(batch=3, tokens=11, width=64):
    return torch.randn(batch, tokens, width, generator=torch.Generator().manual_seed(1))


def test_half_lives_start_log_spaced_from_1_to_64_ms():
    rates = torch.exp(OscillatoryMemory(ModelConfig()).log_rate.detach().double())  # per second
    half_lives_ms = 1000 * math.log(2) / rates
    expected = torch.tensor([64 ** (d / 63) for d in range(64)], dtype=torch.float64)
    torch.testing.assert_close(half_lives_ms, expected, rtol=1e-6, atol=0)


def test_frequencies_start_log_spaced_from_10_to_200_hz():
    theta = OscillatoryMemory(ModelConfig()).theta().detach().double()
    expected = torch.tensor([10 * 20 ** (k / 7) for k in range(8)], dtype=torch.float64)
    torch.testing.assert_close(theta / (2 * math.pi) * 500, expected, rtol=1e-5, atol=0)


def test_damping_starts_independent_of_the_input_and_has_no_jitter_at_inference():
    memory = OscillatoryMemory(ModelConfig()).eval()
    assert not memory.damping.weight.any()
    assert not memory.damping.bias.any()
    delta = memory.coefficients(features()).delta
    torch.testing.assert_close(delta, (torch.exp(memory.log_rate) / 500).expand_as(delta))


def test_frequencies_stay_below_half_the_token_rate():
    memory = OscillatoryMemory(ModelConfig())
    memory.pitch.data.fill_(20.0)
    assert memory.theta().max() <= math.pi


def test_write_and_read_vectors_are_bounded():
    memory = OscillatoryMemory(ModelConfig()).eval()
    c = memory.coefficients(1000 * features())
    assert c.b.real.abs().max() <= 1
    assert c.b.imag.abs().max() <= 1
    assert c.c.real.abs().max() <= 1 / math.sqrt(8)
    assert c.b.real.abs().max() > 0.99
    assert c.c.imag.abs().max() > 0.99 / math.sqrt(8)


def jitter_of(memory, v):
    """The factor by which training changes the damping, (batch, tokens, width)."""
    jittered = memory.train().coefficients(v).delta
    return (jittered / memory.eval().coefficients(v).delta).detach()


def test_jitter_is_one_draw_per_window_and_channel_and_constant_in_time():
    factor = jitter_of(OscillatoryMemory(ModelConfig()), features())
    torch.testing.assert_close(factor, factor[:, :1].expand_as(factor))
    assert factor[:, 0].unique().numel() > 3 * 64 * 0.9


def test_jitter_is_log_normal_with_mean_one():
    torch.manual_seed(0)
    factor = jitter_of(OscillatoryMemory(ModelConfig()), features(batch=4000, tokens=1))
    assert factor.mean() == pytest.approx(1, abs=1e-3)
    assert factor.log().std() == pytest.approx(0.10, abs=1e-3)
    assert factor.log().mean() == pytest.approx(-0.005, abs=1e-3)


def test_without_jitter_the_draw_is_still_made():
    after = []
    for jitter in (0.1, 0.0):
        memory = OscillatoryMemory(ModelConfig(jitter=jitter))
        torch.manual_seed(5)
        factor = jitter_of(memory, features())
        after.append(torch.rand(4))
    assert (factor == 1).all()
    assert torch.equal(*after)


def test_jitter_changes_write_and_decay_alike():
    """The jittered damping is the damping: one delta serves both."""
    memory = OscillatoryMemory(ModelConfig()).train()
    seen = []
    memory.scan = lambda given, *rest: seen.append(given.delta) or (given.delta, rest[-1])
    torch.manual_seed(0)
    memory(features())
    torch.manual_seed(0)
    assert torch.equal(seen[0], memory.coefficients(features()).delta)
