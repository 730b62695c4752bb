"""The window of the simulated rig that figures show where they need a real signal."""

import numpy as np
import torch
from torch import Tensor

from dualres.config import ModelConfig
from dualres.recordings.windows import at_rate
from dualres.simulated.rig import recordings

SHOWN = "pitting_M_speed_2000rpm_20Nm"
START_S = 6.0  # of the window, within the recording


def rig_window(config: ModelConfig) -> Tensor:
    """Raw samples at `config.rate`, (1, window), float64."""
    (recording,) = (one for one in recordings() if one.id == SHOWN)
    begin = int(START_S * config.rate)
    samples = at_rate(recording, config.rate, config.window)[begin : begin + config.window]
    return torch.from_numpy(samples[None].astype(np.float64))
