"""Which networks the compiled step trains, and what is left to PyTorch."""

from copy import deepcopy

import pytest
import torch

from dualres.kernel import compiled
from dualres.kernel.training import available, threads
from dualres.learn.trained.forward import Classify, encode, training_threads
from dualres.model.network import DualRes
from dualres.model.scan import scan, scan_ref
from tests.kernel.test_encoder import lively_encoder, views

pytestmark = pytest.mark.skipif(not available(), reason="the compiled library is not built")


def test_the_compiled_step_has_all_threads_while_it_trains_and_pytorch_keeps_them_where_it_does():
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        with training_threads(DualRes(2, lively_encoder().config)):
            assert (torch.get_num_threads(), threads()) == (1, 2)
        with training_threads(DualRes(2, lively_encoder(width=32).config)):
            assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)


def test_logits_are_the_network_s_own(monkeypatch):
    network = DualRes(3, lively_encoder().config, seed=1).train()
    given, logits = views(network.encoder), {}
    for setting in (compiled.variant(), compiled.OFF):
        monkeypatch.setenv(compiled.SETTING, setting)
        torch.manual_seed(2)
        logits[setting] = Classify(network)(*given)
    torch.manual_seed(2)
    by_pytorch = network.classify(*given)
    assert torch.equal(logits[compiled.OFF], by_pytorch)
    fast = logits.pop(compiled.able()[0])
    assert not torch.equal(fast, by_pytorch), "both went the same way"
    torch.testing.assert_close(fast, by_pytorch, rtol=0, atol=1e-5)


def test_pytorch_does_what_the_compiled_step_cannot(monkeypatch):
    encoder = lively_encoder().eval()
    short, long = views(encoder)
    assert encode(encoder, short, long) is not None
    assert encode(encoder, short.clone().requires_grad_(), long) is None
    assert encode(encoder, short[:0], long[:0]) is None
    assert encode(deepcopy(encoder).double(), short.double(), long.double()) is None
    for odd in ({"width": 32}, {"states": 6}):
        assert encode(lively_encoder(**odd), short, long) is None
    with torch.no_grad():
        assert encode(encoder, short, long) is None
    encoder.memory.scan = scan_ref
    assert encode(encoder, short, long) is None
    encoder.memory.scan = scan
    monkeypatch.setenv(compiled.SETTING, compiled.OFF)
    assert encode(encoder, short, long) is None


def cut(short, long):
    return {
        "other tokens": (short, long[:, 1:]),
        "other windows": (short, long[1:]),
        "other short bins": (short[..., 1:], long),
        "other long bins": (short, long[..., 1:]),
        "swapped": (long, short),
    }


@pytest.mark.parametrize("what", cut(torch.zeros(1, 1, 1), torch.zeros(1, 1, 1)))
def test_views_that_do_not_fit_are_left_to_pytorch_s_errors(what):
    encoder = lively_encoder().train()
    wrong = cut(*views(encoder, batch=5))[what]
    before = torch.get_rng_state()
    assert encode(encoder, *wrong) is None
    assert torch.equal(torch.get_rng_state(), before)  # the jitter is for PyTorch to draw
    with pytest.raises(RuntimeError, match=r"[Ss]ize|shape"):
        encoder(*wrong)


def test_layers_that_do_not_fit_are_left_to_pytorch_s_errors():
    encoder = lively_encoder().train()
    encoder.mix = torch.nn.Linear(encoder.config.width - 1, encoder.config.width - 1)
    encoder.gate = torch.nn.Linear(encoder.config.width - 1, encoder.config.width - 1)
    assert encode(encoder, *views(encoder)) is None
    with pytest.raises(RuntimeError, match="shape"):
        encoder(*views(encoder))
