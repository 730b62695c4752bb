"""What ONNX Runtime makes of a graph; tests that import this are skipped where the extra is not installed."""

import pytest

onnx = pytest.importorskip("onnx", reason="the extra dualres[export] is not installed")
onnxruntime = pytest.importorskip("onnxruntime", reason="the extra dualres[export] is not installed")


def run(made, windows, speed=None):
    """The first output; `speed` of graphs that take one."""
    content = made.SerializeToString() if isinstance(made, onnx.ModelProto) else str(made)
    given = {"windows": windows} | ({} if speed is None else {"speed": speed})
    return onnxruntime.InferenceSession(content, providers=["CPUExecutionProvider"]).run(None, given)[0]
