"""What `dualres diagnose --over-time` adds to verdicts: their segments, a summary and a picture."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from dualres.cli.console import complain, progress
from dualres.errors import ConfigError
from dualres.utils.optional_imports import need

if TYPE_CHECKING:
    from fractions import Fraction

    from dualres.judge.files import FileVerdict
    from dualres.judge.model import Model
    from dualres.recordings.labels.read import LabelRow
    from dualres.recordings.speed_sources import SpeedKnown

MOST_DRAWN = 12  # files in a picture
PICTURES = (".png", ".svg", ".pdf")


def check_picture(picture: Path, recordings: int) -> None:
    """An error now rather than after an hour of audio."""
    if recordings > MOST_DRAWN:
        raise ConfigError(f"--picture shows up to {MOST_DRAWN} recordings, and {recordings} were given; give fewer")
    check_picture_file(picture)


def check_picture_file(picture: Path) -> None:
    """An error for a picture that nothing could draw or write."""
    from dualres.utils.files import check_writable

    need("--picture", "matplotlib")
    if picture.suffix.lower() not in PICTURES:
        raise ConfigError(f"--picture {picture}: a picture ends in {', '.join(PICTURES)}")
    check_writable(picture)


def judged_over_time(
    model: Model,
    rows: Iterable[LabelRow],
    channel: str | None,
    rate: Fraction | None,
    *,
    seconds: float,
    error: float,
    sure: float | None,
    speed: SpeedKnown = None,
) -> Iterator[FileVerdict]:
    """The segments of one file after the other, and of each a line that sums them up."""
    from dualres.judge.segments import judge_segments

    for row in rows:
        # The bar is gone before anything is printed: while there is one, it takes all output to the error channel.
        with progress("The file was not judged to its end.") as report:
            judge = partial(judge_segments, model, row, channel, rate, seconds=seconds, progress=report)
            found = list(judge(error=error, sure=sure, speed=speed))
        yield from found
        if found[0].verdict:
            complain("over time", f"{row.file}{row.which}: {_summary(found, seconds)}", "cyan")


def draw(picture: Path, judged: Sequence[FileVerdict], classes: Sequence[str]) -> None:
    """Every recording's probabilities over time as a picture."""
    from dualres.judge.segments_picture import Strip, draw_strips

    strips: dict[str, Strip] = {}
    for one in judged:
        if one.verdict and one.part and one.part.end_s is not None:
            name = f"{one.path.name} [{one.channel}]" if one.channel else one.path.name
            strip = strips.setdefault(f"{one.path} {one.channel}", Strip(name))
            strip.add(one.part.start_s, one.part.end_s, [one.verdict.probabilities[label] for label in classes])
            if _unlike(one):
                strip.unlike.append((one.part.start_s, one.part.end_s))
    if not strips:
        raise ConfigError(f"--picture {picture}: no recording could be judged, so there is nothing to draw")
    draw_strips(picture, list(strips.values()), classes)


def _summary(found: Sequence[FileVerdict], seconds: float) -> str:
    times = Counter(one.verdict.label for one in found if one.verdict)
    unlike = sum(map(_unlike, found))
    last = found[-1].part
    assert last is not None
    assert last.end_s is not None
    length = last.end_s - last.start_s
    rest = "" if abs(length - seconds) < 0.001 else f"; the last one has {length:.3g} s"
    counts = ", ".join(f"{label} {count}" for label, count in times.most_common())
    odd = f"; none of these {unlike}" if unlike else ""
    return f"{len(found)} stretch{'es' * (len(found) != 1)} of {seconds:g} s: {counts}{odd}{rest}"


def _unlike(one: FileVerdict) -> bool:
    from dualres.judge.trust.calibration import NONE_OF_THESE

    return bool(one.verdict and one.verdict.answer and one.verdict.answer.kind == NONE_OF_THESE)
