"""Whether a model can judge a stream."""

from dualres.config import HELD
from dualres.errors import ConfigError
from dualres.judge.geometry import refuse_geometry
from dualres.judge.model import Model
from dualres.judge.verdict import check_probabilistic
from dualres.recordings.resample import exact_ratio
from dualres.stream.monitor.block import windows_in
from dualres.utils.rates import Rate, exact_rate

FAR_RATE = 10  # times below the lowest rate that a model learned at, or above the highest: no use, or meant otherwise
LEAST_RATE = 100  # Hz, where it is not known at what rates: half a second of fewer samples says nothing


def check_stream(model: Model, rate: Rate, block_s: float) -> None:
    """An error where no stream at `rate` Hz can be judged, in blocks of `block_s` seconds."""
    check_probabilistic(model)
    refuse_geometry(model.card, "a stream")
    config, exact = model.card.config, exact_rate(rate)
    if exact != config.rate and model.card.resampler != HELD:
        raise ConfigError(
            f"the model resamples by {model.card.resampler}, which needs the mean of a whole recording, and a "
            f"stream has none; fit it again by {HELD}, the default, or sample at {config.rate} Hz"
        )
    exact_ratio(exact, config.rate)
    windows_in(float(block_s), config)


def check_rate(model: Model, rate: Rate) -> None:
    """An error for a rate that is far from those at which the model learned."""
    profile, exact = model.training_profile, exact_rate(rate)
    learned = profile.rates if profile else ()
    remedy = "state the rate in Hz, or fit a model of such recordings"
    if not learned and exact < LEAST_RATE:
        raise ConfigError(f"{float(exact):g} Hz: a rate below {LEAST_RATE} Hz is refused; {remedy}")
    if learned and not min(learned) / FAR_RATE <= exact <= max(learned) * FAR_RATE:
        known = ", ".join(f"{float(one):g}" for one in learned)
        raise ConfigError(
            f"{float(exact):g} Hz, and the model learned at {known} Hz: more than a factor of {FAR_RATE} is refused; "
            f"{remedy}"
        )
