"""`dualres fit`: a model of an engineer's own files."""

from __future__ import annotations

import inspect
import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dualres.cli.audit import leaks_shown
from dualres.cli.console import complain, errors, progress, say, stopping
from dualres.cli.fit_output import as_object, show_estimate, units_in
from dualres.cli.folder import (
    RESAMPLER,
    ChannelOption,
    Device,
    ExcludeOption,
    FolderInput,
    LabelsOption,
    RateOption,
    WhereOption,
    WindowsOption,
    understood,
)
from dualres.config import DEFAULT_RESAMPLER, SOXR, recipe_title
from dualres.errors import ConfigError, OutputError
from dualres.learn.fit_options import registered_options
from dualres.utils.optional_imports import TRAINING, need

if TYPE_CHECKING:
    from dualres.learn.fit_options import FitOption
    from dualres.learn.workflow import FitForecast
    from dualres.recordings.labels.folder import Folder


def fit(
    folder: Annotated[Path, typer.Argument(help="One subfolder per class, or files listed in labels.csv.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="The model file to write.")],
    channel: ChannelOption = None,
    rate: RateOption = None,
    labels: LabelsOption = None,
    where: WhereOption = None,
    exclude: ExcludeOption = None,
    windows: WindowsOption = 12,
    recipe: Annotated[
        str | None,
        typer.Option(
            metavar="NAME|FILE",
            show_default="views",
            help="How to learn: views, in closed form; paper, the paper's network; robust, the same shown each window "
            "through random transfer paths; or a file from dualres tune.",
        ),
    ] = None,
    updates: Annotated[
        int | None,
        typer.Option(
            min=1,
            show_default="the recipe's: robust 800, paper 300",
            help="Number of training updates; without --recipe, of robust.",
        ),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the initial weights and of the training.")] = 41,
    members: Annotated[
        int,
        typer.Option(
            min=1,
            help="Number of networks, with consecutive seeds, whose probabilities are averaged; "
            "fits and verdicts take that many times as long. Not of views, which draw nothing.",
        ),
    ] = 1,
    estimate: Annotated[bool, typer.Option(help="First estimate the score by holding out what is not learned.")] = True,
    held_out: Annotated[
        list[str] | None,
        typer.Option(
            metavar="UNIT",
            show_default="the first of component, load, speed, recording that two classes have two of",
            help="What is new to the model when it is judged: component, recording, or a column such as load. "
            "Several (again, or with commas) are held out in turn, each with an estimate of its own.",
        ),
    ] = None,
    resampler: Annotated[str, typer.Option(help=RESAMPLER)] = DEFAULT_RESAMPLER,
    strict: Annotated[bool, typer.Option("--strict", help="Refuse to fit if the leak audit finds a leak.")] = False,
    device: Annotated[Device, typer.Option(help="Device to fit on.")] = Device.CPU,
    page: Annotated[
        bool, typer.Option(help="Write a report page beside the model: bearings.html for bearings.safetensors.")
    ] = True,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the estimates and every held-out recording as one JSON object.")
    ] = False,
    **registered: Any,
) -> None:
    """Learn from your own labelled recordings.

    labels.csv has the columns file and label, and optionally component (the
    machine or bearing recorded), rate, channel (or channels: "x,y,z"), start_s
    and end_s (the part of the file that is labelled, in seconds) and any
    conditions.

    The command first shows what it found, and warns where all labels share a
    condition, such as one load. It then holds out the hardest that the labels
    allow, components if two classes have two of them, to estimate how well the
    model will do on one it has not seen, and finally learns from all
    recordings.
    """
    need("dualres fit", *TRAINING)
    from dualres.cli.models import cost_of
    from dualres.fit_page.page import check_page, page_beside, write_fit_page
    from dualres.judge.model import content
    from dualres.judge.verdict import promises_of
    from dualres.kernel.gpu.cuda_graphs import check_device
    from dualres.learn.fit_options import with_options
    from dualres.learn.label_coverage import narrow
    from dualres.learn.trained.recipe_file import recipe_from
    from dualres.learn.workflow import FitSettings, fit_by
    from dualres.model_file.card import check_members
    from dualres.recordings.axes import common_channels
    from dualres.recordings.resample import check_resampler
    from dualres.utils.files import check_writable, write_whole

    check_writable(out)
    if page:
        check_page(page_beside(out))
    check_resampler(resampler)
    if resampler == SOXR:
        complain(
            "note", f"a device resamples by {DEFAULT_RESAMPLER}: as C99 this model will take 64 kHz only", "yellow"
        )
    check_members(members)
    check_device(device.value)
    if held_out and not (estimate or strict):
        raise ConfigError("--held-out says what to estimate, and --no-estimate not to; leave out one of them")
    chosen = recipe_from(recipe, updates)
    if chosen is None and members > 1:
        complain("note", "views draw nothing, so that all members would be the same: one is fitted", "yellow")
        members = 1
    found = understood(FolderInput(folder, channel, rate, labels, where, exclude), shown=not as_json)
    learning = chosen, windows, seed, members, resampler, estimate, strict, device.value, units_in(held_out)
    settings = FitSettings(found.recordings, *learning)
    settings = with_options(settings, registered)
    channels = common_channels(settings.recordings)
    check_members(members, max(len(channels), 1))
    for sentence in narrow(settings.recordings):
        complain("warning", sentence, "yellow")

    def announce(forecast: FitForecast) -> None:
        in_all = f", {forecast.total_s:.0f} s in all for {settings.members} members" if settings.members > 1 else ""
        each = f"about {max(forecast.each_s, 1):.0f} s each{in_all}"
        of_axes = f" of {len(channels)} axes ({', '.join(channels)})" if channels else ""
        errors.print(f"{forecast.fits} fits{of_axes}, {each}; recipe: {recipe_title(settings.recipe)}", highlight=False)
        report.expect(forecast.stages)

    with leaks_shown(), progress("Nothing was written.") as report:
        fitted = fit_by(settings, announce=announce, progress=report)
    for sentence in fitted.copies:
        complain("warning", sentence, "yellow")
    write_whole(out, content(fitted.model), precious=True)
    pages = {}
    if page:
        beside, notes = page_beside(out), _notes(found)
        try:
            with progress("The model is complete; its report was not written.") as drawing:
                write_fit_page(fitted, settings.recordings, beside, model_file=out, notes=notes, progress=drawing)
            pages["report"] = str(beside)
        except OutputError as error:
            complain("no report", f"{error}. The model is complete", "yellow")
    if as_json:
        typer.echo(json.dumps({**as_object(fitted, out), **pages}))
        return
    for one in fitted.estimates:
        show_estimate(one, settings.classes)
    for promise in promises_of(fitted.model.card) if fitted.estimates else ():
        say(f"dualres diagnose can state {promise}")
    if fitted.about_axes:
        say(f"  note: {fitted.about_axes}")
    for path in pages.values():
        say(f"Report  {path}")
    say(f"Model  {out}")
    if channels:
        say(f"  {cost_of(fitted.model.card)}")
    if settings.members > 1:
        size = out.stat().st_size
        longer = f"a verdict takes about {settings.members} times as long as with one"
        say(f"  {settings.members} members in {size:,} bytes; {longer}")


class FitCommand:
    """`fit` as typer sees it, with the options that are registered at the moment it looks."""

    __name__ = "fit"
    __doc__ = fit.__doc__

    @property
    def __signature__(self) -> inspect.Signature:
        own = [p for p in inspect.signature(fit, eval_str=True).parameters.values() if p.kind is not p.VAR_KEYWORD]
        added = [_parameter(option) for option in registered_options()]
        if taken := [p.name for p in added if p.name in {one.name for one in own}]:
            raise ConfigError(f"--{taken[0]} is an option of dualres fit itself; rename the one that was registered")
        return inspect.Signature([*own, *added])

    @property
    def __annotations__(self) -> dict[str, Any]:  # type: ignore[override]
        return {name: parameter.annotation for name, parameter in self.__signature__.parameters.items()}

    def __call__(self, **given: Any) -> None:
        with stopping("Nothing was written."):
            fit(**given)


command = FitCommand()


def _notes(found: Folder) -> list[str]:
    """What of a folder is not learned from, or stands in it twice."""
    chosen = [f"{count} left out: {reason}" for reason, count in found.not_chosen.items()]
    unusable = [f"{file} left out: {reason}" for file, reason in found.left_out]
    return [*chosen, *unusable, *(f"the same content: {', '.join(names)}" for names in found.same)]


def _parameter(option: FitOption) -> inspect.Parameter:
    return inspect.Parameter(
        option.parameter,
        inspect.Parameter.POSITIONAL_OR_KEYWORD,
        default=option.default,
        annotation=Annotated[option.type, typer.Option(option.name, help=option.help)],
    )
