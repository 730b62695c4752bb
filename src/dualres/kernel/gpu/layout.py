"""A network's parameters in one row of memory, so that many networks of a kind are one matrix.

Maps that share their input lie one above the other, to be one product; `kernel/pack.py` has the order of the memory's.
The two projections carry their bias as one more column, which meets a one in the padded views; further columns, up to a
multiple of four, stay zero.
"""

from collections.abc import Iterator
from math import prod

import torch
from torch import Tensor

from dualres.config import ModelConfig
from dualres.model.network import DualRes
from dualres.model.weights import MAPS

ALIGNMENT = 16  # floats


class ParameterLayout:
    """Where each part of a network with these sizes begins, in floats, and its shape."""

    def __init__(self, config: ModelConfig, classes: int) -> None:
        width, states = config.width, config.states
        self.config, self.classes = config, classes
        self.maps = 2 * width + 4 * states  # of the outputs of MAPS
        self.shapes: dict[str, tuple[int, ...]] = {
            "short": (width // 2, _rounded(config.short_bins + 1, 4)),
            "long": (width // 2, _rounded(config.long_bins + 1, 4)),
            "norm": (2, width),
            "maps": (self.maps, width),
            "maps_bias": (self.maps,),
            "log_rate": (width,),
            "pitch": (states,),
            "gates": (2 * width, width),
            "gates_bias": (2 * width,),
            "head": (classes, width),
            "head_bias": (classes,),
        }
        self.offsets: dict[str, int] = {}
        end = 0
        for name, shape in self.shapes.items():
            self.offsets[name] = end
            end = _rounded(end + prod(shape), ALIGNMENT)
        self.size = end

    def part(self, rows: Tensor, name: str) -> Tensor:
        """One part of every network in `rows` (networks, size): (networks, *shape), without a copy."""
        shape, offset = self.shapes[name], self.offsets[name]
        part: Tensor = rows[:, offset : offset + prod(shape)].unflatten(1, shape)
        return part

    @torch.no_grad()
    def pack(self, network: DualRes) -> Tensor:
        """The network's parameters as one row, (size,), on their device."""
        row = torch.zeros(self.size, device=network.head.weight.device)
        for own, parameter in self._pieces(row, network):
            own.copy_(parameter)
        return row

    @torch.no_grad()
    def unpack(self, row: Tensor, network: DualRes) -> None:
        """Give the network the parameters of a row."""
        for own, parameter in self._pieces(row, network):
            parameter.copy_(own)

    def unpack_gradients(self, row: Tensor, network: DualRes) -> None:
        """Give the parameters that are trained the gradients of a row."""
        for own, parameter in self._pieces(row, network):
            if parameter.requires_grad:
                parameter.grad = own.clone()

    def _pieces(self, row: Tensor, network: DualRes) -> Iterator[tuple[Tensor, Tensor]]:
        """Every parameter beside its place in the row."""
        parts = {name: self.part(row[None], name)[0] for name in self.shapes}
        encoder, memory = network.encoder, network.encoder.memory
        for name, projection in (("short", encoder.short), ("long", encoder.long)):
            bins = projection.in_features
            yield parts[name][:, :bins], projection.weight
            yield parts[name][:, bins], projection.bias
        yield parts["norm"][0], encoder.norm.weight
        yield parts["norm"][1], encoder.norm.bias
        stacks = {
            "maps": [getattr(memory, name) for name in MAPS],
            "gates": [encoder.mix, encoder.gate],
            "head": [network.head],
        }
        for name, stack in stacks.items():
            sizes = [linear.out_features for linear in stack]
            weights, biases = parts[name].split(sizes), parts[f"{name}_bias"].split(sizes)
            for weight, bias, linear in zip(weights, biases, stack, strict=True):
                yield weight, linear.weight
                yield bias, linear.bias
        yield parts["log_rate"], memory.log_rate
        yield parts["pitch"], memory.pitch


def ceil_div(count: int, size: int) -> int:
    return -(-count // size)


def power_of_two(count: int) -> int:
    """The smallest one that is not below `count`."""
    return 1 << (count - 1).bit_length()


def _rounded(count: int, multiple: int) -> int:
    return ceil_div(count, multiple) * multiple
