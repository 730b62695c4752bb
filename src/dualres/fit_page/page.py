"""The page that `dualres fit` writes beside a model: what it learned from, what to expect, and where it was wrong.

from dualres import fit_model
from dualres.fit_page.page import write_fit_page

fitted = fit_model(recordings)
write_fit_page(fitted, recordings, Path("bearings.html"))
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from dualres.fit_page import bands as listening
from dualres.fit_page import calibration as sureness
from dualres.fit_page import held_out
from dualres.fit_page import svg as sketch
from dualres.fit_page.signal_looks import SignalPicture, difference, highest_hz, looks_of
from dualres.fit_page.svg import Scale
from dualres.learn.label_warnings import narrow
from dualres.learn.workflow import FittedModel
from dualres.model_file.card import Card
from dualres.recordings.recording import Recording, axes_of
from dualres.utils import html
from dualres.utils.arrays import Exact
from dualres.utils.files import write_whole
from dualres.utils.html import escape
from dualres.utils.json_text import json_text
from dualres.utils.progress import Progress, quiet

UNKNOWN = "nobody knows how it does on machines, loads or sensors that no labelled recording has"
MOST_LINES = 24  # single recordings of a class in its picture


def page_beside(model: Path) -> Path:
    """Where the page of a model file goes: bearings.html for bearings.safetensors."""
    return model.with_name(f"{model.name.removesuffix('.safetensors')}.html")


def check_page(path: Path) -> None:
    """An error now if the page could not be written, or would replace something else."""
    html.check_page(path, "use --no-page")


def write_fit_page(
    fitted: FittedModel,
    recordings: Sequence[Recording],
    path: Path,
    *,
    model_file: Path | None = None,
    notes: Sequence[str] = (),
    progress: Progress = quiet,
) -> None:
    """Write the page of a model that learned from these recordings, which are read once more to be drawn.

    `model_file` is where the model lies, for the commands to try next. `notes` are sentences on what was left out or
    noticed. A page of an earlier fit is replaced, any other file is not.
    """
    check_page(path)
    model_file = model_file or path.with_suffix(".safetensors")
    content = fit_page(fitted, recordings, model_file, notes=notes, progress=progress)
    write_whole(path, content.encode(), precious=True)


def fit_page(
    fitted: FittedModel,
    recordings: Sequence[Recording],
    model_file: Path,
    *,
    notes: Sequence[str] = (),
    progress: Progress = quiet,
) -> str:
    """The page as text."""
    card = fitted.model.card
    notes = [*notes, *filter(None, [fitted.about_speeds, fitted.about_axes]), *fitted.copies]
    notes += fitted.model.geometry.sentences if fitted.model.geometry else []
    looks = looks_of(recordings, card.config.window_s, progress)
    scale = Scale.of(looks.values(), highest_hz(recordings))
    typical = {label: _typical(label, recordings, looks) for label in card.classes}
    of_axes = f" Of the axes {', '.join(card.channels)}, {card.channels[0]} is drawn." if card.axes else ""
    rates = ", ".join(f"{float(rate) / 1000:g}" for rate in sorted({axes_of(r)[0].rate for r in recordings}))
    sections = [
        _expected(fitted, recordings),
        sureness.section(fitted, recordings),
        html.section(
            "What it learned from",
            f"Windows of {card.config.window_s:g} s, spread over each recording. Seconds that lie in two of them count "
            f"once. Recorded at {rates} kHz.",
            _learned_from(card, recordings) + html.listed(notes) * bool(notes),
        ),
        html.section(
            "What the classes look like",
            f"First the recording nearest to the mean of its class: {card.config.window_s:g} s of it, on a scale of "
            "its own. Then the mean spectrum in dB, and behind it those of single recordings. Frequencies are on a "
            f"logarithmic scale, as far as all recordings reach.{of_axes}",
            "".join(_class_row(one, recordings, looks, scale) for one in typical.values()),
        ),
        listening.section(fitted, typical),
        *_judged(fitted, recordings, looks, scale),
        html.section("What the model file remembers", "Its card, as dualres show prints it.", html.facts(_card(card))),
        html.section("What to do next", "The model file is all that these need.", _next(model_file, card)),
    ]
    components = {r.component for r in recordings if r.component}
    of = f" of {len(components)} components" if components else ""
    lead = (
        f"{len(card.classes)} classes, learned from {len(recordings)} recordings{of}: "
        f"{sum(card.exposure_s.values()):.1f} labelled seconds. Recipe: {card.learned_by}."
    )
    return html.page(f"What {model_file.name.removesuffix('.safetensors')} learned", lead, [], sections)


def _expected(fitted: FittedModel, recordings: Sequence[Recording]) -> str:
    title, doubts = "What to expect", (UNKNOWN, *narrow(recordings))
    if not fitted.estimates:
        unknown = "Not known: nothing was held out to be judged (--no-estimate)."
        return html.section(title, unknown, html.listed(doubts))
    return html.section(
        title,
        "Models that had not learned from what was held out judged it. The model of this page learned from all. How "
        "well it does depends on what is new to it; the hardest comes first.",
        held_out.questions(fitted.model.card)
        + "".join(held_out.expected(one, doubts if i == 0 else ()) for i, one in enumerate(fitted.estimates)),
    )


def _judged(
    fitted: FittedModel, recordings: Sequence[Recording], looks: Mapping[str, SignalPicture], scale: Scale
) -> list[str]:
    """What was held out and the confusions of each estimate, and the wrong recordings of those that are told in
    detail."""
    sections = []
    for estimate in fitted.estimates:
        of = f", {estimate.unit} held out" if len(fitted.estimates) > 1 else ""
        judged, mistaken = len(estimate.held), len(held_out.wrong_ones(estimate))
        sections += [
            html.section(
                f"Verdicts against the truth{of}",
                f"{judged} recordings that were held out, truth in rows and verdicts in columns. "
                "Right verdicts stand on the diagonal.",
                held_out.confusion(estimate.judged[0].classes, estimate.confusion),
            ),
            html.section(
                f"What was held out{of}", "Each round learned from all the others.", held_out.rounds(estimate)
            ),
        ]
        if mistaken and estimate in fitted.detailed:
            sections.append(
                html.section(
                    f"Wrong verdicts{of}",
                    f"{mistaken} of {judged} recordings, the surest first. Beside each stands the recording that looks "
                    "most like it of those that its model had learned from. Its mean spectrum differs least, in dB "
                    "and smoothed over half an octave, levels set aside. Where one of another class is nearest, the "
                    "two may not be told apart by their spectra.",
                    held_out.wrong(estimate, recordings, looks, scale),
                )
            )
    return sections


def _learned_from(card: Card, recordings: Sequence[Recording]) -> str:
    rows = []
    for label in card.classes:
        components = [r.component for r in recordings if r.label == label]
        known = str(len(set(components) - {None, ""}) or "unknown")
        rows.append([label, str(len(components)), known, f"{card.exposure_s[label]:.1f}"])
    return html.table(["Class", "Recordings", "Components", "Seconds learned"], rows, numbers=(1, 2, 3))


def _typical(label: str, recordings: Sequence[Recording], looks: Mapping[str, SignalPicture]) -> Recording:
    """The recording of a class whose spectrum is nearest to the mean."""
    members = [r for r in recordings if r.label == label]
    mean = _mean_spectrum(label, recordings, looks)
    return min(members, key=lambda one: difference(looks[one.id].spectrum, mean))


def _mean_spectrum(label: str, recordings: Sequence[Recording], looks: Mapping[str, SignalPicture]) -> Exact:
    return np.asarray(np.mean([looks[r.id].spectrum for r in recordings if r.label == label], axis=0))


def _class_row(
    typical: Recording, recordings: Sequence[Recording], looks: Mapping[str, SignalPicture], scale: Scale
) -> str:
    label, look = str(typical.label), looks[typical.id]
    members = [looks[r.id] for r in recordings if r.label == label]
    single = [one.spectrum for one in members[:MOST_LINES]] if len(members) > 1 else []
    numbers = f"rms {look.rms:.3g}, peak {look.peak:.3g}"
    about = f"<h3>{escape(label)}</h3><span>{html.name(look.name)}</span><span>{numbers}</span>"
    drawn = sketch.waveform(look) + sketch.spectra(_mean_spectrum(label, recordings, looks), scale, label, single)
    return f'<div class="looks"><div class="about">{about}</div>{drawn}</div>'


def _card(card: Card) -> dict[str, str]:
    """All that a card holds, a line for each; what stands elsewhere on the page is left out."""
    elsewhere = {"classes", "config", "exposure_s", "score", "remarks", "estimates", "calibration"}
    shown = {*elsewhere, "recipe", "seed", "members"}
    kind = card.kind.title if card.kind else card.method
    seeds = f", {card.members} members with seeds {', '.join(map(str, card.seeds))}" if card.recipe else ""
    known = {"Model": f"{kind}{seeds}", "Recipe": card.learned_by, "Rate": f"{card.config.rate / 1000:g} kHz inside"}
    others = {
        name.replace("_", " ").capitalize(): _said(v)
        for name, v in card.as_data().items()
        if name not in shown and v is not None
    }
    return {**known, **others}


def _said(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_said(one)}" for name, one in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(map(_said, value))
    return value if isinstance(value, str) else json_text(value, default=str)


def _next(model_file: Path, card: Card) -> str:
    name, stem = model_file.name, model_file.name.removesuffix(".safetensors")
    quoted = f"'{name}'" if " " in name else name
    exports = {
        f"export {quoted} {stem}-c99 --to c99": "Put it on a device: source code in C99.",
        f"export {quoted} {stem}.onnx --to onnx": "Run it by ONNX Runtime.",
    }
    commands = {
        f"diagnose {quoted} FILES": "Judge other recordings, one line each.",
        f"explain {quoted} FILE": "See which bands and moments spoke for a verdict.",
        f"show {quoted}": "See the card.",
        **({} if card.geometry else exports),  # which hear no whole recordings
    }
    return "".join(html.command(f"dualres {command}", does) for command, does in commands.items())
