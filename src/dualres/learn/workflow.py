"""From labelled recordings to a model that says how well it will do: what `dualres fit` does.

from pathlib import Path
from dualres.learn.workflow import fit_model, read_folder

fitted = fit_model(read_folder(Path("recordings")).recordings)
print(fitted.estimate.macro_f1, fitted.estimate.unit)
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from dualres.config import POLYPHASE, Recipe
from dualres.errors import ConfigError
from dualres.file import APART, Card, Model, check_members
from dualres.learn.arrangement import estimate_both
from dualres.learn.estimate import Estimate
from dualres.learn.estimate import estimate as run_estimate
from dualres.learn.fit import expected_s, fit_recordings
from dualres.learn.fit_options import FitOption, register_option
from dualres.learn.history import Step, fits_of, steps_told
from dualres.learn.holdout import plan_rounds, refuse_leaks
from dualres.machinery.progress import Progress, quiet
from dualres.recordings.axes import common_channels
from dualres.recordings.contradictions import refuse_contradictions
from dualres.recordings.folder import Folder, read_folder
from dualres.recordings.recording import Recording, axes_of
from dualres.recordings.resample import check_resampler

__all__ = [
    "FitForecast",
    "FitOption",
    "FitSettings",
    "FittedModel",
    "Folder",
    "fit_by",
    "fit_model",
    "read_folder",
    "register_option",
]


LEARN = "Learn from all"  # of a fit's stages the last


@dataclass(frozen=True)
class FitSettings:
    """All that a model learned from labelled recordings depends on."""

    recordings: tuple[Recording, ...]
    recipe: Recipe | None = None  # None for the network of views, which makes no updates
    windows_each: int = 12  # at most, of each recording
    seed: int = 41
    members: int = 1  # networks, with seeds that follow each other
    resampler: str = POLYPHASE
    estimate: bool = True  # whether to hold out components and say what to expect
    strict: bool = False  # whether to refuse recordings that would leak where they are held out
    device: str = "cpu"

    def __post_init__(self) -> None:
        for recording in self.recordings:
            if recording.label is None:
                raise ConfigError(f"{recording.id}: has no label; a fit needs labelled recordings")
        if len(self.classes) < 2:
            raise ConfigError("a fit needs recordings of two classes or more, to tell them apart")
        refuse_contradictions(self.recordings)

    @property
    def labels(self) -> tuple[str, ...]:
        return tuple(str(r.label) for r in self.recordings)

    @property
    def classes(self) -> tuple[str, ...]:
        return tuple(sorted(set(self.labels)))


@dataclass(frozen=True)
class FitForecast:
    """How long the fits will take."""

    fits: int  # of single networks, those of the estimate included; one for all axes counts as one for each
    each_s: float

    @property
    def total_s(self) -> float:
        return self.fits * self.each_s


@dataclass(frozen=True)
class FittedModel:
    """A model that learned from all recordings, and what to expect of it."""

    model: Model  # its card tells the estimate
    estimate: Estimate | None
    history: list[Step]  # of the model's members, one after the other
    forecast: FitForecast | None = None  # where somebody wanted to know
    about_axes: str = ""  # why they have a network each or share one, where that was compared


def fit_model(
    recordings: Sequence[Recording],
    *,
    recipe: Recipe | None = None,
    windows_each: int = 12,
    seed: int = 41,
    members: int = 1,
    resampler: str = POLYPHASE,
    estimate: bool = True,
    strict: bool = False,
    device: str = "cpu",
    announce: Callable[[FitForecast], None] | None = None,
    progress: Progress = quiet,
) -> FittedModel:
    """Learn from labelled recordings, at most `windows_each` windows of each.

    Without a recipe the model is a network of views, which is fitted in closed form. With `estimate`, components are
    held out in turn first, or recordings where components are not known, to estimate how well the model will do on one
    it has not seen. With `strict`, recordings that would leak are refused. `announce` is told how long it all will
    take, before the first fit; without it nothing is timed.

    Recordings of several axes give a model with a network for each. The estimate also tries one network for all axes,
    which is taken if it is clearly ahead.
    """
    settings = FitSettings(tuple(recordings), recipe, windows_each, seed, members, resampler, estimate, strict, device)
    return fit_by(settings, announce=announce, progress=progress)


def fit_by(
    settings: FitSettings, *, announce: Callable[[FitForecast], None] | None = None, progress: Progress = quiet
) -> FittedModel:
    """As `fit_model`, by settings that an option may have changed."""
    check_resampler(settings.resampler)
    recordings = settings.recordings
    several = len(common_channels(recordings))  # axes; 0 where each recording is one signal
    check_members(settings.members, max(several, 1))
    rounds = plan_rounds(recordings) if settings.estimate or settings.strict else None
    if rounds and settings.strict:
        refuse_leaks(recordings, rounds, progress)
    held_out = rounds if settings.estimate else None
    forecast = None
    if announce:
        forecast = _forecast(settings, len(held_out.held_out) if held_out else 0, progress)
        announce(forecast)
    learning: dict[str, Any] = {
        name: getattr(settings, name) for name in ("windows_each", "resampler", "recipe", "seed", "members", "device")
    }
    expected, axes, about_axes = None, APART, ""
    if held_out and several:
        axes, expected, about_axes = estimate_both(
            recordings, held_out, settings.classes, **learning, progress=progress
        )
    elif held_out:
        expected = run_estimate(recordings, held_out, settings.classes, **learning, progress=progress)
    tell = steps_told(progress, LEARN, fits_of(recordings, settings.members, axes))
    if settings.recipe is None:  # views tell of no updates
        progress(LEARN, 0, 1, "")
    model, history = fit_recordings(recordings, settings.labels, settings.classes, **learning, axes=axes, progress=tell)
    if settings.recipe is None:
        progress(LEARN, 1, 1, "")
    card = _told(model.card, expected)
    if about_axes:
        card = replace(card, remarks=(*card.remarks, about_axes))
    return FittedModel(replace(model, card=card), expected, history, forecast, about_axes)


def _forecast(settings: FitSettings, rounds: int, progress: Progress) -> FitForecast:
    timing = "Time one update" if settings.recipe else "Time a small fit"
    progress(timing, 0, 1, "")
    windows = settings.windows_each * len(settings.recordings)
    each_s = expected_s(windows, settings.recipe, device=settings.device)
    progress(timing, 1, 1, "")
    members = settings.members if settings.recipe else 1  # of views one is kept
    axes = len(axes_of(settings.recordings[0]))
    shared = rounds if axes > 1 else 0  # a network of all axes learns from as many windows as one of each
    return FitForecast(members * axes * (1 + rounds + shared), each_s)


def _told(card: Card, expected: Estimate | None) -> Card:
    """The card, with what is known of how well the model does."""
    if expected is None:
        return card
    return replace(card, held_out=expected.unit, score=expected.as_score(), remarks=expected.remarks)
