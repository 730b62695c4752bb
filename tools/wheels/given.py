"""What is given to every environment that a wheel is tested in: models, a recording, and what has to come out."""

from __future__ import annotations

import json
import wave
from pathlib import Path

import numpy as np

from dualres.judge.model import save
from dualres.model.check import hash_uniform
from tests.model.golden import GOLDEN_LOGITS, golden_network
from tests.model.made_views import made_views
from tests.models import model_of

RATE, SECONDS = 12_800, 4  # of the recording: Hz, s
SOUND, ARRAY = ("pump.wav",), ("pump.npy", "--rate", str(RATE))  # how `dualres diagnose` is given it, in either format


def make(folder: Path) -> Path:
    """The folder that `check.py` takes."""
    folder.mkdir(parents=True, exist_ok=True)
    save(model_of(golden_network()), folder / "golden.safetensors")
    save(model_of(made_views()), folder / "views.safetensors")
    (folder / "logits.json").write_text(json.dumps(GOLDEN_LOGITS))
    signal = (8000 * hash_uniform(SECONDS * RATE, 0)).astype(np.int16)
    np.save(folder / "pump.npy", signal)
    with wave.open(str(folder / "pump.wav"), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes(signal.tobytes())
    return folder
