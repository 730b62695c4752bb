"""On a GPU: steps as CUDA graphs, so that a small network is not bound by the launching of its kernels."""

import gc
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

import torch
from torch import Tensor, nn
from torch.torch_version import TorchVersion

from dualres.errors import ConfigError

WARM_UPS = 3  # as PyTorch advises: libraries choose their kernels and workspaces in the first calls
WORKSPACES_FREED = TorchVersion("2.12")  # since when a graph frees its stream's, pytorch/pytorch#193402
PLAIN_CALLS = 2  # of a network that judges; what comes no oftener is not worth a recording

TensorShapes = tuple[torch.Size, ...]
Pool = Any  # of memory: PyTorch's handle


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


def recorded(step: Callable[[], None], pool: Pool | None = None) -> torch.cuda.CUDAGraph:
    """`step` as a CUDA graph, recorded on the current stream, which must not be the default one.

    The step must have run before, so that its kernels are compiled, and its tensors must stay where they are. What it
    allocates is in a `pool` that other graphs may share, if what one leaves is not read after another was replayed.
    """
    graph = torch.cuda.CUDAGraph()
    # Not torch.cuda.graph(): it waits for all streams, and gives the allocator's free memory back, which the next fit
    # would have to ask for again.
    with _nothing_collected(), _own_workspaces():
        graph.capture_begin(pool, capture_error_mode="thread_local")
        try:
            step()
        finally:
            graph.capture_end()
    return graph


@contextmanager
def _nothing_collected() -> Iterator[None]:
    """An earlier graph that is let go of meanwhile would spoil a recording."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


@contextmanager
def _own_workspaces() -> Iterator[None]:
    """What is recorded has cuBLAS' workspaces in its own memory.

    Else it works in those that its stream had before. When another graph of that stream is let go of, PyTorch frees
    them.
    """
    frees = torch.__version__ >= WORKSPACES_FREED
    if frees:
        torch._C._cuda_clearCublasWorkspaces()
    try:
        yield
    finally:
        if frees:
            torch._C._cuda_clearCublasWorkspaces()


def warmed_and_recorded(step: Callable[[], None]) -> torch.cuda.CUDAGraph:
    """`recorded` on a stream beside the current one, after a first call, which compiles what has to be compiled."""
    with _on(beside(torch.cuda.current_device())):
        step()
        return recorded(step)


class StepGraph:
    """`step(*tensors)`, recorded at its first call for each set of shapes and replayed from then on.

    The step may change the model's gradients, its buffers and whatever else it holds on the device, and draw from the
    device's generator; it must not return anything or look at a value. Recording itself leaves no trace: what the
    warm-up calls did to the model and the generator is undone, and their memory is given back. The steps of all shapes
    share theirs, so what one leaves has to be read before the next call.
    """

    def __init__(self, step: Callable[..., None], model: nn.Module, *touched: Tensor) -> None:
        self._step, self._model, self._touched = step, model, touched
        self._pool: Pool | None = None
        self._graphs: dict[TensorShapes, tuple[torch.cuda.CUDAGraph, tuple[Tensor, ...]]] = {}

    def __call__(self, *tensors: Tensor) -> None:
        shapes = _shapes(tensors)
        if shapes not in self._graphs:
            self._graphs[shapes] = self._record(tensors)
        graph, inputs = self._graphs[shapes]
        for own, given in zip(inputs, tensors, strict=True):
            own.copy_(given)
        graph.replay()

    def _record(self, tensors: tuple[Tensor, ...]) -> tuple[torch.cuda.CUDAGraph, tuple[Tensor, ...]]:
        inputs = tuple(t.clone() for t in tensors)
        stream = beside(torch.cuda.current_device())
        self._warm_up(inputs, stream)
        torch.cuda.empty_cache()  # else as much again would lie idle: what is recorded has memory of its own
        with _on(stream):
            graph = recorded(lambda: self._step(*inputs), self._pool)
        self._pool = graph.pool()
        return graph, inputs

    def _warm_up(self, inputs: tuple[Tensor, ...], stream: torch.cuda.Stream) -> None:
        kept = [(t, t.clone()) for t in (*self._model.buffers(), *self._touched)]
        gradients = [(p, None if p.grad is None else p.grad.clone()) for p in self._model.parameters()]
        generator = torch.cuda.get_rng_state()
        with _on(stream):
            for _ in range(WARM_UPS):
                self._step(*inputs)
        for tensor, before in kept:
            tensor.copy_(before)
        for parameter, gradient in gradients:
            if parameter.grad is not None:  # it stays, for the graph adds to it
                parameter.grad.copy_(torch.zeros_like(parameter) if gradient is None else gradient)
        torch.cuda.set_rng_state(generator)


class CapturedForward:
    """`network(*tensors)` without gradients, as it is for the first inputs of each shape and replayed for later ones.

    The network must be in its final mode. It may be written to; where its tensors are others, it is recorded again.
    """

    def __init__(self, network: nn.Module) -> None:
        self._network = network
        self._places: list[int] = []  # of the network's tensors
        self._forget()

    def _forget(self) -> None:
        network, given = self._network, dict[TensorShapes, Tensor]()

        def keep(*tensors: Tensor) -> None:
            given[_shapes(tensors)] = network(*tensors)

        self._passes, self._given = StepGraph(keep, network), given  # of each shape the last, which a replay fills
        self._calls: Counter[TensorShapes] = Counter()

    def __call__(self, *tensors: Tensor) -> Tensor:
        places = [t.data_ptr() for t in (*self._network.parameters(), *self._network.buffers())]
        if places != self._places:
            self._forget()
            self._places = places
        self._calls[_shapes(tensors)] += 1
        if self._calls[_shapes(tensors)] <= PLAIN_CALLS:
            given: Tensor = self._network(*tensors)
            return given
        # Not in inference mode, if that is the caller's: what is made in it could not be filled outside of it.
        with torch.inference_mode(False), torch.no_grad():
            self._passes(*tensors)
            return self._given[_shapes(tensors)].clone()


def _shapes(tensors: Iterable[Tensor]) -> TensorShapes:
    return tuple(t.shape for t in tensors)


@contextmanager
def _on(stream: torch.cuda.Stream) -> Iterator[None]:
    """Work on that stream, after what the current one has to do, which then waits for it."""
    current = torch.cuda.current_stream()
    stream.wait_stream(current)
    with torch.cuda.stream(stream):
        yield
    current.wait_stream(stream)


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
