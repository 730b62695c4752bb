"""What a figure shows, as data: by it a picture that is older than its numbers is told from a fresh one.

Pixels would not do: they differ with the version of the library that draws them. What is read off a figure is what
its maker gave: points, bars, areas and words, not where the layout put them. `DATA` holds it beside the files, and each
file bears the hash of its own line.
"""

import math
from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.collections import Collection
from matplotlib.figure import FigureBase
from matplotlib.lines import Line2D
from matplotlib.patches import FancyArrowPatch, Patch
from matplotlib.text import Annotation, Text
from matplotlib.ticker import FixedLocator, FuncFormatter

from dualres.bench.report.plots.picture import Picture
from dualres.errors import MISFIT, ConfigError, reason_of
from dualres.utils.files import compact_json, write_whole
from dualres.utils.json_text import json_value

DATA = "drawn.jsonl"  # beside the pictures, a line for each
DIGITS = 6  # significant ones of a number
NEAR = 1e-4  # relative; what two processors may compute differently is far less
MOST = 400  # numbers of one line or image; of longer ones that many are kept, evenly spaced, and the mean of all

DrawnData = dict[str, Any]  # JSON


def drawn(picture: Picture) -> DrawnData:
    """All that a picture shows and says."""
    figure = picture.figure
    return {
        "name": picture.name,
        "title": picture.title,
        "caption": picture.caption,
        "study": picture.study,
        "words": [*_figure_words(figure), *(word for part in figure.subfigs for word in _figure_words(part))],
        "panels": [_panel(axes) for axes in figure.axes],
    }


def mark_of(data: DrawnData) -> str:
    """What the files of a picture bear."""
    return sha256(compact_json(data).encode()).hexdigest()


def bears(path: Path, mark: str) -> bool:
    return mark.encode() in path.read_bytes()


def write_drawn(folder: Path, lines: Iterable[DrawnData]) -> None:
    by_name = {line["name"]: compact_json(line) for line in lines}
    write_whole(folder / DATA, "".join(by_name[name] + "\n" for name in sorted(by_name)).encode())


def read_drawn(folder: Path) -> dict[str, DrawnData]:
    """By the names of the pictures; none where nothing is kept."""
    path = folder / DATA
    if not path.is_file():
        return {}
    try:
        lines = [json_value(line) for line in path.read_text(encoding="utf-8").splitlines()]
        return {str(line["name"]): line for line in lines}
    except (OSError, *MISFIT) as error:
        remedy = "write the report again with `dualres bench report`"
        raise ConfigError(f"{path}: cannot be read ({reason_of(error)}); {remedy}") from error


def difference(one: Any, other: Any, where: str = "") -> str | None:
    """Where two differ first, and how; None if they do not."""
    if isinstance(one, dict) and isinstance(other, dict):
        if one.keys() != other.keys():
            return f"{where or 'it'} has other parts"
        found = (difference(one[name], other[name], f"{where} {name}".strip()) for name in one)
    elif isinstance(one, list) and isinstance(other, list):
        if len(one) != len(other):
            return f"{where} has {len(one)} entries, and not {len(other)}"
        found = (difference(a, b, f"{where} {i}") for i, (a, b) in enumerate(zip(one, other, strict=True), start=1))
    else:
        return None if _same(one, other) else f"{where} is {_short(one)}, and not {_short(other)}"
    return next((told for told in found if told), None)


def _same(one: Any, other: Any) -> bool:
    numbers = all(isinstance(each, (int, float)) and not isinstance(each, bool) for each in (one, other))
    return bool(math.isclose(one, other, rel_tol=NEAR, abs_tol=1e-9) if numbers else one == other)


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) < 60 else f"{text[:56]}...{text[-1]}"


def _figure_words(figure: FigureBase) -> list[str]:
    """Of a figure or a part of it, without those of its panels."""
    legends = [text for legend in figure.legends for text in legend.get_texts()]
    around = (" ".join(label.split()) for label in (figure.get_suptitle(), figure.get_supxlabel()))
    return [*filter(None, around), *_words(legends)]


def _words(texts: Iterable[Text]) -> list[str]:
    """Line breaks are the layout's."""
    return [" ".join(text.get_text().split()) for text in texts if text.get_text().strip()]


def _panel(axes: Axes) -> DrawnData:
    legend = axes.get_legend()
    found = {
        "title": axes.get_title(loc="left") or axes.get_title(),
        "axes": [_axis(axes.xaxis), _axis(axes.yaxis)],
        "lines": [_line(line) for line in axes.lines],
        "shapes": [_shape(patch) for patch in axes.patches],
        "areas": [area for each in axes.collections for area in _areas(each)],
        "images": [_numbers(image.get_array()) for image in axes.images],
        "texts": [_text(text, axes) for text in axes.texts if text.get_text().strip()],
        "legend": _words(legend.get_texts()) if legend else [],
    }
    return {name: value for name, value in found.items() if value}


def _axis(axis: Axis) -> DrawnData:
    """Its label, its scale and, where they are given, its ticks."""
    data: DrawnData = {"label": axis.get_label_text(), "scale": axis.get_scale()}
    places = axis.get_major_locator()
    if isinstance(places, FixedLocator):
        data["ticks"] = _numbers(places())
        if isinstance(axis.get_major_formatter(), FuncFormatter):  # which the library makes of given words
            data["words"] = axis.get_major_formatter().format_ticks(list(places()))
    return data


def _line(line: Line2D) -> DrawnData:
    xy = line.get_xydata()
    data = {"label": _label(line), "look": f"{line.get_marker()} {line.get_linestyle()} {line.get_color()}"}
    return data | {"xy": _numbers(xy)}


def _label(artist: Artist) -> str:
    """Empty where only the library gave one."""
    label = str(artist.get_label())
    return "" if label.startswith("_") else label


def _shape(patch: Patch) -> DrawnData:
    """Its corners, in the units of the axes; of an arrow its ends, as its path depends on the layout."""
    if isinstance(patch, FancyArrowPatch):
        corners = patch._posA_posB  # type: ignore[attr-defined]
    else:
        corners = patch.get_patch_transform().transform(patch.get_path().vertices)
    return {"hatch": patch.get_hatch() or "", "corners": _numbers(corners if corners is not None else [])}


def _areas(collection: Collection) -> Iterator[list[float | None]]:
    """The corners of its parts, or else where they stand; and the values that its colours show."""
    yield from (_numbers(path.vertices) for path in collection.get_paths())
    if (values := collection.get_array()) is not None:
        yield _numbers(values)


def _text(text: Text, axes: Axes) -> list[Any]:
    """Its words, and the point that it is about, where that is one of the data's."""
    if isinstance(text, Annotation):
        point = list(text.xy) if text.xycoords == "data" else []
    else:
        point = list(text.get_position()) if text.get_transform() == axes.transData else []
    return [*_words([text]), *_numbers(point)]


def _numbers(values: Any) -> list[float | None]:
    """Flat, and with as many digits as are compared; NaN is none."""
    flat = np.ma.filled(np.ma.asarray(values, dtype=float), math.nan).ravel()
    if flat.size > MOST:
        flat = np.append(flat[np.linspace(0, flat.size - 1, MOST).astype(int)], flat[np.isfinite(flat)].mean())
    return [float(f"{value:.{DIGITS}g}") if math.isfinite(value) else None for value in flat.tolist()]
