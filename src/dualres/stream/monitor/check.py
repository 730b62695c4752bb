"""Whether a model can judge a stream."""

from dualres.config import HELD
from dualres.errors import ConfigError
from dualres.judge.model import Model
from dualres.judge.verdict import check_probabilistic
from dualres.recordings.resample import exact_ratio
from dualres.stream.monitor.block import windows_in
from dualres.utils.rates import Rate, exact_rate


def check_stream(model: Model, rate: Rate, block_s: float) -> None:
    """An error where no stream at `rate` Hz can be judged, in blocks of `block_s` seconds."""
    check_probabilistic(model)
    config, exact = model.card.config, exact_rate(rate)
    if exact != config.rate and model.card.resampler != HELD:
        raise ConfigError(
            f"the model resamples by {model.card.resampler}, which needs the mean of a whole recording, and a "
            f"stream has none; fit it again by {HELD}, the default, or sample at {config.rate} Hz"
        )
    exact_ratio(exact, config.rate)
    windows_in(float(block_s), config)
