"""Small drawings for pages: they take the page's colours and whatever width there is."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from dualres.fit_page.signal_looks import LOWEST_HZ, SignalPicture
from dualres.utils.arrays import Exact
from dualres.utils.html import escape

WIDTH, HEIGHT = 1000, 200  # of the coordinates; a page stretches both as it likes
MARGIN = 6  # of the coordinates, above and below spectra
SIDE, LEFT, BELOW, ABOVE = 220, 42, 40, 14  # of a square with its scales, which keeps its proportions
LARGEST = 11  # radius of the point that most are of
SMALLEST = 4

CurvePoint = tuple[float, float, int]  # a stated share, the share that was right, and how many these are of


@dataclass(frozen=True)
class Scale:
    """What all spectra of a page are drawn on, so that they can be compared."""

    highest_hz: float
    low_db: float  # around a spectrum's own mean
    high_db: float

    @classmethod
    def of(cls, looks: Collection[SignalPicture], highest_hz: float) -> "Scale":
        """As wide as the spectra."""
        lowest, highest = [look.spectrum.min() for look in looks], [look.spectrum.max() for look in looks]
        return cls(highest_hz, float(min(lowest)), float(max(highest)))


def waveform(look: SignalPicture) -> str:
    """The first stretch of a recording, as high as its own peak."""
    reach = max(float(np.abs([look.low, look.high]).max()), float(np.finfo(np.float64).tiny))
    x = np.linspace(0, WIDTH, len(look.low))
    upper, lower = (HEIGHT / 2 * (1 - side / reach) for side in (look.high, look.low))
    outline = _path(np.concatenate([x, x[::-1]]), np.concatenate([upper, lower[::-1]]))
    said = f"Waveform of {look.name}, {look.seconds:.3g} s"
    return _sketch(f'<path class="wave" d="{outline}Z"/>', said, ("0", f"{look.seconds:.2g} s"))


def spectra(mean: Exact, scale: Scale, name: str, single: Sequence[Exact] = ()) -> str:
    """A spectrum in dB over the logarithm of frequency, above those of single recordings, which are pale."""
    drawn = "".join(f'<path class="single" d="{_line(one, scale)}"/>' for one in single)
    drawn += f'<path class="mean" d="{_line(mean, scale)}"/>'
    highest, lowest = scale.highest_hz, min(LOWEST_HZ, scale.highest_hz / 2)
    ticks = (lowest, float(np.sqrt(lowest * highest)), highest)
    return _sketch(drawn, f"Spectrum of {name}", [_said(hz) for hz in ticks])


def reliability(before: Sequence[CurvePoint], after: Sequence[CurvePoint]) -> str:
    """Stated shares against those that were right, as they are stated (rings) and after a correction (discs)."""
    most = max(count for _, _, count in (*before, *after))
    bottom = ABOVE + SIDE
    drawn = [f'<rect x="{LEFT}" y="{ABOVE}" width="{SIDE}" height="{SIDE}" rx="5"/>']
    drawn.append(f'<path class="equal" d="M{LEFT} {bottom}L{LEFT + SIDE} {ABOVE}"/>')
    for share, said, anchor in ((0.0, "0", "start"), (0.5, "50", "middle"), (1.0, "100 %", "end")):
        drawn += [_text(_across(share), bottom + 15, said, anchor), _text(LEFT - 6, _up(share) + 4, said, "end")]
    drawn += [_text(_across(0.5), bottom + 32, "stated", "middle"), _text(LEFT - 6, _up(0.75) + 4, "right", "end")]
    for kind, points in (("before", before), ("after", after)):
        places = [(_across(stated), _up(right), LARGEST * np.sqrt(count / most)) for stated, right, count in points]
        line = "L".join(f"{x:.1f} {y:.1f}" for x, y, _ in places)
        drawn.append(f'<path class="{kind}" d="M{line}"/>')
        drawn += [
            f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="{max(radius, SMALLEST):.1f}"/>'
            for x, y, radius in places
        ]
    key = '<span class="before">before the temperature</span><span class="after">after it</span>'
    said = "Stated probabilities against the share that was right"
    return (
        f'<figure class="reliability"><svg viewBox="0 0 {LEFT + SIDE + ABOVE} {bottom + BELOW}" role="img" '
        f'aria-label="{said}">{"".join(drawn)}</svg><figcaption>{key}</figcaption></figure>'
    )


def _across(share: float) -> float:
    return LEFT + SIDE * share


def _up(share: float) -> float:
    return ABOVE + SIDE * (1 - share)


def _text(x: float, y: float, said: str, anchor: str) -> str:
    return f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="{anchor}">{said}</text>'


def _line(spectrum: Exact, scale: Scale) -> str:
    share = (spectrum - scale.low_db) / max(scale.high_db - scale.low_db, 1.0)
    return _path(np.linspace(0, WIDTH, len(spectrum)), MARGIN + (HEIGHT - 2 * MARGIN) * (1 - share))


def _path(x: Exact, y: Exact) -> str:
    return "M" + "L".join(f"{a:.0f} {b:.0f}" for a, b in zip(x, y, strict=True))


def _said(hz: float) -> str:
    return f"{hz / 1000:.2g} kHz" if hz >= 1000 else f"{hz:.2g} Hz" if hz < 100 else f"{hz:.0f} Hz"


def _sketch(drawn: str, said: str, scale: Sequence[str]) -> str:
    ticks = "".join(f"<span>{escape(tick)}</span>" for tick in scale)
    return (
        f'<figure class="sketch"><svg viewBox="0 0 {WIDTH} {HEIGHT}" preserveAspectRatio="none" role="img" '
        f'aria-label="{escape(said)}">{drawn}</svg><figcaption>{ticks}</figcaption></figure>'
    )
