"""The interface of a source of samples."""

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from dualres.errors import ConfigError
from dualres.judge.model import Model
from dualres.stream.monitor.chunk import DTYPES, Chunk, Form

Put = Callable[[Chunk], None]
Say = Callable[[str], None]


@dataclass(frozen=True)
class SourceOptions:
    """The options of a command for its sources; what a source states itself takes precedence."""

    model: Model
    rate: Fraction | None = None
    dtype: str = "f32"
    channels: int = 1
    stamped: bool = False  # whether chunks begin with their stream's start and the index of their first sample
    follow: bool = True  # whether to wait for more at the end of a file or folder
    shard: tuple[int, int] = (1, 1)  # which of how many parts of the streams is ours; for brokers
    client: str = ""  # the name under which a broker knows us

    def __post_init__(self) -> None:
        if self.dtype not in DTYPES:
            raise ConfigError(f"--dtype {self.dtype}: there are {', '.join(DTYPES)}")

    def form(self, source: str) -> Form:
        """Of samples that come without a header."""
        if self.rate is None:
            raise ConfigError(f"{source}: does not say its sampling rate; give it, as --rate 12800")
        return Form(self.rate, self.dtype, self.channels)


@dataclass(frozen=True)
class StreamPosition:
    form: Form
    start: str
    stop: int  # index of the first sample that is not safe yet
    ended: bool
    at: float  # when its latest samples came, in seconds since 1970; 0 if that is not known


def position_in(positions: Mapping[str, StreamPosition], name: str, form: Form) -> StreamPosition | None:
    """What is known of a source's samples in this very form; where its channels are a stream each, of the first."""
    both = ((positions.get(name), form), (positions.get(f"{name}[1]"), replace(form, channels=1)))
    return next((one for one, expected in both if one and one.form == expected), None)


class Source(ABC):
    """Runs in a thread of its own."""

    waits = True  # whether it can wait until there is room; else what comes meanwhile is missing
    live = False  # whether what comes while nobody listens is lost
    ends = False  # whether it may end by itself

    def __init__(self, name: str, options: SourceOptions) -> None:
        self.name, self.options = name, options

    def machine_of(self, stream: str) -> str | None:
        """The machine that one of its streams is of, where several are of one; None where each is of another."""
        return None

    @abstractmethod
    def run(self, put: Put, say: Say, stopped: threading.Event, positions: Mapping[str, StreamPosition]) -> None:
        """Put every chunk, until the source ends or `stopped` is set; `say` tells a person of trouble."""
