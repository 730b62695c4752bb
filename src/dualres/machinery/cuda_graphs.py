"""On a GPU: steps as CUDA graphs, so that a small network is not bound by the launching of its kernels."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache

import torch
from torch import Tensor, nn

from dualres.errors import ConfigError

WARM_UPS = 3  # as PyTorch advises: libraries choose their kernels and workspaces in the first calls


@contextmanager
def full_precision() -> Iterator[None]:
    """On a GPU: float32 as on a CPU, and the same result every time; its libraries would by themselves do neither.

    A recorded step keeps the precision that it was recorded with.
    """
    products = torch.backends.cuda.matmul
    before = products.allow_tf32
    products.allow_tf32 = False
    try:
        with torch.backends.cudnn.flags(enabled=True, benchmark=False, deterministic=True, allow_tf32=False):
            yield
    finally:
        products.allow_tf32 = before


def recorded(step: Callable[[], None]) -> torch.cuda.CUDAGraph:
    """`step` as a CUDA graph, recorded on the current stream, which must not be the default one.

    The step must have run before, so that its kernels are compiled, and its tensors must stay where they are.
    """
    graph = torch.cuda.CUDAGraph()
    # Not torch.cuda.graph(): it gives the allocator's free memory back, which the next fit would have to ask for again.
    graph.capture_begin(capture_error_mode="thread_local")
    try:
        step()
    finally:
        graph.capture_end()
    return graph


def warmed_and_recorded(step: Callable[[], None]) -> torch.cuda.CUDAGraph:
    """`recorded` on a stream beside the current one, after a first call, which compiles what has to be compiled."""
    stream = beside(torch.cuda.current_device())
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        step()
        graph = recorded(step)
    torch.cuda.current_stream().wait_stream(stream)
    return graph


class Captured:
    """`step(*tensors)`, recorded at its first call for each set of shapes and replayed from then on.

    The step may change the model's gradients, its buffers and whatever else it holds on the device, and draw from the
    device's generator; it must not return anything or look at a value. Recording itself leaves no trace: what the
    warm-up calls did to the model and the generator is undone.
    """

    def __init__(self, step: Callable[..., None], model: nn.Module, *touched: Tensor) -> None:
        self._step, self._model, self._touched = step, model, touched
        self._graphs: dict[tuple[torch.Size, ...], tuple[torch.cuda.CUDAGraph, tuple[Tensor, ...]]] = {}

    def __call__(self, *tensors: Tensor) -> None:
        shapes = tuple(t.shape for t in tensors)
        if shapes not in self._graphs:
            self._graphs[shapes] = self._record(tensors)
        graph, inputs = self._graphs[shapes]
        for own, given in zip(inputs, tensors, strict=True):
            own.copy_(given)
        graph.replay()

    def _record(self, tensors: tuple[Tensor, ...]) -> tuple[torch.cuda.CUDAGraph, tuple[Tensor, ...]]:
        inputs = tuple(t.clone() for t in tensors)
        self._warm_up(inputs)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, stream=beside(torch.cuda.current_device())):
            self._step(*inputs)
        return graph, inputs

    def _warm_up(self, inputs: tuple[Tensor, ...]) -> None:
        kept = [(t, t.clone()) for t in (*self._model.buffers(), *self._touched)]
        gradients = [(p, None if p.grad is None else p.grad.clone()) for p in self._model.parameters()]
        generator = torch.cuda.get_rng_state()
        stream = beside(torch.cuda.current_device())
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            for _ in range(WARM_UPS):
                self._step(*inputs)
        torch.cuda.current_stream().wait_stream(stream)
        for tensor, before in kept:
            tensor.copy_(before)
        for parameter, gradient in gradients:
            if parameter.grad is not None:  # it stays, for the graph adds to it
                parameter.grad.copy_(torch.zeros_like(parameter) if gradient is None else gradient)
        torch.cuda.set_rng_state(generator)


@lru_cache
def beside(device: int) -> torch.cuda.Stream:
    """The stream on which steps are warmed up and recorded: one for all, as every stream costs cuBLAS a workspace."""
    return torch.cuda.Stream(device)


@lru_cache
def aside(device: int) -> torch.cuda.Stream:
    """The stream on which a step does what nothing else in it waits for."""
    return torch.cuda.Stream(device)


def check_device(kind: str) -> None:
    """An error where "cuda" is asked for and there is no GPU."""
    if kind.startswith("cuda") and not torch.cuda.is_available():
        raise ConfigError("--device cuda: PyTorch finds no GPU here; leave the option out to run on the CPU")
