"""`dualres tune`: a recipe chosen by the labelled recordings alone."""

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from dualres.cli.audit import leaks_shown
from dualres.cli.bench.choice import DEFAULT_DIR, Dir, parsed_seeds
from dualres.cli.bench.data import Stores
from dualres.cli.bench.folds import tuned_by_fold
from dualres.cli.console import progress, say
from dualres.cli.fit_output import announce_tuning, show_choice
from dualres.cli.folder import RESAMPLER, Device, FolderOptions, WindowsOption, understood, with_options
from dualres.config import DEFAULT_RESAMPLER, POLYPHASE
from dualres.errors import ConfigError
from dualres.utils.optional_imports import TRAINING, need

DEFAULT_SEED = 41
WINDOWS = 12  # of each recording of a folder


@with_options
def tune(
    folder: Annotated[
        Path | None, typer.Argument(help="Labelled recordings, as for dualres fit; omit it with --fold.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="The file to write, for dualres fit --recipe.")
    ] = None,
    *,
    reading: FolderOptions,
    windows: WindowsOption = WINDOWS,
    seeds: Annotated[
        list[str] | None,
        typer.Option(show_default="41", help="Seeds to repeat every fit with, comma-separated: 41,42."),
    ] = None,
    resampler: Annotated[
        str | None, typer.Option(show_default=f"{DEFAULT_RESAMPLER}; of a fold {POLYPHASE}", help=RESAMPLER)
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Refuse if the leak audit finds a leak, or B007 is also spelled b007.")
    ] = False,
    fold: Annotated[str | None, typer.Option(help="A fold of the benchmark, such as P1, instead of a folder.")] = None,
    budget: Annotated[str, typer.Option(help="With --fold: recordings x windows per recording.")] = "3x4",
    device: Annotated[Device, typer.Option(help="Device to fit on.")] = "cpu",
    directory: Dir = DEFAULT_DIR,
    stores: Stores = Path("stores"),
) -> None:
    """Choose a recipe using the labelled recordings and nothing else.

    The command holds out components in turn, or recordings where components
    are unknown, or the operating conditions of a fold's support. It fits a
    network to the rest by each of seven recipes (orders, views, paper, and
    robust with random paths of 0, 0.5, 1 and 1.5 nats) and scores it by
    macro-F1 over the windows held out. It chooses orders, the default, which
    was chosen across rigs, unless another recipe is clearly ahead: by two
    standard errors of the difference. dualres fit FOLDER --recipe FILE uses the choice.
    """
    need("dualres tune", *TRAINING)
    from dualres.kernel.gpu.cuda_graphs import check_device
    from dualres.learn.trained.tune import GRID
    from dualres.learn.trained.tune_plan import FitCache, choose_recipe, divide, fingerprint, write_choice
    from dualres.recordings.resample import check_resampler
    from dualres.utils.files import check_output
    from dualres.utils.versions import all_versions

    if (folder is None) == (fold is None):
        raise ConfigError("give either a folder of recordings or --fold with a fold's name")
    if fold:
        for name, value in {**vars(reading), "windows": windows != WINDOWS, "strict": strict}.items():
            if value:
                raise ConfigError(
                    f"--{name.replace('_', '-')} only applies to a folder; a fold already says which recordings it has"
                )
    if out:
        check_output(out)
    resampler = resampler or (POLYPHASE if fold else DEFAULT_RESAMPLER)
    check_resampler(resampler)
    check_device(device)
    chance = list(dict.fromkeys(parsed_seeds(seeds) or [DEFAULT_SEED]))
    if folder:
        found = understood(folder, reading)
        with leaks_shown(), progress("Nothing was written.") as report:
            divided = divide(
                *(found.recordings, found.classes),
                windows_each=windows,
                resampler=resampler,
                strict=strict,
                progress=report,
            )
    else:
        divided = tuned_by_fold(str(fold), budget, stores, directory / "cache", resampler=resampler)
    kept = FitCache(out, fingerprint(divided, GRID, device, all_versions())) if out else None
    goes_on = "Finished fits are kept; run the same command again to continue." if kept else "Nothing was written."
    with progress(goes_on) as report:
        announce = partial(announce_tuning, report)
        choice = choose_recipe(divided, seeds=chance, device=device, kept=kept, announce=announce, progress=report)
    show_choice(choice, divided)
    if out and kept:
        write_choice(
            choice, out, held_out=divided.held_out if choice.candidates else None, remarks=divided.remarks, seeds=chance
        )
        kept.drop()
        say(f"Recipe  {out}")
