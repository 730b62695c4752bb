"""Random generators for the length of a fit."""

import random

import torch


class Randomness:
    """PyTorch's and Python's generators, seeded once and in use within `with`, as often as it is entered.

    In between they stand still, whatever others draw, and the caller's generators are left as they were. A CUDA graph
    that was recorded within it draws from these generators wherever it is replayed, and from no other fit's.
    """

    def __init__(self, seed: int) -> None:
        self._python = random.Random(seed).getstate()
        self._cpu = torch.Generator().manual_seed(seed).get_state()
        self._gpus = [generator.clone_state().manual_seed(seed) for generator in _of_gpus()]
        self._callers: tuple[object, torch.Tensor, list[torch.Generator]] | None = None

    def __enter__(self) -> None:
        gpus = _of_gpus()
        self._callers = random.getstate(), torch.get_rng_state(), [one.graphsafe_get_state() for one in gpus]
        self._put_in_use(self._python, self._cpu, self._gpus)

    def __exit__(self, *_: object) -> None:
        self._python, self._cpu = random.getstate(), torch.get_rng_state()  # those of GPUs are where they were drawn
        assert self._callers, "it is left once for every time that it is entered"
        self._put_in_use(*self._callers)
        self._callers = None

    @staticmethod
    def _put_in_use(python: object, cpu: torch.Tensor, gpus: list[torch.Generator]) -> None:
        random.setstate(python)  # type: ignore[arg-type]
        torch.set_rng_state(cpu)
        for one, state in zip(_of_gpus(), gpus, strict=True):
            one.graphsafe_set_state(state)


def seeded(seed: int) -> Randomness:
    """Generators of this seed, and afterwards the caller's as they were."""
    return Randomness(seed)


def _of_gpus() -> tuple[torch.Generator, ...]:
    """The default generator of every GPU."""
    if not torch.cuda.is_available():
        return ()
    torch.cuda.init()
    return torch.cuda.default_generators
