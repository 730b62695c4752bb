"""From labelled recordings to a model that says how well it will do: what `dualres fit` does.

from pathlib import Path
from dualres import fit_model, read_folder

fitted = fit_model(read_folder(Path("recordings")).recordings)
print(fitted.estimate.macro_f1, fitted.estimate.unit)
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any

from dualres.config import DEFAULT_RESAMPLER
from dualres.errors import ConfigError
from dualres.judge.model import Model
from dualres.learn.calibrate import calibrated
from dualres.learn.estimate import Estimate, estimate_both, round_stage, shared_stage
from dualres.learn.estimate import estimate as run_estimate
from dualres.learn.fit import expected_s, fit_recordings
from dualres.learn.fit_options import FitOption, register_option
from dualres.learn.geometry import StatedGeometry
from dualres.learn.holdout import Rounds, refuse_leaks
from dualres.learn.label_warnings import shared_signals
from dualres.learn.line_up import lined_up
from dualres.learn.questions import Questions, questions_for
from dualres.learn.settings import FitSettings
from dualres.learn.trained.task import Step
from dualres.model.kinds import RecipeChoice
from dualres.model_file.card import APART, Card
from dualres.recordings.axes import common_channels
from dualres.recordings.labels.folder import Folder, read_folder
from dualres.recordings.recording import Recording, axes_of
from dualres.utils.progress import Progress, quiet, renamed

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
class FitForecast:
    """How long the fits will take."""

    fits: int  # of single networks, those of the estimate included; one for all axes counts as one for each
    each_s: float
    stages: Mapping[str, float] = field(default_factory=dict)  # seconds of each that progress will tell of, in order

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
    estimates: tuple[Estimate, ...] = ()  # one for each unit that was held out; the first is `estimate`
    wanted: frozenset[str] = frozenset()  # units that somebody asked to hold out; none where the labels chose them
    about_axes: str = ""  # why they have a network each or share one, where that was compared
    about_speeds: str = ""  # how many were found in the vibration, where some were not stated
    copies: tuple[str, ...] = ()  # recordings that an estimate both learned from and judged, as sentences

    @property
    def detailed(self) -> tuple[Estimate, ...]:
        """The estimates to tell all about: those that somebody asked for, or the hardest."""
        return tuple(one for one in self.estimates if one.unit in self.wanted) or self.estimates[:1]

    def _repr_html_(self) -> str:
        return self.model._repr_html_() + "".join(one._repr_html_() for one in self.detailed)


def fit_model(
    recordings: Sequence[Recording],
    *,
    recipe: RecipeChoice = None,
    windows_each: int = 12,
    seed: int = 41,
    members: int = 1,
    resampler: str = DEFAULT_RESAMPLER,
    estimate: bool = True,
    strict: bool = False,
    device: str = "cpu",
    held_out: str | Sequence[str] | None = None,
    geometry: StatedGeometry | None = None,
    announce: Callable[[FitForecast], None] | None = None,
    progress: Progress = quiet,
) -> FittedModel:
    """Learn from labelled recordings, at most `windows_each` windows of each.

    Without a recipe the model is a network of orders, which is fitted in closed form. A `Recipe` trains the paper's
    network; by its name, as `dualres fit --recipe` takes it, any other kind can be asked for. With `estimate`, units
    are held out in turn first, to estimate how well the model will do on one it has not seen: `held_out`, which is
    "component", "recording" or a condition, or several of these, each with an estimate of its own. Without it, every
    unit is held out that two classes or more have two of, and the estimate with the lowest score comes first; of a
    training by updates, it is the first of component, load, speed and recording. With `strict`, recordings that would
    leak are refused, and a component or label that is spelled in several ways. `announce` is told how long it all will
    take, before the first fit; without it nothing is timed.

    `geometry` states the bearings, for classes that are faults of them. So do columns `bearing` and `orders` of the
    recordings.

    Recordings of several axes give a model with a network for each. The first estimate also tries one network for all
    axes, which is taken if it is clearly ahead.
    """
    units = (held_out,) if isinstance(held_out, str) else tuple(held_out or ())
    settings = FitSettings(
        tuple(recordings),
        recipe=recipe,
        windows_each=windows_each,
        seed=seed,
        members=members,
        resampler=resampler,
        device=device,
        estimate=estimate,
        strict=strict,
        held_out=units,
        geometry=geometry or StatedGeometry(),
    )
    return fit_by(settings, announce=announce, progress=progress)


def fit_by(
    settings: FitSettings, *, announce: Callable[[FitForecast], None] | None = None, progress: Progress = quiet
) -> FittedModel:
    """As `fit_model`, by settings that an option may have changed."""
    if not settings.recordings:
        raise ConfigError("there are no recordings: a fit needs some of two classes or more")
    settings, about_speeds = replace(settings, geometry=settings.geometry.with_columns(settings.recordings)), ""
    if settings.chosen.kind.knows_orders:
        recordings, about_speeds = lined_up(settings.recordings, progress)
        settings = replace(settings, recordings=recordings)
    recordings = settings.recordings
    settings.geometry.for_classes(recordings, settings.labels)  # an error now for what cannot be learned
    questions = questions_for(settings) if settings.estimate or settings.strict else Questions()
    for plan in questions.plans if settings.strict else ():
        refuse_leaks(recordings, plan, progress)
    plans = questions.plans if settings.estimate else ()
    copies = shared_signals(recordings, plans) if plans and not settings.strict else ()
    forecast = None
    if announce:
        forecast = _forecast(settings, plans, progress)
        announce(forecast)
    axes, about_axes = APART, ""
    measured: list[Estimate] = []
    for plan in plans:
        stage = _stage(plan, plans)
        if common_channels(recordings) and not measured:
            axes, found, about_axes = estimate_both(settings, plan, stage=stage, progress=progress)
        else:
            found = run_estimate(settings, plan, axes=axes, stage=stage, progress=progress)
        measured.append(found)
    told = renamed(progress, LEARN)
    model, history = fit_recordings(recordings, settings.labels, settings.classes, settings, axes=axes, progress=told)
    calibration = _calibration(measured, questions, recordings)
    # A user who reads one number reads the hardest that is known, or the first that was asked for.
    expected = measured if questions.wanted else sorted(measured, key=lambda one: one.macro_f1)
    first = expected[0] if expected else None
    card = _told(model.card, expected, calibration)
    card = replace(card, remarks=(*card.remarks, *filter(None, (about_speeds, about_axes))))
    about = {"about_axes": about_axes, "about_speeds": about_speeds}
    model = replace(model, card=card)
    return FittedModel(model, first, history, forecast, tuple(expected), questions.wanted, copies=copies, **about)


def _stage(plan: Rounds, plans: Sequence[Rounds]) -> str:
    return f"Hold out {plan.unit}" if len(plans) > 1 else "Hold out"


def _forecast(settings: FitSettings, plans: Sequence[Rounds], progress: Progress) -> FitForecast:
    timing = "Time one update" if settings.chosen.recipe else "Time a small fit"
    progress(timing, 0, 1, "")
    windows = settings.windows_each * len(settings.recordings)
    each_s = expected_s(windows, settings.chosen, settings.config, settings.device)
    progress(timing, 1, 1, "")
    networks = settings.networks * len(axes_of(settings.recordings[0]))  # one of all axes takes as long as one of each
    stages: dict[str, float] = {}
    for plan in plans:
        stage = _stage(plan, plans)
        shares = [1 - len(held) / len(settings.recordings) for held in plan.held_out]
        tried = [stage, shared_stage(stage)] if networks > settings.networks and plan is plans[0] else [stage]
        for name, (number, share) in product(tried, enumerate(shares, start=1)):
            stages[round_stage(name, number, plan)] = share * networks * each_s
    return FitForecast(networks * (1 + len(stages)), each_s, {**stages, LEARN: networks * each_s})


def _calibration(measured: Sequence[Estimate], questions: Questions, recordings: Sequence[Recording]) -> dict[str, Any]:
    """By what was held out, in an order that no score has a say in; nothing where nothing was."""
    promised = [one for one in measured if one.unit in questions.promised]
    return calibrated(promised[0], recordings, promised[1:]).as_data() if promised else {}


def _told(card: Card, expected: Sequence[Estimate], calibration: Mapping[str, Any]) -> Card:
    if not expected:
        return card
    return replace(
        card,
        held_out=expected[0].unit,
        score=expected[0].as_score(),
        remarks=expected[0].remarks,
        estimates=tuple(one.as_data() for one in expected),
        calibration=calibration,
    )
