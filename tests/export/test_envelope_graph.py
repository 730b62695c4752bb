"""The envelope's spectrum and the signals of spectra in ONNX Runtime against NumPy."""

import numpy as np
import pytest

from dualres.config import ModelConfig
from dualres.model.reference import orders as reference
from tests.export.onnx_runtime import run
from tests.model.made_views import machine_windows

graph = pytest.importorskip("dualres.export.graph")
envelope_graph = pytest.importorskip("dualres.export.envelope_graph")
spectra_graph = pytest.importorskip("dualres.export.spectra_graph")


@pytest.mark.parametrize("sizes", [{}, {"rate": 52_000, "window": 32_768 - 128}], ids=str)
def test_lines_of_the_envelope(sizes):
    config = ModelConfig(**sizes)
    windows = machine_windows(1, seed=3)[:, : config.window]
    made = graph.Graph()
    lines = envelope_graph.envelope_spectrum(made, spectra_graph.normalised(made), config)
    wanted = reference.envelope_spectrum(windows.astype(np.float64), config)
    found = run(made.finish([("windows", config.window)], [(lines, "lines", wanted.shape[1])]), windows)
    assert found.shape == wanted.shape
    np.testing.assert_allclose(found, wanted, atol=1e-5)
    assert wanted.max() > 0.5


@pytest.mark.parametrize("length", [12, 13, 512])
def test_signals_of_spectra_are_those_of_an_inverse_transform(length):
    spectra = np.random.default_rng(0).standard_normal((3, 2, length)).astype(np.float32)
    made = graph.Graph()
    parts = [made.put("Gather", "windows", part, axis=1) for part in range(2)]
    found = made.put("Reshape", spectra_graph.signals(made, parts, length), [-1, 2 * length])
    said = run(made.finish([("windows", 2, length)], [(found, "signals", 2 * length)]), spectra)
    wanted = np.fft.ifft(spectra[:, 0] + 1j * spectra[:, 1])
    np.testing.assert_allclose(said, np.hstack([wanted.real, wanted.imag]), atol=1e-6)
