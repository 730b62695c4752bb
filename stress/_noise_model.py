"""A model for live storms."""

from __future__ import annotations

import sys
from fractions import Fraction
from pathlib import Path

import numpy as np


def last_bits_needed() -> None:
    """The end of the script where verdicts could differ in them."""
    from dualres.kernel.compiled import variant

    if not variant():
        sys.exit(
            "verdicts are the same to the last bit only with the compiled library: pip install -e . with a compiler"
        )


def write_model(path: Path) -> Path:
    """Of noise: what it says does not matter, only that it is always the same.

    It remembers a rate, which must not be taken for that of devices before their headers come.
    """
    from dualres.config import HELD, ModelConfig
    from dualres.judge.backends import weights_of
    from dualres.judge.model import Model, save
    from dualres.judge.training_profile import TrainingProfile
    from dualres.learn.closed_form import fit_views
    from dualres.model.kinds import VIEWS
    from dualres.model_file.card import Card

    windows = np.random.default_rng(0).standard_normal((6, ModelConfig().window)).astype(np.float32)
    card = Card(
        ("good", "inner", "outer"),
        ModelConfig(),
        None,
        0,
        HELD,
        {},
        method=VIEWS.method,
        learned_from=TrainingProfile(rates=(Fraction(8000),)).as_data(),
    )
    save(Model((weights_of(fit_views(windows, np.arange(6) % 3, 3)),), card), path)
    return path
