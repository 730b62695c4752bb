import numpy as np
import pytest
from scipy.io import wavfile

from tests.cli.runner import RATE, done, tone, write_labels


@pytest.fixture(scope="session")
def machines(tmp_path_factory):
    """Two classes, three machines each, as 16-bit wav files listed in labels.csv, and one that is broken."""
    folder = tmp_path_factory.mktemp("machines")
    rows = []
    for label, hz in (("good", 900), ("worn", 3000)):
        for machine in range(3):
            name = f"{label}{machine}.wav"
            wavfile.write(folder / name, RATE, (8000 * tone(hz, machine)).astype(np.int16))
            rows.append([name, label, f"{label} machine {machine}"])
    (folder / "broken.wav").write_bytes(b"RIFF but no more")
    rows.append(["broken.wav", "good", "x"])
    write_labels(folder, "file label component", rows)
    return folder


@pytest.fixture(scope="session")
def fitted(machines, tmp_path_factory):
    out = tmp_path_factory.mktemp("model") / "pump.safetensors"
    result = done("fit", machines, "-o", out, "--windows", 2, "--updates", 25)
    return result.output, out


@pytest.fixture(scope="session")
def views(machines, tmp_path_factory):
    """What `dualres fit` gives by default."""
    out = tmp_path_factory.mktemp("model") / "pump.safetensors"
    result = done("fit", machines, "-o", out, "--windows", 2)
    return result, out
