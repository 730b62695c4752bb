"""What is drawn of a series, in pictures and on pages."""

from dataclasses import dataclass

from dualres.explain.trend.series import Trend


@dataclass(frozen=True)
class Curve:
    """One quantity over all recordings of a series."""

    title: str  # with its unit
    values: tuple[float | None, ...]
    limit: float | None = None  # that it crossed, on the same scale


def curves_of(trend: Trend) -> list[Curve]:
    """The quantities that are known of a series; limits where they were crossed as drawn, without any adjustment."""
    levels = [point.levels for point in trend.points]
    limits = {one.feature: one.limit for one in trend.search.changes}
    found = [
        Curve("rms, dB", tuple(trend.rise_db(number) for number in range(len(levels)))),
        Curve("kurtosis", tuple(one.impulsiveness for one in levels)),
        Curve("distance, dB", tuple(point.distance_db for point in trend.points)),
    ]
    if any(one.velocity_mm_s is not None for one in levels):
        found.append(Curve("mm/s rms", tuple(one.velocity_mm_s for one in levels)))
    if any(one.striking is not None for one in levels):
        limit = None if trend.explaining else limits.get("lines")
        found.append(Curve("line score", tuple(one.striking for one in levels), limit))
    return found
