"""Why a recording's verdict: the shares of its windows, put together."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from dualres.errors import ConfigError
from dualres.explain.contributions import Contributions, Explanation, mean_of
from dualres.explain.regions import Region
from dualres.faultlines.lines import OrderLine
from dualres.judge.backends import Windows, scorer, weights_of
from dualres.judge.model import Model
from dualres.judge.turning import WindowSpeeds, window_speeds
from dualres.judge.verdict import Verdict, diagnose_recording, recording_for
from dualres.judge.windows import model_windows
from dualres.model.kinds import resolved
from dualres.recordings.readers import Recorded
from dualres.recordings.recording import Recording
from dualres.recordings.speed import Speed
from dualres.utils.arrays import Exact

SLOTS = 4  # moments in a window, each an eighth of a second long


@dataclass(frozen=True)
class Share:
    """What a region of what is heard said, in nats: for the verdict if positive, for the runner-up if negative."""

    region: Region
    nats: float
    memory: float = 0.0  # what it makes the paper's memory say, to first order; not part of any sum
    above: float | None = None  # how far it is above halfway between the two classes, where the network tells
    apart: float | None = None  # how far the verdict's class was above the runner-up's

    @property
    def trait(self) -> Literal["strong", "weak"] | None:
        """Whether it is strong here like the class that it speaks for, or weak where the other one is strong. None
        where it speaks by what it makes of other regions, or where that is not known."""
        if not self.nats or not self.above or not self.apart or self.above * self.apart * self.nats < 0:
            return None
        return "strong" if self.above > 0 else "weak"

    @property
    def whole(self) -> float:
        """In nats, with what goes through the memory: what regions are compared by."""
        return self.nats + self.memory


@dataclass(frozen=True)
class Moment:
    """What a moment of a recording said."""

    start_s: float
    end_s: float
    nats: float
    windows: int  # that it lies in: one at either end of a recording, elsewhere two

    @property
    def strength(self) -> float:
        """In nats, as if it lay in one window: what moments are compared by."""
        return self.nats / self.windows


@dataclass(frozen=True)
class Reasons:
    """Why a verdict is `label` and not `rival`, in nats, means over windows and networks. `shares`, `memory` and
    `constant` add up to `logit`; so do `heads`, and so do `moments`."""

    label: str
    rival: str
    logit: float  # the logarithm of the odds between the two, as the model says it
    shares: tuple[Share, ...]  # by region, the most telling first
    memory: float  # of the paper's network: what its memory says, which no single band does
    constant: float  # what the model says of a neutral window
    heads: dict[str, float]  # by part of the network
    moments: tuple[Moment, ...]  # in their order
    windows: int
    speed: Speed | None = None  # of the shaft, by which windows were heard; None where no speed was used

    @property
    def axis(self) -> Literal["orders", "hz"]:
        """By what it is told how often something repeats."""
        return "orders" if self.speed else "hz"

    @property
    def total(self) -> float:
        return sum(share.nats for share in self.shares) + self.memory + self.constant

    def naming(self, known: Sequence[OrderLine]) -> "Reasons":
        """The same, with fault lines of the machine where regions have them."""
        return replace(self, shares=tuple(replace(one, region=one.region.named(known)) for one in self.shares))

    def top(self, count: int, against: bool = False) -> tuple[Share, ...]:
        """The regions that spoke most for the verdict, or against it."""
        chosen = [share for share in self.shares if (share.whole < 0) == against and share.whole]
        return tuple(sorted(chosen, key=lambda share: -abs(share.whole))[:count])


def explain_recording(
    model: Model,
    recording: Recorded,
    verdict: Verdict | None = None,
    *,
    neutral: Exact | None = None,
    limit: int | None = None,
) -> Reasons:
    """Why `diagnose_recording` gives this verdict, or would, by the same windows, the first `limit` if given. The
    paper's network counts frequencies from `neutral` log-magnitudes, or from silence; one of views knows its own."""
    recording = recording_for(model, recording)
    verdict = verdict or diagnose_recording(model, recording, limit)
    return _compared(model, recording, favourites(verdict), verdict.speed, neutral=neutral, limit=limit)


def favourites(verdict: Verdict) -> tuple[str, str]:
    """The verdict and its runner-up; where geometry had a say, of what was labelled, as labels have it."""
    if verdict.sources is None:
        return verdict.label, verdict.runner_up
    known = verdict.sources.by_labels
    first, *others = sorted(known, key=lambda label: (label == verdict.label, known[label]), reverse=True)
    return first, others[0]


def compare_classes(
    model: Model,
    recording: Recording,
    for_class: str,
    against: str,
    *,
    neutral: Exact | None = None,
    limit: int | None = None,
) -> Reasons:
    """As `explain_recording`, between any two classes, whatever the verdict."""
    speed = judged_speed(model, recording, limit)
    return _compared(model, recording, (for_class, against), speed, neutral=neutral, limit=limit)


def _compared(
    model: Model,
    recording: Recording,
    classes: tuple[str, str],
    speed: Speed | None,
    *,
    neutral: Exact | None,
    limit: int | None,
) -> Reasons:
    label, rival = map(model.classes.index, classes)
    shares, logits = [], []
    for windows, hz in turning_windows(model, recording, speed, limit):
        shares.append(window_shares(model, windows, label, rival, neutral=neutral, hz=hz))
        said = [scorer(member)(windows, hz).astype(np.float64) for member in model.members]
        logits.append(np.mean([one[:, label] - one[:, rival] for one in said], axis=0))
    regions = np.concatenate([one.of_regions for one in shares]).mean(0)
    hanging = np.concatenate([one.through_memory for one in shares]).mean(0)
    tokens, count = np.concatenate([one.of_tokens for one in shares]), sum(map(len, logits))
    order = np.argsort(-np.abs(regions + hanging), kind="stable")
    heads = {name: np.concatenate([one.heads[name] for one in shares]).mean() for name in shares[0].heads}
    heard = [region.turning(speed.mean_hz if speed else None) for region in shares[0].regions]
    above, apart = (_means([getattr(one, name) for one in shares], len(regions)) for name in ("above", "apart"))
    return Reasons(
        label=classes[0],
        rival=classes[1],
        logit=float(np.concatenate(logits).mean()),
        shares=tuple(Share(heard[i], float(regions[i]), float(hanging[i]), above[i], apart[i]) for i in order),
        memory=float(np.concatenate([one.memory for one in shares]).mean()),
        constant=float(np.concatenate([one.constant for one in shares]).mean()),
        heads={name: float(value) for name, value in heads.items()},
        moments=tuple(_moments(tokens, model.card.config.window_s)),
        windows=count,
        speed=speed,
    )


def _means(told: Sequence[Exact | None], regions: int) -> list[float | None]:
    """Over all windows, by region; None where a network does not tell."""
    known = [one for one in told if one is not None]
    return [None] * regions if len(known) < len(told) else list(np.concatenate(known).mean(0).tolist())


def window_shares(
    model: Model, windows: Windows, label: int, rival: int, *, neutral: Exact | None = None, hz: Exact | None = None
) -> Contributions:
    """What every part of raw windows (n, window) at the model's rate says, the mean over the model's networks; `hz`
    (n,) is told to kinds that know orders."""
    shares = explanation_of(model).shares
    given = {"neutral": neutral, **({"hz": hz} if knows_orders(model) else {})}
    return mean_of([shares(weights_of(one), windows, label, rival, **given) for one in model.members])


def judged_speed(model: Model, recording: Recording, limit: int | None = None) -> Speed | None:
    """At which `diagnose_recording` judges a recording; None where it uses none."""
    speeds = window_speeds(model, recording, limit)
    return speeds.found() if speeds else None


def turning_windows(
    model: Model, recording: Recording, speed: Speed | None, limit: int | None = None
) -> Iterator[tuple[Windows, Exact | None]]:
    """As `model_windows`, and how fast the shaft turns in each window, (n,) in Hz; None where that is not known."""
    speeds, first = WindowSpeeds(speed, model.card.config.window_s) if speed else None, 0
    for windows in model_windows(model, recording, limit):
        yield windows, speeds.hz(first, len(windows)) if speeds else None
        first += len(windows)


def knows_orders(model: Model) -> bool:
    """Whether its windows are heard at the speed of the shaft."""
    return model.card.kind is not None and model.card.kind.knows_orders


def explanation_of(model: Model) -> Explanation:
    """How a model is explained; an error for a comparator, and for a kind of network that has no explanation."""
    kind = model.card.kind
    found: Explanation | None = resolved(kind.explanation) if kind else None
    if found is None:
        name = "DualRes" if kind is None else "kinds of networks that bring an explanation"
        raise ConfigError(f"reasons are known of {name} alone, and the model is of the method {model.card.method}")
    return found


def _moments(tokens: Exact, window_s: float) -> Iterator[Moment]:
    count = len(tokens)
    slot_s, half = window_s / SLOTS, SLOTS // 2
    found = np.zeros(SLOTS + half * (count - 1))
    covered = np.zeros(len(found), dtype=int)
    for number, parts in enumerate(tokens):
        within = np.array([part.sum() for part in np.array_split(parts, SLOTS)])
        place = slice(half * number, half * number + SLOTS)
        found[place] += within / count
        covered[place] += 1
    for i, (nats, windows) in enumerate(zip(found.tolist(), covered.tolist(), strict=True)):
        yield Moment(i * slot_s, (i + 1) * slot_s, nats, windows)
