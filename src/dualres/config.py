"""The paper's numbers, as frozen dataclasses that refuse what cannot work."""

import math
import re
from dataclasses import dataclass, fields, replace
from functools import cache
from typing import Any, Literal

from dualres.errors import ConfigError

Branches = Literal["both", "short", "long"]

# The first two take the mean of the whole recording for what lies beyond its ends. The last, by the first's filter with
# taps that sum to one, takes its first and last sample, which a live stream knows as well. Published results are by the
# first.
POLYPHASE, SOXR, HELD = RESAMPLERS = ("scipy.signal.resample_poly", "soxr", "polyphase-held")
DEFAULT_RESAMPLER = HELD  # of every model that is fitted for use
LARGEST_SIGMA = 5.0  # nats; gains of a path stay far from what float32 can hold
MOST_WAVES = 64  # as sharp as a short frame of 256 samples can tell
PAPER_HAS_NOT = ("path_sigma", "path_waves", "mixup", "standardise", "more")  # settings of a recipe
# A model file must not be able to ask for the whole memory by a few numbers in its card.
LARGEST_SIZE = 2**31  # of any rate or length
LARGEST_WINDOW = 2**20  # samples; 16 s at 64 kHz
LARGEST_PASS = 2**24  # numbers that frames and memory of one window hold together; the paper's window: 0.6 million


@dataclass(frozen=True)
class ModelConfig:
    """Sizes and settings of a DualRes network; the defaults are the paper's.

    The last settings express the paper's controls: `branches="short"` or `"long"` removes the other resolution,
    `rotation=False` fixes every oscillator at 0 Hz, `jitter=0.0` switches the damping jitter off. `memory=False` is not
    in the paper: it silences the memory, which leaves the mean spectrum alone.
    """

    rate: int = 64_000  # Hz, the rate every recording is resampled to
    window: int = 32_768  # samples, L
    hop: int = 128  # samples, H
    short: int = 256  # samples, N_s
    long: int = 1024  # samples, N_l
    width: int = 64  # channels, D; half for each resolution
    states: int = 8  # complex states per channel, K
    half_life_s: tuple[float, float] = (0.001, 0.064)  # s, of the damping at the start, first to last channel
    frequency_hz: tuple[float, float] = (10.0, 200.0)  # Hz on the token clock, first to last oscillator
    dropout: float = 0.1
    branches: Branches = "both"
    rotation: bool = True
    jitter: float = 0.10  # sigma of the log-normal damping jitter
    memory: bool = True

    def __post_init__(self) -> None:
        self._check_sizes()
        self._check_memory()

    def _check_sizes(self) -> None:
        for name in ("rate", "window", "hop", "short", "long", "width", "states"):
            value = getattr(self, name)
            if not isinstance(value, int) or isinstance(value, bool) or value < 1:
                raise ConfigError(f"{name}={value!r}: a positive whole number is needed")
            if value > LARGEST_SIZE:
                raise ConfigError(f"{name}: at most {LARGEST_SIZE} is supported")
        for name in ("short", "long"):
            if getattr(self, name) % 2:
                raise ConfigError(f"{name}={getattr(self, name)}: an analysis length must be even to have a centre")
        if self.short > self.long:
            raise ConfigError(f"short={self.short} is longer than long={self.long}: swap them")
        if self.window < self.long:
            raise ConfigError(f"window={self.window} is shorter than one long frame of {self.long} samples")
        if self.window > LARGEST_WINDOW:
            raise ConfigError(f"window={self.window}: at most {LARGEST_WINDOW} samples are supported")
        if self.width % 2:
            raise ConfigError(f"width={self.width} is odd: each of the two resolutions takes half of the channels")
        offset = self.long - self.short
        if offset % (2 * self.hop):
            raise ConfigError(
                f"long={self.long}, short={self.short}, hop={self.hop}: the frame offset (long - short) / (2 hop) = "
                f"{offset / (2 * self.hop):g} is not a whole number, so the centres of the two views cannot coincide"
            )

    def _check_memory(self) -> None:
        first, last = self.half_life_s
        if not (first > 0 and last > 0 and math.isfinite(first + last)):
            raise ConfigError(f"half_life_s={self.half_life_s}: two positive numbers of seconds are needed")
        nyquist = self.token_rate / 2
        if not all(0 < f < nyquist for f in self.frequency_hz):
            raise ConfigError(
                f"frequency_hz={self.frequency_hz}: oscillators live between 0 and {nyquist:g} Hz, half the token rate"
            )
        if not 0 <= self.dropout < 1:
            raise ConfigError(f"dropout={self.dropout}: a share from 0 up to, but not including, 1 is needed")
        if not (self.jitter >= 0 and math.isfinite(self.jitter)):
            raise ConfigError(f"jitter={self.jitter}: zero or a positive number is needed")
        if self.branches not in ("both", "short", "long"):
            raise ConfigError(f"branches={self.branches!r}: one of 'both', 'short', 'long' is needed")
        for name in ("rotation", "memory"):
            if not isinstance(getattr(self, name), bool):
                raise ConfigError(f"{name}={getattr(self, name)!r}: True or False is needed")

    def check_pass(self, most_tokens: int = LARGEST_SIZE) -> None:
        """An error where a window's frames, and the memory's states over all of its tokens, are too many to hold."""
        if self.held > LARGEST_PASS or self.tokens > most_tokens:
            raise ConfigError(
                f"window={self.window}, hop={self.hop}: a window of {self.tokens} frames takes too much memory; choose "
                "a shorter window or a longer hop"
            )

    @property
    def held(self) -> int:
        """Numbers that frames and memory of one window hold at a time."""
        return self.tokens * (self.short + self.long + 2 * self.width * self.states)

    @property
    def crop(self) -> int:
        """Frames dropped at each end of the short view so that the centres coincide (kappa)."""
        return (self.long - self.short) // (2 * self.hop)

    @property
    def tokens(self) -> int:
        """Aligned frame pairs in a window (T)."""
        return (self.window - self.long) // self.hop + 1

    @property
    def token_rate(self) -> float:
        """Tokens per second (f_z), in Hz."""
        return self.rate / self.hop

    @property
    def short_bins(self) -> int:
        return self.short // 2 + 1

    @property
    def long_bins(self) -> int:
        return self.long // 2 + 1

    @property
    def window_s(self) -> float:
        """Duration of a window in seconds."""
        return self.window / self.rate

    def as_data(self) -> dict[str, Any]:
        """Plain data for cards; settings that the paper does not have are left out at their defaults."""
        return _as_data(self, later=("memory",))


@dataclass(frozen=True)
class ViewSizes:
    """What the network of views looks at, beside the frames of `ModelConfig`, and the size of its heads."""

    band_edges: tuple[int, ...] = (1, 3, 8, 20, 51, 81)  # of modulation, in bins of a short frame: 250 Hz to 20 kHz
    oscillators: int = 72  # of each band, on a logarithmic axis
    range_hz: tuple[float, float] = (4.0, 420.0)  # what they cover; neighbours are 6.7 % apart
    half_life_s: float = 0.02  # s, of what they remember
    lines: tuple[int, int] = (2, 512)  # first and last bin of a frame as long as the window: 4 Hz to 1 kHz
    line_bands: int = 60  # edges between them, before those less than a bin apart are joined
    rank: int = 32  # directions of a head in which recordings of one class may differ

    @property
    def bands(self) -> int:
        return len(self.band_edges) - 1

    @property
    def line_edges(self) -> tuple[int, ...]:
        """Of the bands of low lines, in bins: one bin each at first, later a tenth of their frequency wide."""
        (first, last), count = self.lines, self.line_bands
        return tuple(sorted({round(first * (last / first) ** (i / (count - 1))) for i in range(count)}))

    def oscillator_hz(self, margin: int = 0) -> tuple[float, ...]:
        """Where oscillators swing, and `margin` of them beyond either end of the axis."""
        (low, high), count = self.range_hz, self.oscillators
        return tuple(low * (high / low) ** ((i + 0.5) / count) for i in range(-margin, count + margin))

    def left_of_swing(self, rate: float) -> float:
        """What is left of an oscillator's state after a frame, of which there are `rate` in a second."""
        return float(0.5 ** (1 / (self.half_life_s * rate)))

    def features(self, config: ModelConfig) -> dict[str, int]:
        """The heads and the number of features that each takes.

        `repetition` and `rhythm` see the same modulation. The first learns it as it is, which tells most at a speed
        that was labelled; the second at other speeds as well.
        """
        repeating = self.bands * self.oscillators
        spectra = config.short_bins + config.long_bins
        return {"spectra": spectra, "repetition": repeating, "rhythm": repeating, "lines": len(self.line_edges) - 1}


VIEW_SIZES = ViewSizes()


@dataclass(frozen=True)
class OrderSizes:
    """What the network of orders looks at, beside the frames of `ModelConfig` and the bands of `ViewSizes`.

    An order is a multiple of the shaft's rate. Both views are computed over Hz once; readings at orders then cost
    little, so that many speeds can be tried.
    """

    orders: tuple[float, float] = (0.3, 14.0)  # that both views are read at, on a logarithmic axis
    oscillators: int = 72  # readings of modulation in each band
    quality: float = 12.0  # of an oscillator: it loses the same share in every turn, whatever its frequency
    bank_hz: tuple[float, float] = (1.5, 495.0)  # where oscillators stand; readings lie between two of them
    bank_step: float = 0.025  # nats from one to the next
    lines: int = 80  # readings of the envelope's spectrum
    near: int = 2  # orders beside each other of which a line is the largest
    envelope_hz: int = 4000  # samples of the envelope in a second
    smoothed: int = 5  # bins of a long frame over which the power is averaged that whitens it
    lowest_bin: int = 4  # of a long frame that the envelope knows: 250 Hz
    usual_hz: float = 25.0  # of a shaft of which nothing is known: then orders are an axis of Hz

    @property
    def bank(self) -> int:
        """Oscillators of a band."""
        low, high = self.bank_hz
        return math.ceil(math.log(high / low) / self.bank_step)

    @property
    def oscillator_hz(self) -> tuple[float, ...]:
        return tuple(self.bank_hz[0] * math.exp(self.bank_step * i) for i in range(self.bank))

    @cache  # noqa: B019 - there is one of these
    def axis(self, count: int) -> tuple[float, ...]:
        """So many orders, evenly spread over the logarithmic axis."""
        low, high = self.orders
        return tuple(low * (high / low) ** ((i + 0.5) / count) for i in range(count))

    def edges(self, count: int) -> tuple[float, ...]:
        """Where so many equal parts of the axis begin and end, (count + 1,)."""
        low, high = self.orders
        return tuple(low * (high / low) ** (i / count) for i in range(count + 1))

    def features(self, config: ModelConfig) -> dict[str, int]:
        """The heads and the number of features that each takes.

        Three heads look at modulation, and three at the envelope: on an axis of Hz, on the same axis after learning at
        other speeds, too, and on an axis of orders.
        """
        modulation, spectra = VIEW_SIZES.bands * self.oscillators, config.short_bins + config.long_bins
        both = {"modulation": modulation, "envelope": self.lines}
        by_axis = [{name.format(look): n for look, n in both.items()} for name in ("{}", "{}_moved", "order_{}")]
        return {"spectra": spectra} | by_axis[0] | by_axis[1] | by_axis[2]


ORDER_SIZES = OrderSizes()

# What keeps roots, quotients and logarithms in bounds, the same wherever a network is computed.
SMALLEST_RMS = 1e-10  # of a window: a silent one stays silent
SMALLEST_DISTANCE = 1e-6  # squared, of a view to a class: a window may be its class' mean itself
LEAST_MAGNITUDE = 0.05  # added to a band's mean magnitude: bands above what the sensor recorded stay silent
HEARD_MAGNITUDE = 0.5  # of a band that counts for half: one beyond what the sensor recorded is next to silent
WHITE_FLOOR = 1e-2  # of the mean power, added to each bin's before it is divided by
LEAST_POWER = 1e-2  # of a bin of a window of RMS one, added before it is divided by: what rounding leaves stays small
LEAST_ENVELOPE = 1e-4  # likewise of an envelope's mean, which is 0.02 to 0.05
HALF_SWING_HZ = 50.0  # at this rate of the shaft a swing of one counts as it is: what a line makes swing falls with it
LINE_GAIN = 1.5  # of the envelope's lines before their logarithm
MOST_VIEWS_TOKENS = 1024  # PyTorch's tables of modulation grow with the square; those of 1024 take 64 MiB


@dataclass(frozen=True)
class Recipe:
    """How a network is trained: Adam, one update per pass over the support, the last weights kept.

    The paper uses 300 updates for gearboxes and 100 for bearings. It has the first three settings only; the others are
    off by default, and `dualres.learn.trained.augment` explains them.
    """

    updates: int = 300
    learning_rate: float = 5e-4
    decay: float = 0.99  # of the learning rate, per update
    path_sigma: float = 0.0  # nats; how far random transfer paths raise and lower frequencies, 0 for none
    path_waves: int = 4  # cosines that a transfer path is the sum of
    mixup: bool = False  # whether windows are blended with others of the support, and their labels likewise
    standardise: bool = False  # whether DualRes learns from spectra standardised by the support
    more: tuple[tuple[str, float], ...] = ()  # further augmentations: the name each is registered by, and its strength

    def __post_init__(self) -> None:
        if not isinstance(self.updates, int) or self.updates < 1:
            raise ConfigError(f"updates={self.updates!r}: at least one update is needed")
        if not (self.learning_rate > 0 and math.isfinite(self.learning_rate)):
            raise ConfigError(f"learning_rate={self.learning_rate}: a positive number is needed")
        if not 0 < self.decay <= 1:
            raise ConfigError(f"decay={self.decay}: a factor above 0 and at most 1 is needed")
        if not 0 <= self.path_sigma <= LARGEST_SIGMA:
            raise ConfigError(f"path_sigma={self.path_sigma}: from 0 to {LARGEST_SIGMA:g} nats are supported")
        if not isinstance(self.path_waves, int) or not 1 <= self.path_waves <= MOST_WAVES:
            raise ConfigError(f"path_waves={self.path_waves!r}: a whole number from 1 to {MOST_WAVES} is needed")
        for name in ("mixup", "standardise"):
            if not isinstance(getattr(self, name), bool):
                raise ConfigError(f"{name}={getattr(self, name)!r}: True or False is needed")
        object.__setattr__(self, "more", self._strengths())

    def _strengths(self) -> tuple[tuple[str, float], ...]:
        """The pairs of `more`, given as tuples or as JSON's lists."""
        try:
            pairs = tuple((name, 0.0 + strength) for name, strength in self.more)  # text is refused as a strength
            names = {name for name, _ in pairs}
            told_apart = len(names) == len(pairs) and names.isdisjoint(vars(self))
            if told_apart and all(re.fullmatch("[a-z][a-z0-9_-]*", n) and 0 < s < math.inf for n, s in pairs):
                return pairs
        except (TypeError, ValueError, OverflowError):
            pass
        raise ConfigError(
            f"more={self.more!r}: pairs of a name and a positive strength are needed, the names in lower case, all "
            "different and none a setting's"
        )

    def rate_at(self, update: int) -> float:
        """The learning rate of the given update, counted from 1."""
        return self.learning_rate * self.decay ** (update - 1)

    @property
    def augments(self) -> bool:
        """Whether every update sees the windows in another way."""
        return self.path_sigma > 0 or self.mixup or bool(self.more)

    @property
    def plain(self) -> bool:
        """Whether every update sees the windows as they are."""
        return not (self.augments or self.standardise)

    def as_data(self, *, complete: bool = False) -> dict[str, Any]:
        """Plain data for plans and cards.

        Plans are hashed, so settings that the paper does not have are left out at their defaults. `complete` data has
        all settings, and leaves out only an empty `more`.
        """
        return _as_data(self, later=("more",) if complete else PAPER_HAS_NOT)

    def __str__(self) -> str:
        """The nearest named recipe, and what differs from it: "robust, updates=100"."""
        changes = [{k: v for k, v in vars(self).items() if v != getattr(named, k)} for named in RECIPES.values()]
        fewest = min(range(len(changes)), key=lambda i: len(changes[i]))
        told = {k: v for k, v in changes[fewest].items() if k != "more"} | dict(self.more)
        return ", ".join([list(RECIPES)[fewest], *(f"{k}={v}" for k, v in told.items())])

    @property
    def kind(self) -> str:
        """The same without the number of updates, which mostly stands beside it."""
        return ", ".join(part for part in str(self).split(", ") if not part.startswith("updates="))


RECIPES = {"paper": Recipe(), "robust": Recipe(800, 1e-3, 0.996, path_sigma=1.0, mixup=True, standardise=True)}


def recipe_named(name: str, **changes: Any) -> Recipe:
    """A recipe by its name, with the changes that are not None."""
    if name not in RECIPES:
        raise ConfigError(f"recipe {name!r} is not known; there are {', '.join(RECIPES)}")
    return replace(RECIPES[name], **{k: v for k, v in changes.items() if v is not None})


def _as_data(settings: ModelConfig | Recipe, later: tuple[str, ...]) -> dict[str, Any]:
    """Fields as plain data; those that came `later` are left out at their defaults."""
    values = {field.name: (getattr(settings, field.name), field.default) for field in fields(settings)}
    return {name: value for name, (value, default) in values.items() if name not in later or value != default}
