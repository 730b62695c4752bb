"""Does a hostile model file ever do more than to be refused? Adds up in a state file, see _tally.py.

    python stress/models.py 100000 --state models.json

Cards, tensors and bytes of intact model files are changed at random. Most are sealed again after that, as somebody who
means harm would. What loads is shown and judges a window. A failure is an exception that a caller would not expect, a
call of more than 5 s, or a process of more than 1,000 MB.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from _hostile import VALUES as ANY_VALUES
from _hostile import with_change
from _tally import Attack, main
from dualres.cli.folder import loaded
from dualres.config import POLYPHASE, ModelConfig, Recipe
from dualres.errors import ModelFileError
from dualres.judge.model import Model, content
from dualres.judge.training_profile import TrainingProfile
from dualres.learn.estimate_text import expected
from dualres.model.check import check_windows
from dualres.model.kinds import VIEWS
from dualres.model.network import DualRes
from dualres.model.views.network import ViewsNetwork
from dualres.model_file.card import APART, Card
from fuzz_readers import damage

ZEROS = "0" * 64
SMALL = ModelConfig(rate=2000, window=256, hop=8, short=16, long=64, width=8, states=2, frequency_hz=(5.0, 100.0))
CLASSES = ("good", "worn", "broken")
VALUES = (
    *ANY_VALUES,
    *(65, 2**20, [0.0] * 1000, ["x"] * 100, ["x", "y", "z"], [1e400, -1e400], {"low": 1}, [{"unit": "component"}]),
    *("apart", "shared", VIEWS.method, "crossformer", "minirocket", "dualres/short"),
)
TYPES = ("F16", "BF16", "F32", "F64", "F8_E4M3", "F8_E5M2", "C64", "I8", "U8", "I64", "U64", "BOOL", "F4", "", "X", 3)


@contextmanager
def hostile(folder: Path) -> Iterator[Callable[[int], str]]:
    """Loads a changed file."""
    originals = list(intact())
    path = folder / "model.safetensors"
    path.write_bytes(originals[0])
    attempt(path)  # what is imported at first use is not the file's doing

    def at(seed: int) -> str:
        path.write_bytes(changed(originals[seed % len(originals)], np.random.default_rng(seed)))
        return attempt(path)

    yield at


def attempt(path: Path) -> str:
    """Load the file as a command does, and do with the model what `show` and `diagnose` do first."""
    try:
        model = loaded(path)
        json.dumps(model.card.as_data(), default=str)
        expected(model.card.estimates)
        TrainingProfile.parsed(model.card.learned_from)
        str(model.card.recipe)
        assert np.isfinite(model.scores(check_windows(1, model.card.config.window), 0)).all()
    except ModelFileError:
        return "refused"
    return "loaded"


def intact() -> Iterator[bytes]:
    """One network, three, three axes, and views."""
    score = {"macro_f1": 0.9, "units": 3.0, "rounds": 2.0, "low": 0.8, "high": 1.0, "level": 0.9}
    estimate = {"unit": "component", **score, "fits": 2, "classes": ["good"], "classes_not_covered": ["worn"]}
    estimate |= {"on_another_recording": {"worn": [1, 2]}, "not_known": {"load": "label more"}, "notes": ["few"]}
    estimate |= {"same_components": False}
    learned = {"channels": ["DE"], "rates": ["48000"], "units": ["g"], "looks": {"level": [0.1, 2.0]}}
    card = Card(
        *(CLASSES, SMALL, Recipe(updates=7), 3, POLYPHASE, dict.fromkeys(CLASSES, 1.5), "component", score, ("few",)),
        learned_from=learned,
        estimates=(estimate,),
    )
    yield content(_model(card))
    yield content(_model(_with(card, members=3)))
    yield content(_model(_with(card, channels=("x", "y", "z"), axes=APART)))
    views = ViewsNetwork(3).eval()
    for tensor in views.parameters():
        tensor.data.fill_(0.01)
    yield content(Model((views,), _with(card, config=ModelConfig(), recipe=None, method=VIEWS.method)))


def _with(card: Card, **changes: Any) -> Card:
    return Card(**{**vars(card), **changes})


def _model(card: Card) -> Model:
    return Model(tuple(DualRes(3, card.config, seed=i).eval() for i in range(card.networks)), card)


def parts(blob: bytes) -> tuple[dict[str, Any], bytes]:
    """A file's header, read as JSON, and the bytes of its tensors."""
    end = 8 + int.from_bytes(blob[:8], "little")
    return json.loads(blob[8:end]), blob[end:]


def sealed(header: dict[str, Any], card: Any, tensors: bytes) -> bytes:
    """A file with this card, and the hash that makes it intact."""
    if isinstance(card, dict) and "sha256" not in card:
        card = {**card, "sha256": ZEROS}
    header = {**header, "__metadata__": {"dualres": json.dumps(card, separators=(",", ":"))}}
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    blob = len(text).to_bytes(8, "little") + text + tensors
    return blob.replace(ZEROS.encode(), hashlib.sha256(blob).hexdigest().encode(), 1)


def changed(blob: bytes, rng: np.random.Generator) -> bytes:
    """A copy with one to three changes of the card, the list of tensors or their numbers; sealed again, or not."""
    if rng.random() < 0.1:
        return damage(blob, rng)
    header, tensors = parts(blob)
    card = json.loads(header.pop("__metadata__")["dualres"])
    card["sha256"] = ZEROS
    for _ in range(rng.integers(1, 4)):
        way = rng.random()
        if way < 0.7:
            card = with_change(card, VALUES, rng)
        elif way < 0.85:
            header = with_change(header, (*VALUES, *TYPES, *TYPES), rng)
        else:
            tensors = with_numbers(tensors, rng)
    return sealed(header if isinstance(header, dict) else {}, card, tensors)


def with_numbers(tensors: bytes, rng: np.random.Generator) -> bytes:
    """A few floats replaced by extreme ones, or some bytes cut off or added."""
    if rng.random() < 0.2:
        return tensors[: -int(rng.integers(1, 9))] if rng.random() < 0.5 else tensors + bytes(int(rng.integers(1, 9)))
    floats = np.frombuffer(tensors, np.float32).copy() if len(tensors) % 4 == 0 and tensors else np.zeros(4, np.float32)
    extremes = np.array([np.nan, np.inf, -np.inf, 3e38, -3e38, 1e-45, 0, 1e20], np.float32)
    floats[rng.integers(len(floats), size=rng.integers(1, 9))] = rng.choice(extremes)
    return floats.tobytes()


ATTACK = Attack("models", "hostile model files", hostile, longest_s=5.0, most_mb=1000.0)

if __name__ == "__main__":
    main(__doc__, [ATTACK])
