"""`dualres fit`: a model of an engineer's own files."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table

from dualres.cli.audit import leaks_shown
from dualres.cli.folder import Channel, Exclude, Labels, Rate, Resampler, Source, Where, WindowsEach, understood
from dualres.cli.screen import complain, console, errors, progress, say
from dualres.config import recipe_title
from dualres.errors import ConfigError
from dualres.learn.fit_options import registered_options

if TYPE_CHECKING:
    from dualres.learn.estimate import Estimate
    from dualres.learn.fit_options import FitOption
    from dualres.learn.workflow import FitForecast


def fit(
    folder: Annotated[Path, typer.Argument(help="One subfolder per class, or files listed in labels.csv.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="The model file to write.")],
    channel: Channel = None,
    rate: Rate = None,
    labels: Labels = None,
    where: Where = None,
    exclude: Exclude = None,
    windows: WindowsEach = 12,
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
    estimate: Annotated[bool, typer.Option(help="First estimate the score by holding out components.")] = True,
    resampler: Resampler = "scipy.signal.resample_poly",
    strict: Annotated[bool, typer.Option("--strict", help="Refuse to fit if the leak audit finds a leak.")] = False,
    **registered: Any,
) -> None:
    """Learn from your own labelled recordings.

    labels.csv has the columns file and label, and optionally component (the
    machine or bearing recorded), rate, channel (or channels: "x,y,z"), start_s
    and end_s (the part of the file that is labelled, in seconds) and any
    conditions.

    The command first shows what it found, and warns where all labels share a
    condition, such as one load. It then holds out components in turn
    to estimate how well the model will do on one it has not seen, and finally
    learns from all recordings.
    """
    from dualres.cli.models import cost_of
    from dualres.file import check_members, save
    from dualres.learn.fit_options import with_options
    from dualres.learn.narrow import narrow
    from dualres.learn.recipe_file import recipe_from
    from dualres.learn.workflow import FitSettings, fit_by
    from dualres.machinery.files import check_writable
    from dualres.recordings.axes import common_channels
    from dualres.recordings.resample import check_resampler

    check_writable(out)
    check_resampler(resampler)
    check_members(members)
    chosen = recipe_from(recipe, updates)
    if chosen is None and members > 1:
        complain("note", "views draw nothing, so that all members would be the same: one is fitted", "yellow")
        members = 1
    found = understood(Source(folder, channel, rate, labels, where, exclude))
    settings = FitSettings(found.recordings, chosen, windows, seed, members, resampler, estimate, strict)
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

    with leaks_shown(), progress("Nothing was written.") as report:
        fitted = fit_by(settings, announce=announce, progress=report)
    if fitted.estimate:
        _show_estimate(fitted.estimate, settings.classes)
    if fitted.about_axes:
        say(f"  note: {fitted.about_axes}")
    save(fitted.model, out)
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
        fit(**given)


def _parameter(option: FitOption) -> inspect.Parameter:
    return inspect.Parameter(
        option.parameter,
        inspect.Parameter.POSITIONAL_OR_KEYWORD,
        default=option.default,
        annotation=Annotated[option.type, typer.Option(option.name, help=option.help)],
    )


def _show_estimate(expected: Estimate, classes: tuple[str, ...]) -> None:
    judged = int((expected.confusion.sum(1) > 0).sum())
    over = "" if judged == len(classes) else f", {judged} of {len(classes)} classes"
    say(
        f"Expected on an unseen {expected.unit}: macro-F1 {100 * expected.macro_f1:.1f} % "
        f"(\N{PLUS-MINUS SIGN} {100 * expected.spread:.1f} over {expected.rounds} rounds{over})"
    )
    for remark in expected.remarks:
        say(f"  note: {remark}")
    table = Table(title="Held-out recordings: truth in rows, verdicts in columns", title_justify="left")
    table.add_column("")
    for label in classes:
        table.add_column(escape(label), justify="right")
    for label, row in zip(classes, expected.confusion, strict=True):
        table.add_row(escape(label), *(str(n) if n else "." for n in row))
    console.print(table)
