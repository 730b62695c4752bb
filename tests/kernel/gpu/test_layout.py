"""A network survives the way into a row and back, and the row's parts are where products need them."""

import torch

from dualres.kernel.gpu.layout import ALIGNMENT, ParameterLayout
from dualres.learn.trained.forward import _in_a_row
from dualres.model.network import DualRes


def test_a_network_comes_back_from_its_row(small):
    layout = ParameterLayout(small, 3)
    network, other = DualRes(3, small, seed=1), DualRes(3, small, seed=2)
    layout.unpack(layout.pack(network), other)
    for mine, theirs in zip(network.parameters(), other.parameters(), strict=True):
        assert torch.equal(mine, theirs)


def test_every_part_begins_at_a_multiple_of_the_alignment_and_none_overlap(small):
    layout = ParameterLayout(small, 3)
    row = torch.zeros(1, layout.size)
    for name in layout.shapes:
        layout.part(row, name).add_(1)
        assert layout.offsets[name] % ALIGNMENT == 0
    assert row.max() == 1


def test_maps_with_one_input_are_one_product_and_a_bias_meets_the_one_in_the_views(small):
    layout, network = ParameterLayout(small, 3), DualRes(3, small, seed=1)
    row = layout.pack(network)[None]
    memory = network.encoder.memory
    x = torch.randn(5, small.width)
    together = x @ layout.part(row, "maps")[0].T + layout.part(row, "maps_bias")[0]
    apart = [linear(x) for linear in (memory.damping, memory.write_in, memory.write, memory.read)]
    torch.testing.assert_close(together, torch.cat(apart, dim=1))
    view = torch.zeros(5, layout.shapes["short"][1])
    view[:, : small.short_bins] = torch.randn(5, small.short_bins)
    view[:, small.short_bins] = 1
    projected = view @ layout.part(row, "short")[0].T
    torch.testing.assert_close(projected, network.encoder.short(view[:, : small.short_bins]))


def test_the_maps_of_the_memory_have_one_order_on_cpu_and_gpu(small):
    layout, network = ParameterLayout(small, 3), DualRes(3, small, seed=1)
    with torch.no_grad():
        network.encoder.memory.damping.weight.normal_()
    on_gpu, on_cpu = layout.pack(network)[None], _in_a_row(network.encoder).detach()
    maps = layout.part(on_gpu, "maps")[0].T.flatten(), layout.part(on_gpu, "maps_bias")[0]
    begin = (small.short_bins + small.long_bins) * (small.width // 2) + 3 * small.width  # as parameter_places has it
    together = torch.cat(maps)
    assert torch.equal(on_cpu[begin : begin + len(together)], together)


def test_only_what_is_trained_gets_a_gradient(small):
    layout, network = ParameterLayout(small, 3), DualRes(3, small, seed=1)
    network.encoder.short.requires_grad_(False)
    layout.unpack_gradients(torch.ones(layout.size), network)
    assert network.encoder.short.weight.grad is None
    assert torch.equal(network.encoder.long.weight.grad, torch.ones_like(network.encoder.long.weight))
