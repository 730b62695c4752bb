"""`dualres fit`: a model of an engineer's own files."""

from __future__ import annotations

import inspect
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dualres.cli.audit import leaks_shown
from dualres.cli.console import complain, progress, stopping
from dualres.cli.fit_output import announce, as_object, show_fitted
from dualres.cli.folder import (
    RESAMPLER,
    BearingOption,
    Device,
    FolderOptions,
    OrdersOption,
    WindowsOption,
    understood,
    with_options,
)
from dualres.config import DEFAULT_RESAMPLER, SOXR
from dualres.errors import ConfigError, OutputError
from dualres.learn.fit_options import registered_options
from dualres.utils.json_text import json_text
from dualres.utils.optional_imports import TRAINING, need

if TYPE_CHECKING:
    from dualres.learn.settings import FitSettings
    from dualres.learn.workflow import FittedModel
    from dualres.recordings.labels.folder import Folder

RecipeOption = Annotated[
    str | None,
    typer.Option(
        metavar="NAME|FILE",
        show_default="orders",
        help="How to learn: orders, in closed form, with the shaft's speed where it is known; views, likewise without "
        "it; paper, the paper's network; robust, the same shown each window through random transfer paths; or a file "
        "from dualres tune.",
    ),
]
UpdatesOption = Annotated[
    int | None,
    typer.Option(
        min=1,
        show_default="the recipe's: robust 800, paper 300",
        help="Number of training updates; without --recipe, of robust.",
    ),
]
MembersOption = Annotated[
    int,
    typer.Option(
        min=1,
        help="Number of networks, with consecutive seeds, whose probabilities are averaged; "
        "fits and verdicts take that many times as long. Not of orders and views, which draw nothing.",
    ),
]
HeldOutOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="UNIT",
        show_default="whatever the labels allow; with updates, the first of component, load, speed, recording",
        help="What is new to the model when it is judged: component, recording, or a column such as load. "
        "Several (again, or with commas) are held out in turn, each with an estimate of its own.",
    ),
]
FaultOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME=PART",
        help="Which part of the bearing a class is the fault of, where its name does not say so: worn=inner, of outer, "
        "inner, ball and cage, or worn=none. May be repeated; a class that nobody labelled is known from geometry.",
    ),
]
LabelledOnlyOption = Annotated[
    bool, typer.Option("--labelled-only", help="Add no faults of the bearing that nobody labelled.")
]
PageOption = Annotated[
    bool, typer.Option(help="Write a report page beside the model: bearings.html for bearings.safetensors.")
]
JsonOption = Annotated[
    bool, typer.Option("--json", help="Print the estimates and every held-out recording as one JSON object.")
]


@with_options
def fit(
    folder: Annotated[Path, typer.Argument(help="One subfolder per class, or files listed in labels.csv.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="The model file to write.")],
    *,
    reading: FolderOptions,
    windows: WindowsOption = 12,
    recipe: RecipeOption = None,
    updates: UpdatesOption = None,
    seed: Annotated[int, typer.Option(min=0, help="Of weights and training; orders and views draw nothing.")] = 41,
    members: MembersOption = 1,
    estimate: Annotated[bool, typer.Option(help="First estimate the score by holding out what is not learned.")] = True,
    held_out: HeldOutOption = None,
    bearing: BearingOption = None,
    orders: OrdersOption = None,
    fault: FaultOption = None,
    labelled_only: LabelledOnlyOption = False,
    resampler: Annotated[str, typer.Option(help=RESAMPLER)] = DEFAULT_RESAMPLER,
    strict: Annotated[
        bool,
        typer.Option("--strict", help="Refuse to fit if the leak audit finds a leak, or B007 is also spelled b007."),
    ] = False,
    device: Annotated[Device, typer.Option(help="Device to fit on.")] = "cpu",
    page: PageOption = True,
    as_json: JsonOption = False,
    **registered: Any,
) -> None:
    """Learn from your own labelled recordings.

    labels.csv has the columns file and label, and optionally component (the
    machine or bearing recorded), rate, channel (or channels: "x,y,z"), start_s
    and end_s (the part of the file that is labelled, in seconds) and any
    conditions.

    The command first shows what it found, and warns where all labels share a
    condition, such as one load. It then holds out whatever the labels allow,
    components, loads, speeds and recordings, to estimate how well the model
    will do on one it has not seen, and finally learns from all recordings.
    What it tells begins with the hardest of these, and says what to label for
    the others.

    With the bearing (--bearing, --orders, or such columns of labels.csv),
    classes that are faults of it are known from geometry, too, the more the
    fewer of them are labelled, and faults that nobody labelled can be judged.
    """
    need("dualres fit", *TRAINING)
    from dualres.fit_page.page import check_page, page_beside
    from dualres.judge.model import content
    from dualres.kernel.gpu.cuda_graphs import check_device
    from dualres.learn.fit_options import with_options
    from dualres.learn.geometry import StatedGeometry, faults_of
    from dualres.learn.label_warnings import narrow
    from dualres.learn.settings import FitSettings
    from dualres.learn.trained.tune_plan import recipe_from
    from dualres.learn.workflow import fit_by
    from dualres.model_file.file import SUFFIX
    from dualres.utils.files import check_output, write_whole

    check_output(out)
    if out.suffix != SUFFIX:
        complain("note", f"{out}: will be a model, though its name does not end in {SUFFIX}", "yellow")
    report = page_beside(out) if page else None
    if report:
        check_page(report)
    check_device(device)
    if held_out and not (estimate or strict):
        raise ConfigError("--held-out says what to estimate, and --no-estimate not to; leave out one of them")
    units = [name.strip() for text in held_out or () for name in text.split(",")]  # apart or between commas
    if not all(units):
        raise ConfigError(f"--held-out {','.join(held_out or ())}: a name is missing; write component,load")
    settings = FitSettings(
        recipe=recipe_from(recipe, updates),
        windows_each=windows,
        seed=seed,
        members=members,
        resampler=resampler,
        device=device,
        estimate=estimate,
        strict=strict,
        held_out=tuple(units),
        geometry=StatedGeometry(bearing, orders, faults_of(fault or ()), labelled_only),
    )
    settings = _with_notes(settings)
    found = understood(folder, reading, shown=not as_json)
    settings = with_options(replace(settings, recordings=found.recordings), registered)
    for sentence in narrow(settings.recordings):
        complain("warning", sentence, "yellow")
    with leaks_shown(), progress("Nothing was written.") as display:
        fitted = fit_by(settings, announce=partial(announce, display, settings), progress=display)
    for sentence in fitted.copies:
        complain("warning", sentence, "yellow")
    write_whole(out, content(fitted.model), precious=True)
    if report and not _page_written(report, fitted, out, settings=settings, found=found):
        report = None
    if as_json:
        typer.echo(json_text(as_object(fitted, out, report)))
    else:
        show_fitted(fitted, settings, out, report)


class FitCommand:
    """`fit` as typer sees it, with the options that are registered at the moment it looks."""

    __name__ = "fit"
    __doc__ = fit.__doc__

    @property
    def __signature__(self) -> inspect.Signature:
        own = [p for p in inspect.signature(fit, eval_str=True).parameters.values() if p.kind is not p.VAR_KEYWORD]
        added = [
            inspect.Parameter(
                option.parameter,
                inspect.Parameter.KEYWORD_ONLY,
                default=option.default,
                annotation=Annotated[option.type, typer.Option(option.name, help=option.help)],
            )
            for option in registered_options()
        ]
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


def _with_notes(settings: FitSettings) -> FitSettings:
    """The settings without members that would all be the same; what an engineer may not expect of them is said."""
    if settings.resampler == SOXR:
        complain(
            "note", f"a device resamples by {DEFAULT_RESAMPLER}: as C99 this model will take 64 kHz only", "yellow"
        )
    if settings.members > settings.networks:
        said = f"{settings.chosen} draw nothing, so that all members would be the same: one is fitted"
        complain("note", said, "yellow")
    return replace(settings, members=settings.networks)


def _page_written(page: Path, fitted: FittedModel, out: Path, *, settings: FitSettings, found: Folder) -> bool:
    """Whether the report could be written; the model is complete without it."""
    from dualres.fit_page.page import write_fit_page

    notes = [f"{count} left out: {reason}" for reason, count in found.not_chosen.items()]
    notes += [f"{file} left out: {reason}" for file, reason in found.left_out]
    notes += [f"the same content: {', '.join(names)}" for names in found.same]
    try:
        with progress("The model is complete; its report was not written.") as drawing:
            write_fit_page(fitted, settings.recordings, page, model_file=out, notes=notes, progress=drawing)
    except OutputError as error:
        complain("no report", f"{error}. The model is complete", "yellow")
        return False
    return True
