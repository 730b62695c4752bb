"""Write docs/datasets.md from the adapters and the frozen folds; with `--check`, only compare."""

import re
import textwrap
from collections.abc import Iterable, Iterator
from itertools import groupby

from dualres.bench.datasets import catalog
from dualres.bench.datasets.about_folds import in_words
from dualres.bench.datasets.folds import load_fold
from dualres.bench.datasets.release import Release
from dualres.bench.paper.protocol import FOLDS
from dualres.bench.paper.scores import ACCURACY
from tools.generated import only_checked, write_page
from tools.pages.attainable import MOST_ENUMERATED, AttainableScore, checks, fold_sizes

WIDEST = 120  # characters of a line
BYTES = 4  # of a sample in a store, float32
LARGEST_FOLD = 150  # recordings, of the sizes that are tried
MOST_LISTED = 8  # scores in a cell of a table
OVERVIEW = ("dataset", "classes", "rate", "held-out unit", "folds", "judged", "the folds", "store")
NUMBERS = ("classes", "rate", "judged", "store", "number", "possible", "share of all scores", "ours")  # columns

BEFORE = """\
# The datasets

`make datasets` makes this page from the adapters, their facts (`datasets/releases.toml`) and the frozen folds
(`datasets/folds/`). A test compares. The simulated ones come with the package. Of any other get the release, then
`dualres data prepare NAME --from DOWNLOAD` turns it into a store of recordings at their native rate
(`dualres data list` has the names). A store's size is computed: seconds times rate times 4 bytes per sample.

What is downloaded is counted against the release. Recordings that are missing, archives that were not unpacked and
recordings that were cut short are errors that name them, and a store without a recording is none. `--partial` takes
what is there: the store is marked as a part, and so is whatever is made from it. Excerpts need it, too.
"""
FOLDS_ARE = """\
## Whose folds these are

**The paper's lists of recordings are not published.** Its text determines the folds of MCC5 and PHM2009. The folds of
the six bearing datasets are reconstructed: the text gives the held-out unit and some rules, printed scores tell how
many recordings a fold can have judged, and the rest is our choice. So a score of ours on a reconstructed fold and the
paper's score may be scores on different recordings. The folds of datasets that are not in the paper are ours.
[assumptions.md](assumptions.md) lists what else the paper leaves open.

Which windows of the paper's recordings are judged follows the numbers of windows that it prints in its table of
profiled workloads (14, 23, 23, 35, 7, 35 and 233), where windows overlap by half. `dualres data folds` shows every fold
with its provenance, and `dualres data folds --json` the class of every recording, the support's order and where windows
lie.
"""
CHECKED = f"""\
## Printed scores that could contradict a fold

A fold that judges few recordings has few possible scores. Where a fold judges at most {MOST_ENUMERATED}, every
macro-F1 that its classes allow was enumerated. An accuracy over N judgements is a multiple of 1/N. The table counts the
printed scores that our folds allow. Its last column says which share of all scores from 0.00 to 100.00 they allow: the
smaller it is, the stronger the check. Where most scores are possible, there is nothing to check, as with means of
macro-F1 over two folds. `tools/pages/attainable.py` computes this.
"""
SIZES = """\
The accuracies also tell how many recordings a fold can have had, if both folds had as many:
"""


def main() -> None:
    check = only_checked(__doc__)
    write_page("datasets.md", page(), check, source="the adapters", target="datasets")


def page() -> str:
    groups = {title: [catalog.release(name) for name in names] for title, names in catalog.groups().items()}
    releases = [release for members in groups.values() for release in members]
    parts = [
        BEFORE,
        *(f"{title}:\n\n{table(OVERVIEW, overview(members))}" for title, members in groups.items()),
        FOLDS_ARE,
        CHECKED,
        table(("dataset", "printed scores", "number", "possible", "share of all scores"), checked(releases)),
        SIZES,
        table(("dataset", "recordings of a fold that allow all printed accuracies", "ours"), sizes(releases)),
        *(part for title, members in groups.items() for part in (f"## {title}\n", *map(section, members))),
    ]
    return "\n".join(parts)


def overview(releases: Iterable[Release]) -> Iterator[tuple[str, ...]]:
    for release in releases:
        folds = [load_fold(name) for name in release.folds]
        judged = dict.fromkeys(str(len(fold.evaluation)) for fold in folds)
        units = dict.fromkeys(fold.held_out for fold in folds)
        yield (
            f"[{release.short}](#{release.short.lower().replace(' ', '-')})",
            str(len(release.classes)),
            khz(release),
            *(", ".join(words) for words in (units, release.folds, judged)),
            {"text": "follow from the text", "ours": "are ours"}.get(release.folds_from, "are reconstructed"),
            size_of(release) if release.generate is None else "not needed",
        )


def checked(releases: Iterable[Release]) -> Iterator[tuple[str, ...]]:
    for release in releases:
        found = checks(release.name) if release.name in FOLDS else []
        for what, group in groupby(sorted(found, key=kind), kind):
            scores = list(group)
            printed = (
                ", ".join(f"{score.printed:.2f}" for score in scores)
                if len(scores) <= MOST_LISTED
                else "all of its table"
            )
            possible, share = sum(score.possible for score in scores), max(score.share for score in scores)
            told = str(possible) if scores[0].tells else "no check"
            yield release.short, f"{what}: {printed}", str(len(scores)), told, f"{share:.1%}"


def kind(check: AttainableScore) -> str:
    metric = "accuracy" if check.key.metric == ACCURACY else "macro-F1"
    seeds = "three seeds" if len(check.key.seeds) > 1 else "one seed"
    return f"{metric} of a fold" if check.key.fold else f"{metric}, mean over folds, {seeds}"


def sizes(releases: Iterable[Release]) -> Iterator[tuple[str, ...]]:
    for release in releases:
        ours = {len(load_fold(name).evaluation) for name in release.folds}
        if release.name in FOLDS and len(ours) == 1:
            allowed = fold_sizes(release.name, LARGEST_FOLD)
            multiples = allowed == list(range(allowed[0], LARGEST_FOLD + 1, allowed[0]))
            told = f"multiples of {allowed[0]}" if multiples else f"{listed(allowed)} (of those up to {LARGEST_FOLD})"
            yield release.short, told, str(*ours)


def section(release: Release) -> str:
    folds = [load_fold(name) for name in release.folds]
    units = ", ".join(dict.fromkeys(fold.held_out for fold in folds))
    about = f" ({release.about_channel})" if release.about_channel else ""
    provenance, *rules = in_words(release.name)
    lines = [
        f"### {release.short}\n",
        *wrapped(f"{release.title[0].upper()}{release.title[1:]}."),
        "",
        *wrapped(f"* **Signal:** {release.channel}{about}, {khz(release)}."),
        *wrapped(f"* **Classes:** {', '.join(release.classes)}. {release.about_classes}"),
        *wrapped(f"* **Held out:** {units}."),
        *wrapped(f"* **Changes with it:** {release.changes_too}"),
        *wrapped(f"* **Licence:** {release.licence}."),
        *wrapped(f"* **Obtained from:** {release.obtained_from}; version: {release.version}."),
        *downloaded(release),
        *wrapped(f"* **Store:** {store(release)}"),
        *wrapped(f"* **Folds:** {provenance}"),
        *(line for rule in rules for line in wrapped(f"  * {rule}")),
        "* **Limitations:**",
        *(line for limitation in release.limitations for line in wrapped(f"  * {limitation}")),
        "",
    ]
    return "\n".join(lines)


def downloaded(release: Release) -> Iterator[str]:
    """Where it is, how large, and what to type."""
    if release.generate:
        return
    yield from wrapped(f"* **Download:** {release.download}. {release.link}")
    yield ""
    yield "  ```console"
    yield f"  $ dualres data prepare {release.name} --from DOWNLOAD"
    yield f"  $ dualres data verify stores/{release.name}"
    yield f"  $ dualres bench run {study_of(release)} --datasets {release.name}"
    yield "  ```"
    yield ""


def study_of(release: Release) -> str:
    """The one that asks most of it, the paper's first."""
    ours = "bearing" if release.name in catalog.NAMES else "rigs"
    return {"mcc5": "gearbox", "phm2009": "pilot"}.get(release.name, ours)


def store(release: Release) -> str:
    if release.generate:
        return "none is needed; a signal is simulated when it is asked for."
    held = f"about {size_of(release)}: {release.recordings:,} recordings, {release.recorded_s:,} s together"
    return f"{held}."


def size_of(release: Release) -> str:
    megabytes = float(release.recorded_s * release.rate * BYTES) / 1e6
    return f"{megabytes / 1000:.1f} GB" if megabytes >= 1000 else f"{megabytes:.0f} MB"


def khz(release: Release) -> str:
    rates = [f"{float(rate) / 1000:.4g}" for rate in (release.slowest_rate, release.rate) if rate]
    return f"{' to '.join(rates)} kHz"


def listed(numbers: Iterable[int]) -> str:
    return ", ".join(map(str, numbers))


def wrapped(text: str) -> list[str]:
    """Lines of prose; those of an item after the first are indented like its text."""
    item = re.match(r"( *\* )?", text)
    indent = " " * len(item[0])
    return textwrap.wrap(text, WIDEST, subsequent_indent=indent, break_on_hyphens=False, break_long_words=False)


def table(columns: Iterable[str], rows: Iterable[tuple[str, ...]]) -> str:
    columns = tuple(columns)
    rules = ("---:" if column in NUMBERS else "---" for column in columns)
    lines = [columns, rules, *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines) + "\n"


if __name__ == "__main__":
    main()
