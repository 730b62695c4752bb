"""An ONNX graph, put together operation by operation."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper

from dualres.utils.arrays import Exact

OPSET = 17  # the first with LayerNormalization; ONNX Runtime knows it since 1.12
IR_VERSION = 8


class Graph:
    """Operations are put one after the other; each gives the name of its result, which the next one takes."""

    def __init__(self) -> None:
        self._nodes: list[onnx.NodeProto] = []
        self._constants: list[onnx.TensorProto] = []
        self._names: dict[tuple[str, tuple[int, ...], bytes], str] = {}  # of constants, by what they hold

    def put(self, kind: str, *inputs: str | npt.ArrayLike, **attributes: Any) -> str:
        """Add an operation and name its result. Numbers among the inputs are kept as float32 or int64."""
        return self._put(kind, inputs, 1, attributes)[0]

    def split(self, x: str, sizes: list[int]) -> list[str]:
        """Cut the last axis into pieces of the given sizes."""
        return self._put("Split", (x, sizes), len(sizes), {"axis": -1})

    def linear(self, x: str, weight: Exact, bias: Exact) -> str:
        """A map of the last axis by a weight (inputs, outputs)."""
        return self.put("Add", self.put("MatMul", x, weight), bias)

    def double(self, x: str | npt.ArrayLike) -> str:
        """A result, or numbers that float32 can hold, in double precision."""
        return self.put("Cast", x, to=TensorProto.DOUBLE)

    def single(self, x: str) -> str:
        return self.put("Cast", x, to=TensorProto.FLOAT)

    def whole(self, x: str) -> str:
        return self.put("Cast", x, to=TensorProto.INT64)

    def exactly(self, values: npt.ArrayLike) -> str:
        """Numbers that are kept in double precision, and take twice the room."""
        return self._kept(np.asarray(values, np.float64, order="C"))

    def finish(
        self, takes: Sequence[tuple[str, *tuple[int, ...]]], gives: Sequence[tuple[str, str, int]]
    ) -> onnx.ModelProto:
        """The model: any number of rows of float32 in, by name and sizes, and of results out, by name and size."""
        nodes = [*self._nodes, *(helper.make_node("Identity", [result], [name]) for result, name, _ in gives)]
        named = (*takes, *((name, size) for _, name, size in gives))
        rows = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["batch", *n]) for name, *n in named]
        graph = helper.make_graph(nodes, "dualres", rows[: len(takes)], rows[len(takes) :], self._constants)
        return helper.make_model(
            graph, producer_name="dualres", ir_version=IR_VERSION, opset_imports=[helper.make_opsetid("", OPSET)]
        )

    def _put(
        self, kind: str, inputs: tuple[str | npt.ArrayLike, ...], outputs: int, attributes: dict[str, Any]
    ) -> list[str]:
        names = [i if isinstance(i, str) else self._constant(i) for i in inputs]
        results = [f"{kind}_{len(self._nodes)}_{i}" for i in range(outputs)]
        self._nodes.append(helper.make_node(kind, names, results, **attributes))
        return results

    def _constant(self, value: npt.ArrayLike) -> str:
        array = np.asarray(value)
        return self._kept(np.asarray(array.astype(np.float32 if array.dtype.kind == "f" else np.int64), order="C"))

    def _kept(self, kept: npt.NDArray[np.generic]) -> str:
        content = (kept.dtype.str, kept.shape, kept.tobytes())
        if content not in self._names:
            self._names[content] = f"constant_{len(self._constants)}"
            self._constants.append(numpy_helper.from_array(kept, self._names[content]))
        return self._names[content]


def exact(tensor: torch.Tensor) -> Exact:
    """A parameter in float64."""
    return np.asarray(tensor.detach().to("cpu", torch.float64).numpy())
